/**
 * Limits of a whole call where the kernel's own per process do not hold: a control group for its processes and its
 * memory, with what it puts into temporary files and shared memory (SECURITY T14). cgroup v1, or v2 where it is delegated.
 * Owns: where such a group can be made, making, filling and removing it. Invariants: never in a place that has more than
 * this process itself may use; where there is none nothing is done, and `memory` says that somebody has to watch.
 */
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync
} from "node:fs"
import { dirname, join } from "node:path"
import type { IsolationSettings } from "../Isolation.ts"
import { attempt } from "../look.ts"

/** Directories in which groups can be made; v2: one for both. */
export interface GroupPlaces {
  readonly version: 1 | 2
  readonly pids: string | undefined
  readonly memory: string | undefined
}

export interface Group {
  readonly admit: (pid: number) => void
  /** The kernel ended something of it for its memory. */
  readonly isOver: () => boolean
  readonly remove: () => void
}

const read = (...parts: ReadonlyArray<string>): string => attempt(() => readFileSync(join(...parts), "latin1")) ?? ""
const isWritable = (path: string): boolean => attempt(() => (accessSync(path, constants.W_OK), true)) === true
const isOpen = (place: string): boolean => isWritable(place) && isWritable(join(place, "cgroup.procs"))

/** `/proc/self/cgroup`: controllers (none: v2) → path. */
const ownPaths = (text: string): ReadonlyMap<string, string> =>
  new Map(
    text.split("\n").flatMap((line) => {
      const [, controllers = "", path = ""] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? []
      return path === "" ? [] : controllers.split(",").map((one): [string, string] => [one, path])
    })
  )

const isUnlimited = (place: string): boolean =>
  ["memory.max", "pids.max"].every((name) => ["", "max"].includes(read(place, name).trim()))

const controllersOf = (place: string): ReadonlyArray<string> => read(place, "cgroup.subtree_control").split(/\s+/)

/** A neighbour of our own group, or of one above: whoever is limited on the way would leave his limit. */
const delegated = (root: string, own: string): string | undefined => {
  const isPlace = (place: string) => controllersOf(place).some((one) => one === "memory" || one === "pids")
  for (let path = own; ; path = dirname(path)) {
    const place = join(root, path)
    if (isPlace(place)) return isOpen(place) ? place : undefined
    if (path === "/" || !isUnlimited(place)) return undefined
  }
}

const ofV1 = (root: string, controller: string, own: string | undefined): string | undefined =>
  [own === "/" ? "" : own, ""]
    .flatMap((path) => (path === undefined ? [] : [join(root, controller, path)]))
    .find(isOpen)

/** Looks once. */
export const findGroups = (root = "/sys/fs/cgroup", own = read("/proc/self/cgroup")): GroupPlaces | undefined => {
  const paths = ownPaths(own)
  if (existsSync(join(root, "cgroup.controllers"))) {
    const place = delegated(root, paths.get("") ?? "/")
    if (place === undefined) return undefined
    const has = (name: string) => (controllersOf(place).includes(name) ? place : undefined)
    return { version: 2, pids: has("pids"), memory: has("memory") }
  }
  const [pids, memory] = ["pids", "memory"].map((name) => ofV1(root, name, paths.get(name)))
  return pids === undefined && memory === undefined ? undefined : { version: 1, pids, memory }
}

const cleaned = new Set<string>()

/** Of claws that were killed. A group with anybody in it cannot be removed. */
const removeDead = (place: string): void => {
  if (cleaned.has(place)) return
  cleaned.add(place)
  for (const name of attempt(() => readdirSync(place)) ?? []) {
    const [, pid] = /^claw-(\d+)-\d+$/.exec(name) ?? []
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) attempt(() => rmdirSync(join(place, name)))
  }
}

const MEGABYTE = 1_048_576

/** File → value; a file that is not there limits nothing and is no failure, but for the first of each. */
const settingsOf = ({ version }: GroupPlaces, { memory_mb, processes }: IsolationSettings) => {
  const bytes = String(memory_mb * MEGABYTE)
  const [limit, ...more] =
    version === 2
      ? [["memory.max", bytes] as const, ["memory.swap.max", "0"] as const, ["memory.oom.group", "1"] as const]
      : [["memory.limit_in_bytes", bytes] as const, ["memory.memsw.limit_in_bytes", bytes] as const]
  return { pids: ["pids.max", String(processes)] as const, memory: limit, more }
}

let groups = 0

const made = (place: string, name: string, [file, value]: readonly [string, string]): string | undefined => {
  removeDead(place)
  const group = join(place, name)
  if (attempt(() => (mkdirSync(group, { recursive: true }), writeFileSync(join(group, file), value), true)) === true)
    return group
  attempt(() => rmdirSync(group))
  return undefined
}

/** `memory` false: nothing but who watches holds the call to its memory. */
export const makeGroup = (places: GroupPlaces | undefined, settings: IsolationSettings) => {
  if (places === undefined) return { memory: false, admit: () => {}, isOver: () => false, remove: () => {} }
  const name = `claw-${process.pid}-${groups++}`
  const { memory, more, pids } = settingsOf(places, settings)
  const ofPids = places.pids === undefined ? undefined : made(places.pids, name, pids)
  const isBound = places.memory !== undefined && settings.memory_mb > 0
  const ofMemory = isBound ? made(places.memory, name, memory) : undefined
  if (ofMemory !== undefined)
    for (const [file, value] of more) attempt(() => writeFileSync(join(ofMemory, file), value))
  const all = [...new Set([ofPids, ofMemory])].flatMap((group) => group ?? [])
  const events = places.version === 2 ? "memory.events" : "memory.oom_control"
  return {
    memory: ofMemory !== undefined,
    admit: (pid: number) => {
      for (const group of all) attempt(() => writeFileSync(join(group, "cgroup.procs"), String(pid)))
    },
    isOver: () => ofMemory !== undefined && /^oom_kill [1-9]/m.test(read(ofMemory, events)),
    remove: () => {
      for (const group of all) attempt(() => rmdirSync(group))
    }
  } satisfies Group & { readonly memory: boolean }
}
