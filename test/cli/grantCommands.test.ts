/** `/grants` and `/revoke` at the prompt: words, not matchers, and one grant at a time (R156). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { coverOf } from "../../src/cli/GrantWords.ts"
import { runSlash } from "../../src/cli/SlashCommands.ts"
import type { Grant } from "../../src/domain/Approval.ts"
import type { Matcher } from "../../src/domain/Matcher.ts"
import type { GrantId } from "../../src/domain/Ids.ts"
import { grant } from "../support/decisions.ts"
import { fakeSession } from "../support/fakeSession.ts"

const session = (all: ReadonlyArray<Grant>, taken: Array<string> = []) => ({
  ...fakeSession().runtime,
  grants: Effect.succeed(all),
  revoke: (id: GrantId, by?: string) => Effect.sync(() => taken.push(`${id} by ${by}`) > 0 && !id.includes("gone"))
})
const around = (locale: "en" | "zh-CN") => ({
  locale,
  tools: [],
  sessions: Effect.succeed([]),
  open: () => Effect.die("unused")
})
const typed = (of: ReturnType<typeof session>, name: string, argument = "", locale: "en" | "zh-CN" = "en") =>
  Effect.map(runSlash(of, name, argument, around(locale)), ({ lines }) => lines)

describe("/grants and /revoke", () => {
  it.effect("tells what is granted, until when and by whom", () =>
    Effect.gen(function* () {
      const { content: _, ...unbound } = grant("grant_1")
      const of = session([unbound])
      assert.deepStrictEqual(yield* typed(of, "grants"), [
        "grant_1  commands that begin with npm test (until 1970-01-01 08:00 UTC, by ada)",
        "/revoke ID takes one back"
      ])
      assert.include((yield* typed(of, "grants", "", "zh-CN"))[0], "以 npm test 开头的命令")
      assert.deepStrictEqual(yield* typed(session([]), "grants"), ["nothing is granted in this session"])
    })
  )

  it.effect("takes back the one that the id, or its end, names", () =>
    Effect.gen(function* () {
      const taken: Array<string> = []
      const of = session([grant("grant_a1"), grant("grant_a2"), grant("grant_gone")], taken)
      assert.deepStrictEqual(yield* typed(of, "revoke", "a1"), ["taken back: commands that begin with npm test"])
      assert.deepStrictEqual(taken, ["grant_a1 by terminal"])
      assert.deepStrictEqual((yield* typed(session([grant("x1"), grant("y1")]), "revoke", "1")).length, 3)
      assert.deepStrictEqual(yield* typed(of, "revoke"), ["/revoke ID; /grants lists them"])
      for (const id of ["none", "gone"])
        assert.strictEqual((yield* Effect.flip(runSlash(of, "revoke", id, around("en")))).code, "grant_not_found")
    })
  )

  it.each([
    [{ kind: "exact", digest: "d" }, "npm test\n\u001b[2J", "exactly this bash call: npm test⏎\\x1b[2J"],
    [{ kind: "exact", digest: "d" }, undefined, "exactly this bash call"],
    [
      { kind: "command", argv: ["git", "commit", "-m", "it's"] },
      undefined,
      "commands that begin with git commit -m 'it'\\''s'"
    ],
    [{ kind: "path", glob: "src/**" }, undefined, "every bash of src/**"]
  ] as ReadonlyArray<readonly [Matcher, string | undefined, string]>)(
    "%j is said as a sentence of one line",
    (matcher, shown, sentence) => {
      const given = grant("g", { matcher, ...(shown === undefined ? {} : { shown }) })
      assert.strictEqual(coverOf(given, "en"), sentence)
    }
  )
})
