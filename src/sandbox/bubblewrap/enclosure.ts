/**
 * One call's isolation: what it sees, put together from the machine as it is now, and taken down with it.
 * Owns: the order of making and undoing. Does not own: whether there is isolation (Bubblewrap), the lists.
 */
import { existsSync, readdirSync, realpathSync } from "node:fs"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import type { IsolationSettings } from "../Isolation.ts"
import { ProcessError, type Enclosed, type Limit } from "../ProcessRunner.ts"
import { makeGroup, type GroupPlaces } from "./controlGroup.ts"
import { type Empty, lay } from "./empty.ts"
import { guardedPaths, type Plan } from "./guardedPaths.ts"
import { holdAll } from "./heldFiles.ts"
import { controlSockets, hiddenPaths } from "./hiddenPaths.ts"
import { attempt, identityOf, isWithin } from "../look.ts"
import { mountArguments, SHARED, type View } from "./mounts.ts"
import { lookAround, refuseUnnameable, type Around } from "./lookAround.ts"
import { limitsOf, replacedNotes } from "./notes.ts"
import { watchNew } from "./newlyLive.ts"
import { openProxy } from "./proxy.ts"
import type { Outside } from "./reach.ts"
import { standIn } from "./standIns.ts"
import { aroundProgram, type Programs } from "./supervisor.ts"

export interface Enclosing {
  readonly programs: Programs
  readonly canForbidMore: boolean
  /** bubblewrap can bound what it keeps in memory. */
  readonly canSize: boolean
  /** Undefined: no control group can be made, and a call's memory is watched. */
  readonly groups: GroupPlaces | undefined
  /** How listed hosts are reached. */
  readonly outside: Outside
  readonly settings: IsolationSettings
  readonly home: string | undefined
  /** Claw's own directories and files. */
  readonly own: ReadonlyArray<string>
  readonly empty: Empty
}

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

const MEGABYTE = 1_048_576

/** Bytes that a directory in memory may hold. */
export const roomOf = ({ canSize, settings }: Enclosing): number | undefined =>
  canSize && settings.memory_mb > 0 ? settings.memory_mb * MEGABYTE : undefined

/** Without network of its own, a call reaches what is listed. */
export const reachesListed = ({ hosts, network }: IsolationSettings): boolean => !network && hosts.length > 0

let proxies = 0

/** Where the proxy's socket is, outside and inside. */
const proxyPlace = ({ empty, settings }: Enclosing): View["proxy"] => {
  const [place = "/tmp"] = emptied().toReversed()
  return reachesListed(settings) ? [join(dirname(empty.file), `proxy-${proxies++}`), `${place}/claw-proxy`] : undefined
}

const viewOf = (enclosing: Enclosing, root: string, { guarded }: Plan, sockets: ReadonlyArray<string>): View => {
  const { empty, home, own, settings } = enclosing
  return {
    root,
    hidden: hiddenPaths(home, own),
    guarded,
    read: settings.read.flatMap(realOf),
    write: settings.write.flatMap(realOf),
    sockets: [...controlSockets(home), ...sockets],
    empty,
    kernelFiles: kernelFiles(),
    emptied: emptied(),
    room: roomOf(enclosing),
    proxy: proxyPlace(enclosing),
    ofRun: ofRun(settings.network)
  }
}

/** Throws where something cannot stand; then nothing does. */
const stand = ({ guarded, held }: Plan): (() => void) => {
  const release = holdAll(held)
  const absent = new Set(guarded.filter(({ how }) => how === "absent").map(({ path }) => path))
  try {
    const remove = standIn(Array.from(absent))
    return () => {
      remove()
      release()
    }
  } catch (error) {
    release()
    throw error
  }
}

/** What was replaced outside, where a mount lay over it. */
const replacements = (root: string, { guarded }: Plan): (() => ReadonlyArray<string>) => {
  const files = guarded.filter(({ how, path }) => how === "readonly" && isWithin(root, path)).map(({ path }) => path)
  const identities = new Map(files.map((path) => [path, identityOf(path)]))
  return () =>
    replacedNotes(
      files.filter((path) => identityOf(path) !== identities.get(path)).map((path) => path.slice(root.length + 1))
    )
}

/** Ends the call, whose leader this is, as soon as what it makes is live. */
const watchCall = (root: string, { known, others, repositories }: Around) => {
  let [stop, over]: [() => void, Limit | undefined] = [() => {}, undefined]
  return {
    begin: (leader: number) => {
      stop = watchNew({ root, before: [...repositories, ...others], known }, () => {
        over = "git_settings"
        attempt(() => process.kill(-leader, "SIGKILL"))
      })
    },
    stop: () => stop(),
    over: () => over
  }
}

const build = (enclosing: Enclosing, argv: ReadonlyArray<string>, cwd: string): Enclosed => {
  const { empty, home, own, settings } = enclosing
  lay(empty)
  const root = realpathSync.native(cwd)
  if (root === "/") throw new Error("the whole file system is no workspace to keep a command in")
  const around = lookAround(root, own[0])
  const { forget, repositories, review, sockets } = around
  try {
    const plan = guardedPaths({ root, home, write: settings.write.flatMap(realOf), repositories })
    refuseUnnameable([...plan.guarded.map(({ path }) => path), ...plan.held.flatMap(({ files }) => files), ...sockets])
    const remove = stand(plan)
    const replaced = replacements(root, plan)
    const watching = watchCall(root, around)
    const group = makeGroup(enclosing.groups, settings)
    const view = viewOf(enclosing, root, plan, sockets)
    const watched = group.memory || settings.memory_mb === 0 ? undefined : [...view.emptied, SHARED]
    const input = watched === undefined ? empty.filter : empty.watchedFilter
    const proxy = view.proxy === undefined ? undefined : openProxy(view.proxy[0], settings.hosts, enclosing.outside)
    const how = {
      ...enclosing,
      mounts: mountArguments(view),
      cwd: root,
      filtered: input !== undefined,
      watched,
      proxy: view.proxy?.[1]
    }
    return {
      argv: aroundProgram(how, argv),
      supervised: true,
      ...(input === undefined ? {} : { input }),
      admit: (pid) => {
        group.admit(pid)
        watching.begin(pid)
      },
      limits: limitsOf(settings),
      end: Effect.sync(() => {
        watching.stop()
        const over = watching.over() ?? (group.isOver() ? "memory_limit" : undefined)
        const visits = proxy === undefined ? {} : { visits: proxy.visits() }
        proxy?.close()
        const notes = [...replaced(), ...review()]
        remove()
        group.remove()
        return { notes, ...(over === undefined ? {} : { over }), ...visits }
      })
    }
  } catch (error) {
    forget()
    throw error
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
