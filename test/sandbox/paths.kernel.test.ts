/**
 * The walk of ours against the kernel, on random trees of links (R166, LESSONS 26): what is accepted is where an open
 * really lands, and whatever an open would reach or make outside is refused.
 */
import {
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { isInside, resolvePath } from "../../src/sandbox/resolvePath.ts"
import { directoryWith } from "../support/directories.ts"

const TREES = 300
const LOOKUPS = 12

const NAMES = ["a", "b", "c", "..", ".", "d"] as const
const name = fc.constantFrom("a", "b", "c", "d")
const steps = fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 6 })
/** Absolute ones begin at the workspace, beside it, or at the directory around both. */
const target = fc.record({ from: fc.constantFrom("", "", "", "ws", "outside", "."), steps })
const path = fc.array(name, { minLength: 1, maxLength: 3 })
const entry = fc.oneof(
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("directory" as const), path }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("file" as const), path }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("link" as const), path, target }) }
)
type Entry = typeof entry extends fc.Arbitrary<infer E> ? E : never

const textOf = (root: string, { from, steps: way }: typeof target extends fc.Arbitrary<infer T> ? T : never): string =>
  from === "" ? way.join("/") : join(root, from) + "/" + way.join("/")

const put = (root: string, base: string, one: Entry): void => {
  const at = join(base, ...one.path)
  try {
    mkdirSync(join(at, ".."), { recursive: true })
    // What a link on the way would put elsewhere is put there: only the root around both is fixed.
    if (!realpathSync.native(join(at, "..")).startsWith(root)) return
    if (one.kind === "directory") mkdirSync(at)
    else if (one.kind === "file") writeFileSync(at, "", { flag: "wx" })
    else symlinkSync(textOf(root, one.target), at)
  } catch {
    // Something is there already, or a link on the way leads nowhere.
  }
}

/** Where an open lands, and whether it made the file. */
const landing = (absolute: string): { readonly real: string; readonly made: boolean } | undefined => {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK
  for (const [more, made] of [[0, false] as const, [constants.O_CREAT, true] as const]) {
    try {
      const fd = openSync(absolute, flags | more, 0o600)
      const real = readlinkSync(`/proc/self/fd/${fd}`)
      closeSync(fd)
      if (made) rmSync(real)
      return { real, made }
    } catch {
      // Not there; then it is made.
    }
  }
  return undefined
}

const seen = { accepted: 0, outside: 0, made: 0 }

const compare = (ws: string, way: string): void => {
  const ours = resolvePath(ws, way)
  // `join` would take away what the kernel looks at.
  const kernel = landing(way.startsWith("/") ? way : `${ws}/${way}`)
  if ("why" in ours) {
    if (kernel !== undefined && !isInside(ws, kernel.real)) seen.outside += 1
    return
  }
  assert.isTrue(isInside(ws, ours.real), way)
  if (kernel === undefined) return
  assert.strictEqual(kernel.real, ours.real, way)
  seen.accepted += 1
  if (kernel.made) seen.made += 1
}

it.live(
  "what is accepted is where the kernel lands; what lands outside is refused",
  () =>
    Effect.gen(function* () {
      const around = realpathSync.native(yield* directoryWith())
      let tree = 0
      const lookups = fc.array(
        fc.oneof({ weight: 4, arbitrary: steps.map((way) => way.join("/")) }, { weight: 1, arbitrary: target }),
        {
          minLength: LOOKUPS,
          maxLength: LOOKUPS
        }
      )
      fc.assert(
        fc.property(fc.array(entry, { minLength: 4, maxLength: 24 }), lookups, (entries, ways) => {
          const root = join(around, String(tree++))
          const ws = join(root, "ws")
          for (const made of [ws, join(root, "outside", "a")]) mkdirSync(made, { recursive: true })
          entries.forEach((one, index) => put(root, index % 4 === 0 ? join(root, "outside") : ws, one))
          for (const way of ways) compare(ws, typeof way === "string" ? way : textOf(root, way))
          rmSync(root, { recursive: true, force: true })
        }),
        { numRuns: TREES }
      )
      // Otherwise nothing was compared.
      assert.isAbove(seen.accepted, TREES)
      assert.isAbove(seen.outside, TREES / 10)
      assert.isAbove(seen.made, TREES / 10)
    }),
  60_000
)
