/** The recorded cases H01–H04, byte for byte over a real socket, 20 ms between writes (R299, R301). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Step, stream, text } from "../support/fakeModelScript.ts"
import { ask, completedOf, outcome, rig, textOf } from "../support/fakeModelProvider.ts"

const chunk = (delta: unknown, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ id: "cc-1", object: "chat.completion.chunk", created: 1700000000, model: "test-model", choices: [{ index: 0, delta, finish_reason }] })}\n\n`
const base64 = (value: string) => new Uint8Array(Buffer.from(value, "base64"))
const paced = (writes: ReadonlyArray<string | Uint8Array>): ReadonlyArray<Step> =>
  writes.flatMap((write) => [write, { gap_ms: 20 }])

const play = (writes: ReadonlyArray<string | Uint8Array>) =>
  Effect.gen(function* () {
    const { model, provider } = yield* rig()
    model.script(stream(...paced(writes)))
    const found = yield* outcome(provider.stream(ask()))
    return { ...found, completed: completedOf(found.parts), model, provider }
  })

const DONE = "data: [DONE]\n\n"
const FINISH = chunk({}, "tool_calls")

describe("cases", () => {
  it.live("H01: two parallel calls whose deltas carry no index", () =>
    Effect.gen(function* () {
      const call = (id: string, args: string) =>
        chunk({ tool_calls: [{ id, type: "function", function: { name: "read", arguments: args } }] })
      const { completed, error } = yield* play([
        chunk({ role: "assistant", content: null }),
        call("call_a1", '{"path":"one.txt"}'),
        call("call_b2", '{"path":"two.txt"}'),
        FINISH,
        DONE
      ])
      assert.isUndefined(error)
      assert.deepStrictEqual(completed?.message as unknown, {
        role: "assistant",
        content: "",
        tool_calls: [
          { call_id: "call_a1", tool_name: "read", arguments: '{"path":"one.txt"}' },
          { call_id: "call_b2", tool_name: "read", arguments: '{"path":"two.txt"}' }
        ]
      })
    })
  )
  it.live("H02: id, type and name repeated on every fragment of one call", () =>
    Effect.gen(function* () {
      const part = (args: string) =>
        chunk({
          tool_calls: [{ index: 0, id: "call_r1", type: "function", function: { name: "bash", arguments: args } }]
        })
      const { completed } = yield* play([
        chunk({ role: "assistant" }),
        part('{"com'),
        part('mand":"ec'),
        part('ho hi"}'),
        FINISH,
        DONE
      ])
      assert.deepStrictEqual(completed?.message.tool_calls as unknown, [
        { call_id: "call_r1", tool_name: "bash", arguments: '{"command":"echo hi"}' }
      ])
    })
  )
  it.live("H03: characters and CRLF pairs cut by the network", () =>
    Effect.gen(function* () {
      const { completed, parts, error } = yield* play([
        base64(
          "ZGF0YTogeyJpZCI6ImNjLTEiLCJvYmplY3QiOiJjaGF0LmNvbXBsZXRpb24uY2h1bmsiLCJjcmVhdGVkIjoxNzAwMDAwMDAwLCJtb2RlbCI6InRlc3QtbW9kZWwiLCJjaG9pY2VzIjpbeyJpbmRleCI6MCwiZGVsdGEiOnsicm9sZSI6ImFzc2lzdGFudCIsImNvbnRlbnQiOiLk"
        ),
        base64("v67lpI3lrozmiJAifSwiZmluaXNoX3JlYXNvbiI6bnVsbH1dfQ0="),
        base64(
          "Cg0KZGF0YTogeyJpZCI6ImNjLTEiLCJvYmplY3QiOiJjaGF0LmNvbXBsZXRpb24uY2h1bmsiLCJjcmVhdGVkIjoxNzAwMDAwMDAwLCJtb2RlbCI6InRlc3QtbW9kZWwiLCJjaG9pY2VzIjpbeyJpbmRleCI6MCwiZGVsdGEiOnsiY29udGVudCI6IiDwnw=="
        ),
        base64("jI0hIn0sImZpbmlzaF9yZWFzb24iOm51bGx9XX0NCg0="),
        base64(
          "CmRhdGE6IHsiaWQiOiJjYy0xIiwib2JqZWN0IjoiY2hhdC5jb21wbGV0aW9uLmNodW5rIiwiY3JlYXRlZCI6MTcwMDAwMDAwMCwibW9kZWwiOiJ0ZXN0LW1vZGVsIiwiY2hvaWNlcyI6W3siaW5kZXgiOjAsImRlbHRhIjp7fSwiZmluaXNoX3JlYXNvbiI6InN0b3AifV19DQoNCmRhdGE6IFtET05FXQ0KDQo="
        )
      ])
      assert.deepStrictEqual(
        [error, completed?.message.content, textOf(parts), completed?.model],
        [undefined, "修复完成 🌍!", "修复完成 🌍!", "test-model"]
      )
    })
  )
  it.live(
    "H04: a clean close in the middle of tool arguments is an error, nothing ran, and the next turn is sound (R105)",
    () =>
      Effect.gen(function* () {
        const call = (args: string, opening = {}) =>
          chunk({
            tool_calls: [
              { index: 0, ...opening, function: { ...("id" in opening ? { name: "write" } : {}), arguments: args } }
            ]
          })
        const { parts, error, model, provider } = yield* play([
          chunk({ role: "assistant", content: "Writing the file now." }),
          call("", { id: "call_t1", type: "function" }),
          call('{"path":"plan.md","content":"line one')
        ])
        assert.deepStrictEqual([error?.code, error?.isRetryable], ["provider_bad_stream", true])
        assert.deepStrictEqual([textOf(parts), completedOf(parts)], ["Writing the file now.", undefined])
        model.script(text("Fine."))
        const next = yield* outcome(
          provider.stream(
            ask("hi", {
              messages: [
                { role: "user", content: "hi" },
                { role: "assistant", content: "Writing the file now.", tool_calls: [] },
                { role: "user", content: "continue" }
              ]
            })
          )
        )
        assert.deepStrictEqual([completedOf(next.parts)?.message.content, model.violations()], ["Fine.", []])
      })
  )
})
