/**
 * One call's isolation: what it sees, put together from the machine as it is now, and taken down with it.
 * Owns: the order of making and undoing. Does not own: whether there is isolation (Bubblewrap), the lists.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import type { IsolationSettings } from "../Isolation.ts"
import { ProcessError, type Enclosed } from "../ProcessRunner.ts"
import { guardedPaths, undoer } from "./guardedPaths.ts"
import { controlSockets, hiddenPaths } from "./hiddenPaths.ts"
import { mountArguments, type View } from "./mounts.ts"
import { limitProcesses } from "./processGroup.ts"
import { standIn } from "./standIns.ts"
import { aroundProgram, type Programs } from "./supervisor.ts"

export interface Enclosing {
  readonly programs: Programs
  readonly canForbidMore: boolean
  readonly settings: IsolationSettings
  readonly home: string | undefined
  /** Claw's own directories and files. */
  readonly own: ReadonlyArray<string>
  readonly empty: View["empty"]
}

/** Nothing, as a file and as a directory, to lay over what is hidden. */
export const makeEmpty = Effect.acquireRelease(
  Effect.sync(() => {
    const place = mkdtempSync(join(tmpdir(), "claw-empty-"))
    const [file, directory] = [join(place, "file"), join(place, "directory")]
    writeFileSync(file, "", { mode: 0o444 })
    mkdirSync(directory, { mode: 0o555 })
    return { place, file, directory }
  }),
  ({ place }) => Effect.sync(() => rmSync(place, { recursive: true, force: true }))
)

/** Programs of a system that keeps them there; names of hosts where the network is allowed. No socket. */
const PROGRAMS = ["/run/current-system", "/run/booted-system", "/run/opengl-driver", "/run/wrappers"]
const NAMES = ["systemd/resolve/stub-resolv.conf", "systemd/resolve/resolv.conf", "resolvconf/resolv.conf"]
const ofRun = (network: boolean): ReadonlyArray<string> =>
  network ? [...PROGRAMS, ...NAMES.map((name) => `/run/${name}`)] : PROGRAMS

const realOf = (path: string): ReadonlyArray<string> => (existsSync(path) ? [realpathSync.native(path)] : [])

/** They are the kernel's, and stay as long as it runs. */
let foundKernelFiles: ReadonlySet<string> | undefined
const kernelFiles = (): ReadonlySet<string> =>
  (foundKernelFiles ??= new Set(
    readdirSync("/proc")
      .filter((name) => !/^\d/.test(name))
      .map((name) => `/proc/${name}`)
  ))

/** One may be a link to another. */
const emptied = (): ReadonlyArray<string> => Array.from(new Set(["/tmp", "/var/tmp", "/run"].flatMap(realOf)))

const viewOf = ({ empty, home, own, settings }: Enclosing, root: string): View => ({
  root,
  hidden: hiddenPaths(home, own),
  guarded: guardedPaths(root),
  read: settings.read.flatMap(realOf),
  write: settings.write.flatMap(realOf),
  sockets: controlSockets(home),
  empty,
  kernelFiles: kernelFiles(),
  emptied: emptied(),
  ofRun: ofRun(settings.network)
})

const build = (enclosing: Enclosing, argv: ReadonlyArray<string>, cwd: string): Enclosed => {
  const root = realpathSync.native(cwd)
  if (root === "/") throw new Error("the whole file system is no workspace to keep a command in")
  const view = viewOf(enclosing, root)
  const undo = undoer(root)
  const remove = standIn(view.guarded.filter(({ how }) => how === "absent").map(({ path }) => path))
  const group = limitProcesses(enclosing.settings)
  return {
    argv: aroundProgram({ ...enclosing, mounts: mountArguments(view), cwd: root }, argv),
    supervised: true,
    admit: group.admit,
    end: Effect.sync(() => {
      remove()
      undo()
      group.remove()
    })
  }
}

export const enclose = (
  enclosing: Enclosing,
  argv: ReadonlyArray<string>,
  cwd: string
): Effect.Effect<Enclosed, ProcessError> =>
  Effect.try({
    try: () => build(enclosing, argv, cwd),
    catch: (cause) =>
      new ProcessError({
        reason: "not_isolated",
        detail: `The command was not started, for it could not be isolated: ${cause instanceof Error ? cause.message : "unknown"}.`
      })
  })
