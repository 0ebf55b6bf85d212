/** Points of a kill exist for tests alone (issue 5): nothing that claw reads can make anybody look at them. */
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { list } from "../../scripts/kills/mutants.ts"
import * as Points from "../../src/observability/Points.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

it("no source of claw looks at its own points, and the package does not export them", () => {
  const paths = readdirSync(`${root}/src`, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".ts"))
  const texts = paths.map((path) => [path, readFileSync(`${root}/src/${path}`, "utf8")] as const)
  const users = texts.filter(([, text]) => text.includes('observability/Points.ts"'))
  assert.isAbove(users.length, 10)
  // By this one name, so that the next line finds every use.
  const named = users.filter(([, text]) => !/import \* as Points from "[./]+observability\/Points\.ts"/.test(text))
  const looking = users.filter(([, text]) => text.includes("Points.watch"))
  assert.deepStrictEqual([named, looking], [[], []])
  assert.isFalse(texts.some(([path, text]) => path === "index.ts" && text.includes("Points")))
})

it.effect("where nobody looks, no name is made", () =>
  Effect.gen(function* () {
    const name = () => assert.fail("a name was made")
    assert.strictEqual(yield* Points.around(name, Effect.succeed(1)), 1)
    assert.isFalse(Points.isWatched())
  })
)

it.effect("somebody who looks sees before and, only where it succeeded, after", () =>
  Effect.gen(function* () {
    const seen: Array<string> = []
    Points.watch((point) => void seen.push(point))
    yield* Points.around(() => "a", Effect.void)
    yield* Effect.ignore(Points.around(() => "b", Effect.fail("no")))
    yield* Points.at("c")
    Points.watch(undefined)
    Points.reach("d")
    assert.deepStrictEqual(seen, ["a before", "a after", "b before", "c"])
  })
)

it.each(list.map(({ file, from, guard }) => [guard, file, from] as const))(
  "the guard still stands: %s",
  (_guard, file, from) => {
    assert.strictEqual(readFileSync(`${root}/${file}`, "utf8").split(from).length, 2)
  }
)
