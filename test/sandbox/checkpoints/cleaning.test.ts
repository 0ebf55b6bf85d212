/** Old checkpoints go, those that somebody may still need stay (issue 5: garbage collection). */
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeBlobs } from "../../../src/sandbox/checkpoints/blobs.ts"
import { cleanNow, KEPT_MS } from "../../../src/sandbox/checkpoints/cleaning.ts"
import { DEFAULT_LIMITS } from "../../../src/sandbox/checkpoints/GitCheckpoints.ts"
import { layOut } from "../../../src/sandbox/checkpoints/layout.ts"
import { type Scene, scene, treeOf, undo } from "../../support/checkpointKit.ts"

/** What is on disk, as the service of this session has it. */
const keptBy = ({ base, root }: Scene) => {
  const layout = layOut(base, root, "session")
  const blobs = makeBlobs(layout.objects)
  const room = { layout, place: { store: layout.store, path: process.env["PATH"] ?? "" }, time_ms: 20_000 }
  return {
    base,
    layout,
    blobs,
    limits: DEFAULT_LIMITS,
    scanner: { room, blobs, limits: DEFAULT_LIMITS, modes: new Map() }
  }
}

const objectsIn = (objects: string) =>
  readdirSync(objects).flatMap((folder) =>
    readdirSync(join(objects, folder)).map((name) => join(objects, folder, name))
  )

const makeOld = (...paths: ReadonlyArray<string>) => {
  const then = new Date(Date.now() - KEPT_MS - 1000)
  for (const path of paths) utimesSync(path, then, then)
}

it.live("contents that are old and that no index holds", () =>
  Effect.gen(function* () {
    const own = yield* scene()
    const kept = keptBy(own)
    own.write("a", "first")
    own.write("b", "still there", 0o644)
    yield* own.call(() => own.write("a", "second"))
    const fresh = yield* own.call(() => own.write("a", "third", 0o644))
    makeOld(...objectsIn(kept.layout.objects))
    const latest = yield* own.call(() => own.remove("b"))
    // "first" and the two older steps; what the newest step needs, and what the index holds, stays.
    assert.isAbove(yield* cleanNow(kept), 0)
    assert.deepStrictEqual((yield* undo(own, [latest])).kept, [])
    assert.deepStrictEqual(treeOf(own.root), { a: "644 third", b: "644 still there" })
    const gone = yield* Effect.flip(undo(own, [fresh]))
    assert.match(gone.message, /not kept any more/)
  }).pipe(Effect.scoped)
)

it.live("workspaces and sessions that were not used for as long", () =>
  Effect.gen(function* () {
    const own = yield* scene()
    const kept = keptBy(own)
    own.write("a", "a")
    yield* own.call(() => own.write("a", "b"))
    const [other, session] = [join(own.base, "other"), join(kept.layout.store, "sessions", "older")]
    for (const path of [other, session]) mkdirSync(path)
    writeFileSync(join(other, "used"), "")
    writeFileSync(join(session, "modes.json"), "[]")
    makeOld(join(other, "used"), join(session, "modes.json"), session)
    yield* cleanNow(kept)
    assert.deepStrictEqual([existsSync(other), existsSync(session), existsSync(kept.layout.own)], [false, false, true])
  }).pipe(Effect.scoped)
)
