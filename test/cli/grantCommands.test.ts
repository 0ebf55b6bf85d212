/** `/grants` and `/revoke` at the prompt: words, not matchers, and one grant at a time (R156). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { complete } from "../../src/cli/completion.ts"
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
        "1. grant_1  commands that begin with npm test (until 1970-01-01 08:00 UTC, by ada)",
        "/revoke NUMBER or /revoke ID takes one back"
      ])
      assert.include((yield* typed(of, "grants", "", "zh-CN"))[0], "以 npm test 开头的命令")
      assert.deepStrictEqual(yield* typed(session([]), "grants"), ["nothing is granted in this session"])
    })
  )

  it.effect("takes back the one that the id, its beginning, its end, or its number names", () =>
    Effect.gen(function* () {
      const taken: Array<string> = []
      const of = session([grant("grant_aaaaaa1"), grant("grant_bbbbbb2"), grant("grant_bbbbbb3gone")], taken)
      for (const name of ["1", "2", "grant_aaaaaa", "aaaaaa", "bbbbbb2"])
        assert.deepStrictEqual(yield* typed(of, "revoke", name), ["taken back: commands that begin with npm test"])
      const [a, b] = ["grant_aaaaaa1 by terminal", "grant_bbbbbb2 by terminal"]
      assert.deepStrictEqual(taken, [a, b, a, a, b])
      assert.deepStrictEqual((yield* typed(of, "revoke", "grant_bbbbbb")).length, 3)
      const short = yield* Effect.flip(runSlash(of, "revoke", "grant_aaaaa", around("en")))
      assert.strictEqual(short.code, "grant_not_found", "five characters name nothing")
      assert.deepStrictEqual(yield* typed(of, "revoke"), ["/revoke ID; /grants lists them"])
      for (const id of ["none", "bbbbbb3gone", "4"])
        assert.strictEqual((yield* Effect.flip(runSlash(of, "revoke", id, around("en")))).code, "grant_not_found")
    })
  )

  it("is what Tab offers behind /revoke, and no file", () => {
    const ids = ["grant_aaaaaa1", "grant_bbbbbb2"]
    assert.deepStrictEqual(complete("/revoke ", [], "/", ids), { text: "/revoke grant_", choices: ids })
    assert.deepStrictEqual(complete("/revoke grant_b", [], "/", ids), { text: "/revoke grant_bbbbbb2 ", choices: [] })
    assert.isUndefined(complete("/revoke e", [], "/", []))
  })

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
