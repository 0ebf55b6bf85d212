/** What a model is told to do about a call that failed depends on what was wrong, and on nothing else (issue 7). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { hinted, hintFor } from "../../src/context/RecoveryHints.ts"
import { troubles } from "../../src/domain/Trouble.ts"
import { toolsIn } from "../support/builtinTools.ts"
import { dir } from "../support/workspaceDir.ts"

describe("recovery hints", () => {
  it("are one short sentence for each trouble, and none where there is nothing to say", () => {
    for (const trouble of troubles) {
      const hint = hintFor({ code: "tool_failed", trouble })
      assert.isDefined(hint, trouble)
      assert.isBelow(hint?.length ?? 0, 120)
    }
    assert.strictEqual(hintFor({ code: "tool_failed" }), undefined)
    assert.strictEqual(hinted("exit code 1", { exit_code: 1 }), "exit code 1")
    assert.strictEqual(
      hinted("a.ts: old_text was not found.", { code: "tool_failed", trouble: "no_match" }),
      "a.ts: old_text was not found.\n(Hint: read the file again where the change belongs, and take old_text from what it says now.)"
    )
    assert.match(hintFor({ exit_code: 127 }) ?? "", /command -v/)
    assert.match(hintFor({ timed_out: true, exit_code: 127 }) ?? "", /timeout_ms/)
  })

  it.live("go with what the tools found wrong", () =>
    Effect.gen(function* () {
      const there = yield* dir
      there.file("ws/a.txt", "one\none\n")
      there.file("ws/b.bin", new Uint8Array([0, 1, 2, 0]))
      const { call } = yield* toolsIn(there)
      const edit = (path: string, old_text: string) => ["edit_file", { path, old_text, new_text: "x" }] as const
      const rows = [
        [...edit("a.txt", "two"), "no_match"],
        [...edit("a.txt", "one"), "several_matches"],
        [...edit("b.bin", "one"), "not_text"],
        [...edit("none.txt", "one"), "not_found"],
        ["read_file", { path: "." }, "is_directory"],
        ["read_file", { path: "a.txt", offset: 9 }, "beyond_end"],
        ["list_dir", { path: "a.txt" }, "not_directory"],
        ["grep", { pattern: "(", path: "." }, "bad_pattern"],
        ["read_file", { path: "../x" }, "workspace_escape"]
      ] as const
      for (const [name, args, wanted] of rows) {
        const error = yield* Effect.flip(call(name, args))
        assert.strictEqual("trouble" in error ? error.trouble : error.code, wanted, name)
      }
    }).pipe(Effect.scoped)
  )
})
