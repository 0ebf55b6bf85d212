/** Tokens are counted as the servers count them, and never too low where nobody knows how (issue 7, Measured). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeMeter } from "../../src/context/Meter.ts"
import {
  answerTokens,
  counterFor,
  encodingOf,
  estimated,
  estimateRequest,
  messageTokens,
  PRIMING,
  toolTokens
} from "../../src/context/Tokens.ts"
import type { Counter } from "../../src/context/Tokens.ts"
import type { Message } from "../../src/domain/Message.ts"
import { type Recorded, recorded } from "../support/recordedUsage.ts"

const counted = (counter: Counter, { input, output }: Recorded): number =>
  input === undefined
    ? counter.count(output ?? "")
    : PRIMING +
      toolTokens(counter, input.tools ?? []) +
      input.messages.reduce((sum, message) => sum + messageTokens(counter, message), 0)

const kinds = ["English", "Chinese", "code"] as const

describe("tokens", () => {
  it.effect("are within two in a hundred of what servers counted, in each kind of text and in each record", () =>
    Effect.gen(function* () {
      const rows = yield* Effect.forEach(recorded, (row) =>
        Effect.map(counterFor(row.model), (counter) => ({ ...row, ours: counted(counter, row) }))
      )
      for (const kind of kinds) {
        const of = rows.filter((row) => row.kind === kind)
        const [ours, theirs] = [of, of].map((all, i) =>
          all.reduce((sum, row) => sum + (i === 0 ? row.ours : row.tokens), 0)
        )
        assert.isAtMost(Math.abs((ours ?? 0) / (theirs ?? 1) - 1), 0.02, kind)
      }
      const off = rows.filter(({ ours, tokens }) => Math.abs(ours - tokens) > Math.max(1, tokens * 0.02))
      assert.deepStrictEqual(
        off.map(({ model, ours, tokens }) => [model, ours, tokens]),
        []
      )
    })
  )

  it("are estimated rather too high than too low", () => {
    for (const row of recorded) {
      const ours = counted(estimated, row)
      assert.isAtLeast(ours, row.tokens, `${row.kind} ${row.model}`)
      // Newer tokenizers make less of Chinese: for these the estimate is the further off.
      assert.isAtMost(ours, row.tokens * 2, `${row.kind} ${row.model}`)
    }
  })

  // What budgets reserved by came from an estimate of its own, 30 in a hundred too low for Chinese.
  it("are reserved by the same estimate, so that no recorded request passes a cap that it was let through", () => {
    for (const { input, kind, model, output = "", tokens } of recorded) {
      const written = { role: "assistant", content: output, tool_calls: [] } as const
      const ours =
        input === undefined ? answerTokens(estimated, written) : estimateRequest(input.messages, input.tools ?? [])
      assert.isAtLeast(ours, tokens, `${kind} ${model}`)
    }
    const reasoned: Message = { role: "assistant", content: "", reasoning: "because", tool_calls: [] }
    assert.isAbove(estimateRequest([reasoned], []), estimateRequest([{ ...reasoned, reasoning: "" }], []))
  })

  it("have the tokenizer of OpenAI's models alone", () => {
    const rows = [
      ["gpt-4o-2024-08-06", "o200k_base"],
      ["openai/gpt-4.1-mini", "o200k_base"],
      ["gpt-5.4-mini", "o200k_base"],
      ["o3", "o200k_base"],
      ["gpt-oss-120b", "o200k_base"],
      ["gpt-4-turbo", "cl100k_base"],
      ["gpt-3.5-turbo", "cl100k_base"],
      ["glm-4.6", undefined],
      ["qwen3-coder", undefined],
      ["olmo-2", undefined],
      ["o1bserver", undefined]
    ] as const
    assert.deepStrictEqual(
      rows.map(([model]) => [model, encodingOf(model)]),
      rows.map(([model, encoding]) => [model, encoding])
    )
  })

  it.effect("of hostile texts are counted all the same, and soon", () =>
    Effect.gen(function* () {
      const { count } = yield* counterFor("gpt-4o")
      const begun = performance.now()
      for (const text of ["a".repeat(200_000), "<|endoftext|>", "\ud83d".repeat(500), "=".repeat(100_000)]) {
        assert.isAbove(count(text), 0)
      }
      assert.isBelow(performance.now() - begun, 5_000)
    })
  )
})

const user = (content: string): Message => ({ role: "user", content })

describe("a meter", () => {
  it("takes the server's figure for what it counted, and its own, made like it, for the rest", () => {
    const meter = makeMeter()
    const tools: ReadonlyArray<never> = []
    const first = [user("x".repeat(4_000))]
    const own = meter.total({ messages: first, tools })
    meter.learn({ messages: first, tools }, Math.round(own * 0.8))
    assert.strictEqual(meter.total({ messages: first, tools }), Math.round(own * 0.8))
    const more = user("y".repeat(4_000))
    const grown = meter.total({ messages: [...first, more], tools })
    assert.isAtMost(Math.abs(grown - own * 0.8 - messageTokens(estimated, more) * 0.8), 3)
    // Another beginning: its own count, with what the server taught.
    assert.isAtMost(Math.abs(meter.total({ messages: [user("z".repeat(4_000))], tools }) - own * 0.8), 3)
  })

  it("does not believe what cannot be", () => {
    const meter = makeMeter()
    const asked = { messages: [user("x".repeat(40_000))], tools: [] }
    const own = meter.total(asked)
    for (const told of [0, 10, own * 10]) {
      meter.learn(asked, told)
      assert.strictEqual(meter.total(asked), own)
    }
    assert.isAtLeast(meter.atMost(asked), own)
  })
})
