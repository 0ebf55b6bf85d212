/** Whose words a conversation's export says that they are (SECURITY T20). */
import { assert, describe, it } from "@effect/vitest"
import { itemsOf } from "../../src/cli/exportItems.ts"

describe("an export", () => {
  it("has as prompts what people said, and what claw, a hook or a subagent told the model as notes", () => {
    const said = (seq: number, more: object) => {
      const body = { type: "prompt_steered", task_id: "t", turn: 1, prompt_id: `p${seq}`, content: `${seq}`, ...more }
      return { seq, ts: "2026-01-01T00:00:00.000Z", body: body as never }
    }
    const facts = [said(1, {}), said(2, { from: "subagent" }), said(3, { from: "hook" }), said(4, { from: "claw" })]
    assert.deepStrictEqual(
      itemsOf(facts, (text) => text, "en").map(({ kind, seq }) => [kind, seq]),
      [
        ["prompt", 1],
        ["note", 2],
        ["note", 3],
        ["note", 4]
      ]
    )
  })
})
