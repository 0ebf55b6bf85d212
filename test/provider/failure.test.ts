/** What refusals mean: one table, over the wire, streaming or not (R110, R111, R113, R115, RELIABILITY 3.6, SETTLED 20). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { type Turn, event, html, json, refusal, stream } from "../support/fakeModelScript.ts"
import { ask, outcome, rig } from "../support/fakeModelProvider.ts"

/** Like nothing a pattern would know. */
const KEY = "Zq8mWx3RtY7uPn5v"
const bad = (message: string, code?: string | number, type?: string) => ({ message, code, type })

const table: ReadonlyArray<readonly [string, Turn, string, RegExp]> = [
  [
    "401",
    refusal(401, bad(`Incorrect API key provided: ${KEY}.`, "invalid_api_key")),
    "provider_auth",
    /refused the API key \(HTTP 401\)\. Check the key in CLAW_KEY/
  ],
  ["403", refusal(403, bad("Country not supported")), "provider_auth", /Country not supported/],
  [
    "404 for a model",
    refusal(404, bad("The model `x` does not exist or you do not have access to it.", "model_not_found")),
    "provider_model_not_found",
    /does not know the model "fake-model"/
  ],
  [
    "404 for a model, as Ollama says it",
    refusal(404, 'model "x" not found, try pulling it first'),
    "provider_model_not_found",
    /try pulling it first/
  ],
  [
    "404 for a model, as vLLM says it",
    json({ object: "error", message: "The model `x` does not exist.", type: "NotFoundError", code: 404 }, 404),
    "provider_model_not_found",
    /does not exist/
  ],
  [
    "400 for a model, as Zhipu says it",
    refusal(400, bad("模型不存在，请检查模型代码。", "1211")),
    "provider_model_not_found",
    /模型不存在/
  ],
  [
    "404 for a wrong path",
    json({ detail: "Not Found" }, 404),
    "provider_bad_request",
    /has no chat completions there \(HTTP 404\)\. Check the base URL; it usually ends in \/v1/
  ],
  ["404 as a web page", html(404), "provider_bad_request", /answered with a web page \(HTTP 404\)/],
  ["405", refusal(405, "Method Not Allowed"), "provider_bad_request", /Check the base URL/],
  [
    "a redirect",
    { status: 308, headers: { location: "https://example.org/v1" } },
    "provider_bad_request",
    /It points to https:\/\/example\.org\/v1/
  ],
  ["402", refusal(402, bad("Insufficient Balance")), "provider_quota", /no quota left/],
  ["429", refusal(429, bad("Rate limit reached", "rate_limit_exceeded")), "provider_rate_limited", /limiting requests/],
  [
    "429 for quota",
    refusal(
      429,
      bad("You exceeded your current quota, please check your plan and billing details.", "insufficient_quota")
    ),
    "provider_quota",
    /no quota left/
  ],
  ["429 for quota, as Zhipu says it", refusal(429, bad("账户余额不足", "1113")), "provider_quota", /余额不足/],
  [
    "400 for the context",
    refusal(400, bad("This model's maximum context length is 8192 tokens.", "context_length_exceeded")),
    "provider_context_overflow",
    /no longer fits/
  ],
  [
    "400 for the context, as llama.cpp says it",
    refusal(400, bad("the request exceeds the available context size", 400, "exceed_context_size_error")),
    "provider_context_overflow",
    /context/
  ],
  [
    "500 for the context",
    refusal(500, bad("prompt is too long for the context window")),
    "provider_context_overflow",
    /too long/
  ],
  [
    "400 for the filter",
    refusal(400, bad("The response was filtered", "content_filter")),
    "provider_refused",
    /content filter/
  ],
  [
    "another 400",
    refusal(400, bad("Unrecognized request argument: foo")),
    "provider_bad_request",
    /Unrecognized request argument/
  ],
  ["413", refusal(413, "Request Entity Too Large"), "provider_bad_request", /HTTP 413/],
  ["422", json({ detail: [{ msg: "field required" }] }, 422), "provider_bad_request", /field required/],
  ...[408, 409, 425, 500, 502, 503, 504, 529].map(
    (status) => [`${status}`, refusal(status, "busy"), "provider_unavailable", new RegExp(`HTTP ${status}`)] as const
  ),
  ["a gateway's page", html(502), "provider_unavailable", /HTTP 502/],
  ["an error without a body", { status: 500 }, "provider_unavailable", /has a problem \(HTTP 500\)\.$/],
  ["200 as a web page", html(), "provider_unreachable", /web page instead of a model's answer/],
  ["200 as JSON that is an error", json({ error: bad("boom", "server_error") }), "provider_unavailable", /boom/],
  ["200 as JSON that is no answer", json([1, 2]), "provider_bad_stream", /not a JSON object/],
  ["an error in the stream", stream(event({ error: bad("boom", 500) })), "provider_unavailable", /boom/],
  [
    "a limit in the stream",
    stream(event({ error: bad("Rate limit reached", "rate_limit_exceeded") })),
    "provider_rate_limited",
    /limiting/
  ],
  [
    "an overflow in the stream",
    stream(event({ error: bad("maximum context length", "context_length_exceeded") })),
    "provider_context_overflow",
    /fits/
  ],
  ["silence, then a close", stream(), "provider_bad_stream", /no answer at all/],
  [
    "a connection dropped before headers",
    { before: "reset" },
    "provider_unreachable",
    /closed the connection before it answered/
  ]
]

describe("refusals", () => {
  it.live.each(table)("%s", ([, turn, code, says]) =>
    Effect.gen(function* () {
      const { model, provider } = yield* rig({ key: Redacted.make(KEY), key_source: "CLAW_KEY" })
      model.script(turn, turn)
      const { error, parts } = yield* outcome(provider.stream(ask()))
      assert.deepStrictEqual([error?.code as string, parts], [code, []])
      assert.match(error?.message ?? "", says)
      const whole = yield* Effect.flip(provider.generate(ask()))
      assert.strictEqual(
        whole.code as string,
        turn.headers?.["content-type"]?.startsWith("text/event-stream") ? whole.code : code
      )
      // The key is in nothing that could be shown or stored.
      assert.isFalse(`${JSON.stringify(error)}${error?.stack}${String(error?.cause)}`.includes(KEY))
    })
  )
  it.live("Retry-After comes along, read against the clock (H14)", () =>
    Effect.gen(function* () {
      const { model, provider } = yield* rig()
      model.script(
        refusal(429, bad("slow down"), { "retry-after": "7" }),
        refusal(503, "busy", { "retry-after-ms": "1500", "retry-after": "9" }),
        refusal(429, bad("slow down"))
      )
      const waits = yield* Effect.forEach([1, 2, 3], () =>
        Effect.map(outcome(provider.stream(ask())), ({ error }) => error?.retryAfterMs)
      )
      assert.deepStrictEqual(waits, [7000, 1500, undefined])
    })
  )
  it.live("a body that never stops is not kept", () =>
    Effect.gen(function* () {
      const { model, provider } = yield* rig()
      model.script({ status: 400, steps: ["x".repeat(200_000), "hang"] })
      const { error } = yield* outcome(provider.stream(ask()))
      assert.isBelow(error?.message.length ?? Infinity, 500)
      assert.deepStrictEqual(yield* model.gone(1), { writableFinished: false })
    })
  )

  it.live("a key that is missing is named", () =>
    Effect.gen(function* () {
      const { model, provider } = yield* rig()
      model.script(refusal(401, bad("You did not provide an API key.")))
      const { error } = yield* outcome(provider.stream(ask()))
      assert.strictEqual(
        error?.message,
        "The model server refused the API key (HTTP 401). OpenAI-compatible server wants an API key and none is set: put it into OPENAI_API_KEY. It said: You did not provide an API key."
      )
    })
  )
})
