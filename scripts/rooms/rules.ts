/**
 * The judgement: facts of a file against the law. Owns: every rule and its sentence. Reads no disk.
 * Invariant: a violation names file, line, rule and why, so that it can be mended without opening this file.
 */
import { posix } from "node:path"
import type { Facts, Use } from "./facts.ts"
import * as law from "./law.ts"

export interface Violation {
  readonly file: string
  readonly line: number
  readonly rule: string
  readonly why: string
}

export interface SourceFile {
  /** Relative to the repository, with `/`. */
  readonly path: string
  readonly facts: Facts
}

interface Place {
  readonly room: string
  /** The sub-folder below the room; absent: the room itself. */
  readonly driver?: string
  readonly file: string
}

/** Where a path under src/ stands; `undefined` for a file directly under src/ that is not the entry. */
export const placeOf = (path: string): Place | undefined => {
  if (path === law.entry) return { room: "app", file: "index.ts" }
  const parts = path.split("/").slice(1)
  const file = parts.at(-1) ?? ""
  const room = parts[0]
  if (room === undefined || parts.length < 2) return undefined
  const whole = parts.length === 2 || room in law.programs
  return whole ? { room, file } : { room, driver: parts[1] ?? "", file }
}

const isDoor = (place: Place): boolean => /^[A-Z]/.test(place.file)
const isSource = (path: string): boolean => path.startsWith("src/")
const isTest = (path: string): boolean => path.startsWith("test/")
const within = (path: string, places: ReadonlyArray<string>): boolean =>
  places.some((place) => path.startsWith(`src/${place}`))

const foreign = (path: string, room: string, name: string): { rule: string; why: string } | undefined => {
  if (law.browserRooms.includes(room) && name.startsWith("node:")) {
    return { rule: "package", why: `${room} also runs in a browser and cannot import ${name}` }
  }
  const own = law.programs[room]
  if (own !== undefined && !own.some((known) => name === known || name.startsWith(`${known}/`))) {
    return { rule: "package", why: `${room} imports ${own.join(", ")} and no other package` }
  }
  const row = law.packages.find((p) => name === p.name || name.startsWith(`${p.name}/`))
  if (row === undefined || within(path, row.at)) return undefined
  return { rule: "package", why: `${row.name} may be imported in ${row.at.join(", ")}: ${row.why}` }
}

const sameDriver = (a: Place, b: Place): boolean => a.room === b.room && a.driver === b.driver

const throughDoor = (from: Place, to: Place): { rule: string; why: string } | undefined => {
  if (to.driver !== undefined && from.room !== "app") {
    return { rule: "driver", why: `${to.room}/${to.driver} is a driver: only app and tests import it` }
  }
  if (from.room !== to.room && !isDoor(to)) {
    return { rule: "door", why: `${to.file} is private to ${to.room} (camelCase); import one of its PascalCase files` }
  }
  return undefined
}

const direction = (from: Place, to: Place, target: string): { rule: string; why: string } | undefined => {
  if (from.room === to.room) return undefined
  const row = law.rooms[from.room] ?? []
  if (row.includes(to.room)) return undefined
  const extra = from.driver === undefined ? [] : (law.driverDoors[from.room] ?? [])
  if (extra.includes(target.slice("src/".length))) return undefined
  const allowed = [...row, ...extra].join(", ") || "nothing but itself"
  return { rule: "direction", why: `${from.room} may not import ${to.room}; its row allows ${allowed}` }
}

const judgeImport = (path: string, from: Place, specifier: string): { rule: string; why: string } | undefined => {
  if (!specifier.startsWith(".")) return foreign(path, from.room, specifier)
  const target = posix.normalize(posix.join(posix.dirname(path), specifier))
  if (!isSource(target)) return { rule: "direction", why: `${target} is outside src/, and src/ stands alone` }
  if (target === law.entry) return { rule: "direction", why: `${law.entry} is for other programs; import the door` }
  const to = placeOf(target)
  if (to === undefined) return { rule: "room", why: `${target} stands in no room` }
  if (sameDriver(from, to)) return undefined
  // A driver may use its own room's files; the reverse would make the room depend on one implementation.
  if (from.room === to.room && from.driver !== undefined && to.driver === undefined) return undefined
  return direction(from, to, target) ?? throughDoor(from, to)
}

const importRules = ({ path, facts }: SourceFile, from: Place): ReadonlyArray<Violation> =>
  facts.imports.flatMap(({ specifier, line }) => {
    const found = judgeImport(path, from, specifier)
    return found === undefined ? [] : [{ file: path, line, ...found }]
  })

