/**
 * The ways out that the self-test really tries, each a few lines of bash in the workspace of a test call. What
 * decides is the world outside afterwards, or a word that only somebody who got out can have said: never the
 * opinion of the one who tried.
 */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { canFilter } from "./callFilter.ts"
import { PROXY_PORT } from "./forwarder.ts"
import { canKeepPrivate } from "./supervisorText.ts"

/** What was laid out, and what was seen outside when the call had ended. */
export interface Scene {
  readonly ws: string
  readonly outside: string
  readonly secret: string
  readonly home: string
  readonly mark: string
  readonly canary: string
  readonly network: boolean
  readonly canForbidMore: boolean
  /** Bytes that files in memory may take; undefined: no limit, or none that can be set. */
  readonly room: number | undefined
  readonly proxied: boolean
  readonly connections: () => number
  readonly isVictimAlive: () => boolean
  readonly livesWith: (word: string) => boolean
}

export interface Escape {
  readonly name: string
  readonly script: string
  /** Undefined: what it said. */
  readonly succeeded?: (scene: Scene) => boolean
  readonly applies?: (scene: Scene) => boolean
}

/** Said by an attempt that got what it wanted. */
export const WORD = "ESCAPED"
export const COMMON = ["/", "/etc", "/usr", "/var", "/opt", "/srv"]

const isIn = (...parts: ReadonlyArray<string>): boolean => existsSync(join(...parts))
const textOf = (...parts: ReadonlyArray<string>): string | undefined => {
  try {
    return readFileSync(join(...parts), "utf8")
  } catch {
    return undefined
  }
}

const closedNetwork = ({ network }: Scene): boolean => !network

/** Of the workspace's repository and of another in it, `nested`. */
export const ORIGINAL_CONFIG =
  "[core]\n\trepositoryformatversion = 0\n\thooksPath = githooks/run\n[include]\n\tpath = ../included/settings\n"

const files: ReadonlyArray<Escape> = [
  {
    name: "write_outside",
    script: `for d in "$HOME" ${COMMON.join(" ")} "$OUTSIDE"; do echo x > "$d/claw-$MARK"; done`,
    succeeded: ({ home, mark, outside }) => [...COMMON, home, outside].some((path) => isIn(path, `claw-${mark}`))
  },
  {
    name: "write_temporary_files_of_others",
    script: 'echo x > "/tmp/claw-$MARK"; echo x > "/var/tmp/claw-$MARK"',
    succeeded: ({ mark }) => isIn("/tmp", `claw-${mark}`) || isIn("/var/tmp", `claw-${mark}`)
  },
  {
    name: "write_through_a_link",
    script: 'ln -s "$OUTSIDE" link; echo x > link/through; cd link && echo x > relative',
    succeeded: ({ outside }) => isIn(outside, "through") || isIn(outside, "relative")
  },
  {
    name: "write_control_plane",
    script: "echo x >> .git/config; echo x > .git/hooks/pre-commit; rm -f .git/config; rm -rf .git/hooks",
    succeeded: ({ ws }) => isIn(ws, ".git/hooks/pre-commit") || textOf(ws, ".git/config") !== ORIGINAL_CONFIG
  },
  {
    name: "move_control_plane",
    script: "mv .git away; mkdir -p .git/hooks; echo x > .git/hooks/post-commit; echo ../away > .git/commondir",
    succeeded: ({ ws }) => isIn(ws, "away") || isIn(ws, ".git/hooks/post-commit") || isIn(ws, ".git/commondir")
  },
  {
    name: "write_missing_control_plane",
    script: "mkdir .claw; echo x > .claw/config.json; rmdir .claw && ln -s /tmp .claw; echo x > .clawrc",
    succeeded: ({ ws }) => [".claw/config.json", ".claw", ".clawrc"].some((name) => isIn(ws, name))
  },
  {
    name: "write_git_settings_elsewhere",
    script: `cd .git; rm -rf claw-calls *.lock; for f in commondir config.worktree config.lock; do echo x >> $f && echo ${WORD}; mv $f m && echo ${WORD}; done; cd ..; echo x > commondir && echo ${WORD}`,
    succeeded: ({ ws }) => isIn(ws, ".git/commondir") || isIn(ws, ".git/config.worktree") || isIn(ws, "commondir")
  },
  {
    name: "write_where_git_settings_lead",
    script:
      "mv githooks g; mv included i; mkdir -p githooks/run included; echo x > githooks/run/pre-commit; echo x > included/settings",
    succeeded: ({ ws }) => isIn(ws, "githooks/run/pre-commit") || textOf(ws, "included/settings") !== ""
  },
  {
    name: "write_nested_repository",
    script: "cd nested/.git; echo x >> config; echo x > hooks/pre-commit; echo x > commondir; mv config c",
    succeeded: ({ ws }) =>
      textOf(ws, "nested/.git/config") !== ORIGINAL_CONFIG ||
      isIn(ws, "nested/.git/hooks/pre-commit") ||
      isIn(ws, "nested/.git/commondir")
  },
  {
    name: "make_repository_that_runs_programs",
    script:
      "mkdir -p made/.git bare/objects bare/refs; printf '[core]\\n\\tfsmonitor = x\\n' | tee made/.git/config > bare/config; echo x > bare/HEAD",
    succeeded: ({ ws }) =>
      ["made/.git", "bare"].some((path) => textOf(ws, path, "config")?.includes("fsmonitor") !== false)
  },
  { name: "read_secret", script: 'cat "$SECRET"; cat "/proc/self/root$SECRET"; ln "$SECRET" hard && cat hard' },
  {
    name: "reach_docker",
    script: `for s in /run/docker.sock /var/run/docker.sock /run/podman/podman.sock; do [ -S "$s" ] && echo ${WORD}; done`
  }
]

