/**
 * The first process inside: it starts the program in a session of its own, says how it ended, collects orphans, and
 * stays until nobody is left, so that what is left gets its TERM and its grace before the kernel ends it all.
 * Owns: the command line from bubblewrap to the program, and finding the four programs that it takes.
 * Invariant: the program has neither descriptor 3 nor an ignored TERM.
 */
import { accessSync, constants, statSync } from "node:fs"
import { isAbsolute, join } from "node:path"
import type { IsolationSettings } from "../Isolation.ts"

/** By number, for Perl knows it by no name. 4 is PR_SET_DUMPABLE: with 0 no process inside can trace or read it. */
const PRCTL = ({ x64: 157, arm64: 167 } as Partial<Record<NodeJS.Architecture, number>>)[process.arch]

export const canKeepPrivate = PRCTL !== undefined

/**
 * Perl, for a shell cannot tell death by a signal from an exit code. Once a second it counts the processes: a call
 * that fills its share and keeps it full is a fork bomb, and ends. 4 is EINTR.
 */
const supervisor = (processes: number): string =>
  [
    ...(PRCTL === undefined ? [] : [`syscall(${PRCTL}, 4, 0, 0, 0, 0);`]),
    'open(my $said, ">&=", 3) or exit 126;',
    "my $program = fork;",
    "exit 126 unless defined $program;",
    'if (!$program) { $SIG{TERM} = "DEFAULT"; exec { $ARGV[0] } @ARGV; exit 127 }',
    'syswrite $said, "b\\n";',
    "my $full = 0;",
    '$SIG{ALRM} = sub { opendir(my $d, "/proc"); my $n = grep { /^\\d/ } readdir $d; ',
    `$full = $n >= ${Math.floor(processes * 0.9)} ? $full + 1 : 0; kill("KILL", -1) if $full > 1; alarm 1 };`,
    "alarm 1;",
    "while (1) { my $ended = waitpid(-1, 0); if ($ended < 0) { next if $! == 4; last }",
    'syswrite $said, "e $?\\n" if $ended == $program }'
  ].join(" ")

const PROGRAMS = ["bwrap", "perl", "prlimit", "setsid"] as const
export type Programs = Readonly<Record<(typeof PROGRAMS)[number], string>>

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** Absolute paths, or the name of the first that is missing. A relative entry of the path is no place to look in. */
export const findPrograms = (searchPath: string): Programs | { readonly missing: string } => {
  const directories = searchPath.split(":").filter((entry) => isAbsolute(entry))
  const found: Partial<Record<keyof Programs, string>> = {}
  for (const name of PROGRAMS) {
    const path = directories.map((directory) => join(directory, name)).find(isProgram)
    if (path === undefined) return { missing: name }
    found[name] = path
  }
  return found as Programs
}

const MEGABYTE = 1_048_576

const limitArguments = ({ file_mb, memory_mb, processes }: IsolationSettings): ReadonlyArray<string> => [
  "--core=0",
  `--nproc=${processes}`,
  ...(file_mb === 0 ? [] : [`--fsize=${file_mb * MEGABYTE}`]),
  ...(memory_mb === 0 ? [] : [`--data=${memory_mb * MEGABYTE}`])
]

const OWN = ["--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
const WEAK = ["--cap-drop", "ALL", "--die-with-parent", "--new-session", "--as-pid-1"]

const namespaces = (settings: IsolationSettings, canForbidMore: boolean): ReadonlyArray<string> => [
  ...OWN,
  ...(settings.network ? [] : ["--unshare-net"]),
  ...(canForbidMore ? ["--disable-userns"] : []),
  ...WEAK
]

export interface Around {
  readonly programs: Programs
  readonly settings: IsolationSettings
  /** bubblewrap 0.8 and later can forbid further user namespaces. */
  readonly canForbidMore: boolean
  readonly mounts: ReadonlyArray<string>
  readonly cwd: string
  /** A filter of system calls is on descriptor 4. */
  readonly filtered: boolean
}

/** A directory that they name is not there, or cannot be written: /tmp can. */
const PRIVATE_TMP = ["TMPDIR", "TEMP", "TMP"].flatMap((name) => ["--unsetenv", name])

export const aroundProgram = (around: Around, argv: ReadonlyArray<string>): ReadonlyArray<string> => {
  const { programs, settings } = around
  return [
    programs.bwrap,
    ...namespaces(settings, around.canForbidMore),
    ...around.mounts,
    ...PRIVATE_TMP,
    ...(around.filtered ? ["--seccomp", "4"] : []),
    "--chdir",
    around.cwd,
    "--",
    programs.prlimit,
    ...limitArguments(settings),
    programs.perl,
    "-e",
    supervisor(settings.processes),
    programs.setsid,
    ...argv
  ]
}
