/**
 * What a call sees of the file system, as bubblewrap's arguments. Pure.
 * The rule: the deeper path decides; of the same path, the row that is more the person's own (`Layer` from low to
 * high). Mounting from shallow to deep is that rule, for a mount covers what is below it and nothing above.
 */
import type { Hidden } from "./hiddenPaths.ts"

export interface Guarded {
  readonly path: string
  /**
   * `fixed`: may be written and not be moved away; `readonly`: as it is; `absent`: an empty directory stands there;
   * `covered`: what is there is seen as an empty directory.
   */
  readonly how: "fixed" | "readonly" | "absent" | "covered"
}

export interface View {
  readonly root: string
  readonly hidden: ReadonlyArray<Hidden>
  readonly guarded: ReadonlyArray<Guarded>
  readonly read: ReadonlyArray<string>
  readonly write: ReadonlyArray<string>
  readonly sockets: ReadonlyArray<string>
  readonly empty: { readonly file: string; readonly directory: string }
  /** Which of /proc there are, by path. */
  readonly kernelFiles: ReadonlySet<string>
  /** Directories that each call has for itself, empty, in memory. */
  readonly emptied: ReadonlyArray<string>
  /** The proxy's socket, outside and inside. */
  readonly proxy: readonly [outside: string, inside: string] | undefined
  /** Bytes that each of those may hold; undefined: as the kernel says. */
  readonly room: number | undefined
  /** Of /run, which is emptied for its sockets: what programs need of it. */
  readonly ofRun: ReadonlyArray<string>
}

interface Row {
  readonly path: string
  readonly layer: number
  readonly words: ReadonlyArray<string>
}

const depth = (path: string): number => path.split("/").filter((name) => name !== "").length

const row = (layer: number, path: string, ...words: ReadonlyArray<string>): Row => ({ path, layer, words })

const guardedRow = ({ how, path }: Guarded, view: View): Row => {
  if (how === "fixed") return row(3, path, "--bind", path, path)
  return row(3, path, "--ro-bind", how === "readonly" ? path : view.empty.directory, path)
}

/** Nobody has a reason to fill what is hidden; what is opened below it must find its place. */
const HIDDEN_BYTES = 1_048_576

const inMemory = (path: string, bytes: number | undefined): ReadonlyArray<string> => [
  ...(bytes === undefined ? [] : ["--size", String(bytes)]),
  "--tmpfs",
  path
]

const rows = (view: View): ReadonlyArray<Row> => [
  ...view.emptied.map((path) => row(0, path, ...inMemory(path, view.room))),
  ...view.ofRun.map((path) => row(0, path, "--ro-bind-try", path, path)),
  ...view.hidden.map(({ directory, path }) =>
    directory
      ? row(1, path, ...inMemory(path, view.room === undefined ? undefined : Math.min(view.room, HIDDEN_BYTES)))
      : row(1, path, "--ro-bind", view.empty.file, path)
  ),
  row(2, view.root, "--bind", view.root, view.root),
  ...view.guarded.map((guarded) => guardedRow(guarded, view)),
  ...(view.proxy === undefined ? [] : [row(6, view.proxy[1], "--ro-bind", ...view.proxy)]),
  ...view.read.map((path) => row(4, path, "--ro-bind-try", path, path)),
  ...view.write.map((path) => row(5, path, "--bind-try", path, path))
]

/** Sockets of `view.sockets` are closed wherever an opened path would show them. */
const closed = (view: View): ReadonlyArray<string> => {
  const shown = [view.root, ...view.read, ...view.write]
  const isShown = (socket: string) =>
    shown.some((path) => path === "/" || socket === path || socket.startsWith(`${path}/`))
  return view.sockets.filter(isShown).flatMap((socket) => ["--ro-bind", view.empty.file, socket])
}

/** The superuser of the machine stays the owner of these without any capability; `core_pattern` alone is a way out. */
const KERNEL = ["sys", "sysrq-trigger", "irq", "bus", "fs", "acpi", "scsi"].map((name) => `/proc/${name}`)
const KERNEL_MEMORY = ["kcore", "kmsg", "keys", "timer_list", "kpagecount", "kpageflags", "kpagecgroup"].map(
  (name) => `/proc/${name}`
)

const kernel = ({ empty, kernelFiles }: View): ReadonlyArray<string> => [
  ...KERNEL.flatMap((path) => ["--ro-bind-try", path, path]),
  ...KERNEL_MEMORY.flatMap((path) => (kernelFiles.has(path) ? ["--ro-bind", empty.file, path] : []))
]

const BASE = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
/** bubblewrap makes a file system in memory of /dev, without a limit. */
export const SHARED = "/dev/shm"

export const mountArguments = (view: View): ReadonlyArray<string> => [
  ...BASE,
  ...inMemory(SHARED, view.room),
  ...kernel(view),
  ...rows(view)
    .toSorted((a, b) => depth(a.path) - depth(b.path) || a.layer - b.layer)
    .flatMap(({ words }) => words),
  ...closed(view),
  "--remount-ro",
  "/dev"
]
