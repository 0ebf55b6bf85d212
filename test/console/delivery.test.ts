/** Prompts on their way: in order, whatever is refused meanwhile (R233, R255). */
import { assert, describe, it } from "@effect/vitest"
import { makeDelivery, makeReturned } from "../../src/console/state/delivery.ts"
import type { Sending } from "../../src/console/state/outbox.ts"
import { type ErrorBody, errorBody } from "../../src/domain/ErrorCode.ts"

const sending = (content: string): Sending => ({ key: `key-${content}`, content, when_busy: "queue" })

/** Answers in the order in which they are asked for; absent: it is taken. */
const said = async (texts: ReadonlyArray<string>, answers: ReadonlyArray<ErrorBody | undefined>) => {
  const left = [...answers]
  const log: Array<string> = []
  const deliver = makeDelivery({
    prompt: async ({ content }) => {
      log.push(`sent ${content}`)
      const error = left.shift()
      if (error !== undefined) throw error
    },
    taken: ({ content }) => log.push(`took ${content}`),
    refused: ({ content }, { code }) => log.push(`${code} ${content}`),
    waits: (error) => log.push(error?.code ?? "over"),
    pause: async (ms) => void log.push(`${ms}`)
  })
  for (const text of texts) deliver(sending(text))
  for (let i = 0; i < 100; i++) await Promise.resolve()
  return log
}

describe("delivery", () => {
  it("who speaks too fast waits, and nothing overtakes", async () => {
    const slow = { ...errorBody("rate_limited"), retry_after_ms: 6_000 }
    const log = await said(["a", "b"], [slow, slow])
    const waits = ["sent a", "rate_limited", "6000", "sent a", "over", "rate_limited", "6000"]
    assert.deepStrictEqual(log, waits.concat(["sent a", "over", "took a", "sent b", "took b"]))
  })

  it("a server that ends is waited for", async () => {
    const log = await said(["a"], [errorBody("server_draining")])
    assert.deepStrictEqual(log, ["sent a", "server_draining", "2000", "sent a", "over", "took a"])
  })

  it("what is refused for what it is goes back; what comes behind it is sent", async () => {
    const log = await said(["a", "b"], [errorBody("too_large")])
    assert.deepStrictEqual(log, ["sent a", "too_large a", "sent b", "took b"])
  })
})

describe("what comes back", () => {
  it("stands in the order in which it was said, before what was written since", () => {
    const returned = makeReturned()
    const draft = ["a", "b", "c"].reduce(returned, "new")
    assert.strictEqual(draft, "a\n\nb\n\nc\n\nnew")
  })

  it("stands in front where what came back before it was changed or sent", () => {
    const returned = makeReturned()
    assert.deepStrictEqual([returned("", "a"), returned("edited", "b"), returned("", "c")], ["a", "b\n\nedited", "c"])
  })
})
