/**
 * The first process inside, as a text in Perl, for a shell cannot tell death by a signal from an exit code: it starts
 * the program, says on descriptor 3 how it ended, collects orphans, and ends a call that is beyond its share.
 * Owns: that text. Invariants: the program has neither descriptor 3 nor an ignored TERM; nobody inside can trace, read
 * or end this process; why it ends a call it says before it does.
 */
import type { IsolationSettings } from "../Isolation.ts"
import { forwarder } from "./forwarder.ts"

interface Calls {
  readonly prctl: number
  readonly setitimer: number
  readonly statfs: number
}

/** By number, for Perl knows them by no name. */
const CALLS = (
  {
    x64: { prctl: 157, setitimer: 38, statfs: 137 },
    arm64: { prctl: 167, setitimer: 103, statfs: 43 }
  } as Partial<Record<NodeJS.Architecture, Calls>>
)[process.arch]

export const canKeepPrivate = CALLS !== undefined
/** Its temporary files can be counted. */
export const canWatchMemory = CALLS !== undefined

const LOOK_US = 250_000
/** Looks in a row at which a call fills its share of processes: a fork bomb, and no busy build. */
const BOMB = 5

/** PR_SET_DUMPABLE is 4: with 0 no process inside can trace or read it. */
const privately = CALLS === undefined ? "" : `syscall(${CALLS.prctl}, 4, 0, 0, 0, 0);`

/** 0 is ITIMER_REAL. Elsewhere once a second. What a call is given, Perl must be able to write. */
const timer =
  CALLS === undefined
    ? "alarm 1;"
    : `my $often = pack("q4", 0, ${LOOK_US}, 0, ${LOOK_US}); syscall(${CALLS.setitimer}, 0, $often, 0);`

/**
 * Kilobytes: what files in memory take, shared memory that nobody holds, and of each process what is its own. Looked at
 * closely (each page once, however many share it) only where the sum of all says that it could be too much.
 */
/** `places`: as Perl writes them. */
const memory = (statfs: number, places: ReadonlyArray<string>, limit: number): ReadonlyArray<string> => [
  'sub text { open(my $f, "<", $_[0]) or return ""; local $/; my $t = <$f>; defined $t ? $t : "" }',
  "sub sum { my ($t, $names) = @_; my $n = 0; $n += $1 while $t =~ /^(?:$names):\\s+(\\d+) kB/mg; $n }",
  `sub files { my $n = 0; for my $place (${places.join(", ")}) {`,
  `my ($p, $b) = ($place, "\\0" x 256); next if syscall(${statfs}, $p, $b) != 0;`,
  'my (undef, $size, $all, $free) = unpack("q4", $b); $n += ($all - $free) * $size / 1024 }',
  'for (split /\\n/, text("/proc/sysvipc/shm")) { my @f = split; $n += $f[14] / 1024 if @f > 14 && $f[6] eq "0" } $n }',
  'sub close_look { my $t = text("/proc/$_[0]/smaps_rollup");',
  'return sum($t, $t =~ /^Pss_Anon:/m ? "Pss_Anon|Pss_Shmem|SwapPss" : "Pss|SwapPss") if $t ne ""; rough($_[0]) }',
  'sub rough { sum(text("/proc/$_[0]/status"), "RssAnon|RssShmem|VmSwap") }',
  "sub over { my $n = my $files = files(); $n += rough($_) for @_;",
  `return 0 if $n <= ${limit}; $n = $files; $n += close_look($_) for @_; $n > ${limit} }`
]

const quoted = (path: string): string => `'${path.replace(/['\\]/g, "\\$&")}'`

/**
 * `watched`: directories in memory; undefined: something else bounds what the call takes. `proxy`: the socket of what
 * reaches the listed hosts.
 */
export const supervisor = (
  { memory_mb, processes }: IsolationSettings,
  watched: ReadonlyArray<string> | undefined,
  proxy: string | undefined
): string => {
  const isWatched = watched !== undefined && memory_mb > 0 && CALLS !== undefined
  return [
    privately,
    'open(my $said, ">&=", 3) or exit 126;',
    ...(isWatched ? memory(CALLS.statfs, watched.map(quoted), memory_mb * 1024) : []),
    ...(proxy === undefined ? [] : forwarder(quoted(proxy))),
    "my $program = fork;",
    "exit 126 unless defined $program;",
    'if (!$program) { $SIG{TERM} = "DEFAULT"; exec { $ARGV[0] } @ARGV; exit 127 }',
    'syswrite $said, "b\\n";',
    "my $full = 0;",
    'sub finish { syswrite $said, "l $_[0]\\n"; kill("KILL", -1) }',
    '$SIG{ALRM} = sub { opendir(my $d, "/proc"); my @all = grep { /^\\d/ } readdir $d;',
    `$full = @all >= ${Math.floor(processes * 0.9)} ? $full + 1 : 0; finish("processes") if $full > ${CALLS === undefined ? 1 : BOMB};`,
    ...(isWatched ? ['finish("memory") if over(@all);'] : []),
    CALLS === undefined ? "alarm 1 };" : "};",
    timer,
    "while (1) { my $ended = waitpid(-1, 0); if ($ended < 0) { next if $! == 4; last }",
    'syswrite $said, "e $?\\n" if $ended == $program;',
    proxy === undefined ? "}" : "last if alone($carrier) }"
  ].join(" ")
}