const placeRules = ({ path }: SourceFile, place: Place | undefined): ReadonlyArray<Violation> => {
  const at = (rule: string, why: string): Violation => ({ file: path, line: 1, rule, why })
  if (place === undefined) return [at("room", `a file directly under src/ stands in no room (only ${law.entry} may)`)]
  if (!(place.room in law.rooms)) return [at("room", `${place.room} is not a room of DESIGN §3`)]
  const nameless = path
    .split("/")
    .map((part) => part.replace(/\..*$/, "").toLowerCase())
    .find((part) => law.namelessNames.includes(part))
  return nameless === undefined
    ? []
    : [at("name", `"${nameless}" names nothing: put it beside its user, or name the concept`)]
}

const barrelRules = ({ path, facts }: SourceFile): ReadonlyArray<Violation> => {
  if (path === law.entry) return []
  const first = facts.reexports[0]
  if (/\/index\.[cm]?[jt]sx?$/.test(path)) {
    return [{ file: path, line: 1, rule: "barrel", why: `only ${law.entry} may be an index` }]
  }
  if (first === undefined) return []
  const star = facts.reexports.find((r) => r.star)
  if (!facts.onlyReexports && star === undefined) return []
  return [{ file: path, line: (star ?? first).line, rule: "barrel", why: `only ${law.entry} may hand on other files` }]
}

const useWhy: Readonly<Record<Exclude<Use["kind"], "detached">, string>> = {
  run: "effects are run in app only; elsewhere return the effect",
  env: "only config reads the environment; take a setting from AppConfig",
  console: "only cli and app print; report an event or log",
  stdio: "only cli and app own the terminal (R008, R010)",
  stderr: "only cli, app and the log layer write to stderr"
}

const useRules = ({ path, facts }: SourceFile): ReadonlyArray<Violation> =>
  facts.uses.flatMap(({ kind, text, line }) => {
    if (kind === "detached") {
      const listed = path in law.detachedForks
      return listed
        ? []
        : [{ file: path, line, rule: "detached", why: `${text}: every fork names its scope (forkIn, forkScoped)` }]
    }
    return within(path, law.places[kind]) ? [] : [{ file: path, line, rule: kind, why: `${text}: ${useWhy[kind]}` }]
  })

const isContract = (place: Place, facts: Facts): boolean =>
  place.driver === undefined && isDoor(place) && facts.service && !facts.layerLogic

const fileLimit = (path: string, facts: Facts): { readonly what: string; readonly limit: number } => {
  if (isTest(path)) return { what: "a test file", limit: law.limits.test }
  if (!isSource(path)) return { what: "a script", limit: law.limits.script }
  if (path.endsWith(".tsx")) return { what: "a component", limit: law.limits.component }
  const place = placeOf(path)
  return place !== undefined && isContract(place, facts)
    ? { what: "a contract", limit: law.limits.contract }
    : { what: "a source file", limit: law.limits.source }
}

const sizeRules = ({ path, facts }: SourceFile): ReadonlyArray<Violation> => {
  const { what, limit } = fileLimit(path, facts)
  const file: ReadonlyArray<Violation> =
    facts.lines > limit
      ? [
          {
            file: path,
            line: limit + 1,
            rule: "size",
            why: `${facts.lines} lines; ${what} has at most ${limit}: split by subject`
          }
        ]
      : []
  // `describe` blocks are functions only by syntax: a test file is measured as a whole.
  if (isTest(path)) return file
  const functions = facts.functions.flatMap(({ name, line, lines, generator }) => {
    const max = generator ? law.limits.generator : law.limits.function
    const kind = generator ? "a generator's body" : "a function"
    return lines > max
      ? [{ file: path, line, rule: "size", why: `${name}: ${lines} lines; ${kind} has at most ${max}` }]
      : []
  })
  return [...file, ...functions]
}

const testRules = ({ path, facts }: SourceFile): ReadonlyArray<Violation> =>
  facts.uses.flatMap(({ kind, text, line }) => {
    if (kind === "run" && path.endsWith(".test.ts")) {
      return [{ file: path, line, rule: "run", why: `${text}: a test returns its effect to it.effect or it.live` }]
    }
    return kind === "detached" ? [{ file: path, line, rule: "detached", why: `${text}: name the scope` }] : []
  })

/** Everything wrong with one file. */
export const judge = (file: SourceFile): ReadonlyArray<Violation> => {
  const syntax = file.facts.syntaxErrors.map((why) => ({ file: file.path, line: 1, rule: "syntax", why }))
  if (!isSource(file.path)) {
    return [...syntax, ...sizeRules(file), ...(isTest(file.path) ? testRules(file) : [])]
  }
  const place = placeOf(file.path)
  return [
    ...syntax,
    ...placeRules(file, place),
    ...(place === undefined ? [] : importRules(file, place)),
    ...barrelRules(file),
    ...useRules(file),
    ...sizeRules(file)
  ]
}
