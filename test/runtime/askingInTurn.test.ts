/** A task and its subagents ask at the same time, and a person is asked one question after another (PROTOCOL ordering 3). */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeSubagent } from "../../src/tools/builtin/subagent.ts"
import { answer, call } from "../support/engineKit.ts"
import { create, layer, watch } from "../support/runtimeKit.ts"
import { probe } from "../support/tools.ts"

it.effect("the second question of two subagents comes when the first is answered (R148)", () => {
  const { tool, log } = probe({ risk: "mutating" })
  const order = (title: string) => call(title, "subagent", { title, prompt: "do it" })
  const above = [answer("", [order("a"), order("b")]), answer("both done")]
  const below = [answer("", [call("c", "probe")]), answer("done")]
  const script =
    () => (request: { readonly messages: ReadonlyArray<{ readonly role: string; readonly content: string }> }) => {
      const list = request.messages[0]?.content.includes("# Subagent") === true ? below : above
      return list[request.messages.filter(({ role }) => role === "assistant").length]!
    }
  return Effect.gen(function* () {
    const session = yield* create("s1")
    const { facts, until } = yield* watch(session, { answers: true })
    const { task } = yield* session.prompt({ content: "go" })
    const asked = () => facts().filter((event) => event.type === "approval_request")
    const { request_id } = yield* until("approval_request")
    assert.deepStrictEqual(
      (yield* session.status).pending_approvals.map((one) => one.request_id),
      [request_id]
    )
    yield* session.answer({ request_id, decision: "allow_once" })
    while (asked().length < 2) yield* Effect.yieldNow
    const [, second] = asked()
    yield* session.answer({ request_id: second!.request_id, decision: "deny" })
    assert.strictEqual((yield* task!.await).status, "completed")
    assert.lengthOf(log, 2)
    const order = facts().flatMap(({ type }) => (type.startsWith("approval_re") ? [type] : []))
    assert.notInclude(order.join(" "), "approval_request approval_request")
  }).pipe(Effect.provide(layer({ script, tools: [tool, makeSubagent()] })), Effect.scoped)
})