const processes: ReadonlyArray<Escape> = [
  {
    name: "see_outside_process",
    script: `for f in /proc/[0-9]*/cmdline; do c=$(tr '\\0' ' ' < "$f"); [[ $c == *"$ODD"* ]] && echo ${WORD}; done`
  },
  {
    name: "kill_outside_process",
    script: 'kill -9 "$VICTIM"',
    succeeded: ({ isVictimAlive }) => !isVictimAlive()
  },
  {
    name: "read_environment_of_others",
    script: 'cat /proc/[0-9]*/environ; cat /proc/1/environ /proc/$PPID/environ "/proc/$VICTIM/environ"'
  },
  {
    name: "trace_supervisor",
    script: `readlink /proc/1/exe && echo ${WORD}; head -c 1 /proc/1/maps && echo ${WORD}; readlink /proc/1/fd/3 && echo ${WORD}`,
    applies: () => canKeepPrivate
  },
  { name: "enter_outside_root", script: 'cat "/proc/$VICTIM/root$SECRET"; cat "/proc/1/root$SECRET"' },
  {
    name: "outlive_the_call",
    script: '(setsid sleep "$ODD.1" > /dev/null 2>&1 &); (env -i setsid nohup sleep "$ODD.1" > /dev/null 2>&1 &)',
    succeeded: ({ livesWith, mark }) => livesWith(`${oddOf(mark)}.1`)
  },
  {
    name: "use_inherited_descriptor",
    script: `for f in /proc/$BASHPID/fd/*; do n=\${f##*/}; [ -e "$f" ] && [ "$n" -gt 2 ] && [ "$n" != 255 ] && echo ${WORD}; done`
  }
]

const kernel: ReadonlyArray<Escape> = [
  {
    name: "connect_to_loopback",
    script: 'exec 9<>"/dev/tcp/127.0.0.1/$PORT"',
    succeeded: ({ connections }) => connections() > 0,
    applies: closedNetwork
  },
  {
    name: "connect_to_abstract_socket",
    script: `perl -MSocket -e 'socket(my $s, AF_UNIX, SOCK_STREAM, 0); print "${WORD}" if connect($s, pack_sockaddr_un("\\0claw-$ENV{MARK}"))'`,
    applies: closedNetwork
  },
  {
    name: "reach_unlisted_host",
    script: `for to in "127.0.0.1:$PORT" "localhost:$PORT" "[::1]:$PORT" "0x7f000001:$PORT"; do exec 9<>/dev/tcp/127.0.0.1/${PROXY_PORT} && printf 'CONNECT %s HTTP/1.1\r\n\r\nx' "$to" >&9 && head -c 1 <&9 > /dev/null; done`,
    succeeded: ({ connections }) => connections() > 0,
    applies: ({ proxied }) => proxied
  },
  {
    name: "make_vsock_socket",
    script: `perl -e 'print "${WORD}" if socket(my $s, 40, 1, 0)'`,
    applies: () => canFilter
  },
  {
    name: "mount",
    script: `mount -t tmpfs none /mnt && echo ${WORD}; mount -o remount,rw,bind / && echo ${WORD}; umount .git/config && echo ${WORD}`
  },
  {
    name: "use_device",
    script: `mknod disk b 8 0 && echo ${WORD}; mknod memory c 1 1 && echo ${WORD}; for d in /dev/mem /dev/kmsg /dev/sda /dev/vda /dev/nvme0n1 /dev/kvm; do [ -e "$d" ] && echo ${WORD}; done`
  },
  {
    name: "change_kernel_settings",
    script: `p=/proc/sys/kernel/core_pattern; old=$(cat $p); echo "$old" > $p && echo ${WORD}; echo h > /proc/sysrq-trigger && echo ${WORD}`
  },
  {
    name: "gain_privileges",
    script: `for line in 'CapEff:\\s*0*' 'CapPrm:\\s*0*' 'CapBnd:\\s*0*' 'NoNewPrivs:\\s*1'; do grep -q "^$line$" /proc/self/status || echo ${WORD}; done`
  },
  {
    name: "make_user_namespace",
    script: `unshare -U true && echo ${WORD}`,
    applies: ({ canForbidMore }) => canForbidMore
  },
  {
    name: "write_without_limit",
    script: `[ "$(ulimit -c)" = 0 ] || echo ${WORD}; [ "$(ulimit -u)" = unlimited ] && echo ${WORD}`
  },
  {
    name: "fill_memory_with_files",
    script: `for d in /dev /dev/shm /tmp /var/tmp /run; do s=$(stat -f -c '%b %S' "$d"); (( \${s% *} * \${s#* } > ROOM )) && [ -w "$d" ] && echo x > "$d/claw-$MARK" && echo ${WORD}; done`,
    applies: ({ room }) => room !== undefined
  }
]

export const ESCAPES: ReadonlyArray<Escape> = [...files, ...processes, ...kernel]

/** A number of seconds that nobody else sleeps. */
export const oddOf = (mark: string): string => `6${mark.replace(/\D/g, "").slice(-6).padStart(6, "1")}`
