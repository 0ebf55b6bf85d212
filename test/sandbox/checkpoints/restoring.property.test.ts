/**
 * Random changes of a tool and of a person, one after the other (issue 5). Undo puts back exactly the tool's part, redo
 * gives it back, and nothing that the person did last is lost; whatever is left alone is named.
 */
import { chmodSync, lstatSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { redo, type Scene, scene, treeOf, undo } from "../../support/checkpointKit.ts"

const paths = ["a", "b", "d", "d/x", "d/y", "d/e/z", "f/g", "caf\u00e9"] as const

const change = fc.record({
  path: fc.constantFrom(...paths),
  what: fc.constantFrom("write", "write", "delete", "link", "mode"),
  value: fc.nat(3)
})
const turn = fc.record({ who: fc.constantFrom("tool", "person"), changes: fc.array(change, { maxLength: 4 }) })
const history = fc.record({
  start: fc.array(change, { maxLength: 8 }),
  turns: fc.array(turn, { minLength: 1, maxLength: 6 })
})

type Change = typeof change extends fc.Arbitrary<infer A> ? A : never
interface History {
  readonly start: ReadonlyArray<Change>
  readonly turns: ReadonlyArray<{ readonly who: string; readonly changes: ReadonlyArray<Change> }>
}

const isThere = (path: string) => lstatSync(path, { throwIfNoEntry: false })

/** Makes room as a person would: a file on the way goes, a directory in its place, too. */
const clear = ({ root, at }: Scene, path: string) => {
  const names = path.split("/").slice(0, -1)
  names.forEach((_, i) => {
    const parent = at(names.slice(0, i + 1).join("/"))
    if (isThere(parent)?.isDirectory() === false) rmSync(parent)
  })
  if (dirname(at(path)) !== root) mkdirSync(dirname(at(path)), { recursive: true })
  rmSync(at(path), { recursive: true, force: true })
}

let fresh = 0
const apply = (own: Scene, who: string, { path, what, value }: Change) => {
  const place = own.at(path)
  const found = ((): ReturnType<typeof isThere> => {
    try {
      return isThere(place)
    } catch {
      return undefined
    }
  })()
  if (what === "mode") {
    if (found?.isFile() === true) chmodSync(place, value % 2 === 0 ? 0o755 : 0o644)
    return
  }
  if (what === "delete") {
    if (found !== undefined) rmSync(place, { recursive: true })
    return
  }
  clear(own, path)
  const text = value === 0 ? "the same" : `${who} ${(fresh += 1)}`
  if (what === "link") symlinkSync(text, place)
  else writeFileSync(place, text, { mode: 0o644 })
}

interface Seen {
  readonly touchedBy: (who: string) => ReadonlySet<string>
  readonly first: ReadonlyMap<string, string | undefined>
  readonly last: ReadonlyMap<string, string>
  /** Which parts of a path the tool ever changed. */
  readonly parts: ReadonlyMap<string, ReadonlySet<number>>
}

type Tree = Readonly<Record<string, string>>
const differing = (a: Tree, b: Tree) =>
  Array.from(new Set([...Object.keys(a), ...Object.keys(b)])).filter((path) => a[path] !== b[path])

const play = Effect.fnUntraced(function* (own: Scene, turns: History["turns"]) {
  const touched = { tool: new Set<string>(), person: new Set<string>() }
  const first = new Map<string, string | undefined>()
  const last = new Map<string, string>()
  const parts = new Map<string, Set<number>>()
  const steps: Array<Effect.Success<ReturnType<Scene["call"]>>> = []
  for (const { who, changes } of turns) {
    const before = treeOf(own.root)
    const act = () => changes.forEach((one) => apply(own, who, one))
    if (who === "tool") steps.push(yield* own.call(act))
    else act()
    const after = treeOf(own.root)
    for (const path of differing(before, after)) {
      touched[who as "tool"].add(path)
      last.set(path, who)
      if (who !== "tool") continue
      if (!first.has(path)) first.set(path, before[path])
      parts.set(path, new Set([...(parts.get(path) ?? []), ...merged(before, after, path)]))
    }
  }
  const seen: Seen = { touchedBy: (who) => touched[who as "tool"], first, last, parts }
  return { steps, seen }
})

/** Permissions, and all else: they are merged apart. */
const partsOf = (entry: string | undefined): ReadonlyArray<string | undefined> =>
  entry === undefined ? [undefined, undefined] : [/^\d+ /.exec(entry)?.[0], entry.replace(/^\d+ /, "")]

const merged = (before: Tree, after: Tree, path: string): ReadonlyArray<number> => {
  const [was, is] = [partsOf(before[path]), partsOf(after[path])]
  return [0, 1].filter((part) => was[part] !== is[part])
}

/** Permissions of the one and content of the other are merged. */
const contentOf = (entry: string | undefined) => entry?.replace(/^\S+ /, "")

const judge = (became: Tree, undone: Tree, { touchedBy, first, last, parts }: Seen, kept: ReadonlySet<string>) => {
  for (const path of new Set([...Object.keys(became), ...Object.keys(undone), ...first.keys()])) {
    const [now, then] = [undone[path], became[path]]
    if (!touchedBy("tool").has(path)) assert.strictEqual(now, then, `${path}: not the tool's`)
    else if (!touchedBy("person").has(path) && !kept.has(path))
      assert.strictEqual(now, first.get(path), `${path}: the tool's`)
    else if (now !== then) assert.strictEqual(contentOf(now), contentOf(first.get(path)), `${path}: somewhere between`)
    if (last.get(path) === "person" && now !== then)
      assert.strictEqual(contentOf(now), contentOf(first.get(path)), `${path}: the person's`)
    // The person may have taken the tool's part back already.
    const isLeft = Array.from(parts.get(path) ?? []).some(
      (part) => partsOf(now)[part] !== partsOf(first.get(path))[part]
    )
    if (now === then && isLeft) assert.isTrue(kept.has(path), `${path}: not named`)
  }
}

const one = Effect.fnUntraced(function* ({ start, turns }: History) {
  const own = yield* scene()
  start.forEach((change_) => apply(own, "start", change_))
  const { steps, seen } = yield* play(own, turns)
  const became = treeOf(own.root)
  const done = yield* undo(own, steps)
  const undone = treeOf(own.root)
  const kept = new Set(done.kept.map(({ path }) => Buffer.from(path, "utf8").toString("latin1")))
  judge(became, undone, seen, kept)
  if (kept.size === 0) for (const path of differing(became, undone)) assert.isTrue(seen.touchedBy("tool").has(path))
  const again = yield* redo(own, done.plan)
  assert.deepStrictEqual([treeOf(own.root), again.kept], [became, []])
})

const RUNS = 25

/** The tool changed the mode, and the person put a file of the old one in its place. */
const TAKEN_BACK = {
  start: [{ path: "a", what: "write", value: 0 }],
  turns: [
    { who: "tool", changes: [{ path: "a", what: "mode", value: 0 }] },
    { who: "person", changes: [{ path: "a", what: "write", value: 1 }] }
  ]
} as const

it.live(
  "undo is the tool's part, redo is all of it, the person's stays",
  () =>
    Effect.forEach(
      [
        TAKEN_BACK,
        ...fc.sample(history, { numRuns: RUNS, seed: fc.readConfigureGlobal().seed ?? Date.now() % 1_000_000 })
      ],
      (given) => {
        const told = Effect.tapCause(Effect.scoped(one(given)), () => Effect.logError(JSON.stringify(given)))
        return told
      },
      { discard: true }
    ),
  120_000
)
