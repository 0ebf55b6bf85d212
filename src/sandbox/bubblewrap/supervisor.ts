/**
 * The first process inside: it starts the program in a session of its own, says how it ended, collects orphans, and
 * stays until nobody is left, so that what is left gets its TERM and its grace before the kernel ends it all.
 * Owns: the command line from bubblewrap to the program, and finding the four programs that it takes. Does not own: what
 * the first process does (supervisorText).
 */
import { accessSync, constants, statSync } from "node:fs"
import { isAbsolute, join } from "node:path"
import type { IsolationSettings } from "../Isolation.ts"
import { PROXY_PORT } from "./forwarder.ts"
import { supervisor } from "./supervisorText.ts"

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
  /** Directories in memory that count with the call's own, where nothing but the supervisor bounds it. */
  readonly watched: ReadonlyArray<string> | undefined
  /** Where the socket of the proxy is, inside. */
  readonly proxy: string | undefined
}

/** A directory that they name is not there, or cannot be written: /tmp can. */
const PRIVATE_TMP = ["TMPDIR", "TEMP", "TMP"].flatMap((name) => ["--unsetenv", name])

/** What programs look for; `NODE_USE_ENV_PROXY` makes Node's own fetch one of them. */
const BY_PROXY = [
  ...["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"].flatMap((name) => [
    "--setenv",
    name,
    `http://127.0.0.1:${PROXY_PORT}`
  ]),
  ...["no_proxy", "NO_PROXY"].flatMap((name) => ["--setenv", name, ""]),
  "--setenv",
  "NODE_USE_ENV_PROXY",
  "1"
]

export const aroundProgram = (around: Around, argv: ReadonlyArray<string>): ReadonlyArray<string> => {
  const { programs, settings } = around
  return [
    programs.bwrap,
    ...namespaces(settings, around.canForbidMore),
    ...around.mounts,
    ...PRIVATE_TMP,
    ...(around.proxy === undefined ? [] : BY_PROXY),
    ...(around.filtered ? ["--seccomp", "4"] : []),
    "--chdir",
    around.cwd,
    "--",
    programs.prlimit,
    ...limitArguments(settings),
    programs.perl,
    "-e",
    supervisor(settings, around.watched, around.proxy),
    programs.setsid,
    ...argv
  ]
}
