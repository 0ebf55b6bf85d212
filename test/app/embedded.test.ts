/** The README's example runs as it stands there: own model, own tool, own reporter, one prompt, one interruption. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { example } from "./embedded.example.ts"

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8")

describe("claw inside another program", () => {
  it("stands in the README as it is run here", () => {
    const source = read("./embedded.example.ts").replace('"../../src/index.ts"', '"claw"')
    assert.include(read("../../README.md"), `\`\`\`ts\n${source}\`\`\``)
  })

  it.live("runs the tool, streams, and ends canceled (R012, R013, R020)", () =>
    Effect.gen(function* () {
      const types: Array<string> = []
      yield* example((event) => void types.push(event.type))
      assert.deepStrictEqual(types, [
        "task_started",
        "thinking",
        "text_completed",
        "tool_call",
        "approval_resolved",
        "tool_started",
        "tool_result",
        "thinking",
        "usage",
        "text_completed",
        "task_canceled"
      ])
    })
  )
})
