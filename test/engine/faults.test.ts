/**
 * The fault matrix of a model server (RELIABILITY 3.6; R107–R115, R313–R315, R320): each fault before text, after text and
 * after a whole tool call, streamed and plain, as the line of what the task told. Nothing of a failed call runs, nothing
 * is shown twice, what was counted is charged, the history stays sound, and the next prompt works. How to read a line:
 * test/support/faultKit.ts.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { DONE, event, finish, html, refusal, type Turn, usage } from "../support/fakeModelScript.ts"
import { breaksOff, callsWith, type Cell, cells, endsWith, type FaultOptions, quick, run } from "../support/faultKit.ts"

/** Before text, after text, after a call. */
type Three = readonly [before: string, text: string, call: string]

interface Row {
  readonly name: string
  readonly fault: (cell: Cell) => Turn
  /** How often in a row; default once, then the answer "OK". */
  readonly times?: number
  readonly config?: (cell: Cell) => FaultOptions["config"]
  readonly streamed: Three
  readonly plain: Three
}

/** As a status where nothing was sent yet, else as an error in the middle of the answer. */
const refuses =
  (status: number, error: Readonly<Record<string, unknown>> = { message: "no" }, headers = {}) =>
  (cell: Cell): Turn =>
    cell.phase === "before"
      ? refusal(status, error, headers)
      : cell.streaming
        ? breaksOff(event({ error: { code: String(status), ...error } }))(cell)
        : refusal(200, { code: String(status), ...error })

const counted = { prompt_tokens: 10, completion_tokens: 5 }
/** `count` null: the server counts nothing. */
const ended = (reason: string, count: object | null = counted) =>
  endsWith([finish(reason), ...(count === null ? [] : [usage({ ...count })]), DONE], reason, count)

const OK = '"OK" ="OK" u10+5 done'
/** After an attempt that was cut, and is counted as what came of it. */
const GUESSED = '"OK" ="OK" ~u done'
const PLAIN = '="OK" u10+5 done'
const same = (line: string): Three => [line, line, line]

/** Tried again with success; what was shown is superseded. */
const again = (code: string, ...[text = code, call = text]: ReadonlyArray<string>) => ({
  streamed: [`!${code} ${OK}`, `"Half" ~u !${text} | ${GUESSED}`, `"Half" ~u !${call} | ${GUESSED}`] as const,
  plain: [`!${code} ${PLAIN}`, `!${text} ${PLAIN}`, `!${call} ${PLAIN}`] as const
})
/** The end; what was shown is kept and marked. */
const fatal = (code: string) => ({
  streamed: [`=""… FAILED ${code}`, `"Half" ~u ="Half"… FAILED ${code}`, `"Half" ~u ="Half"… FAILED ${code}`] as const,
  plain: same(`=""… FAILED ${code}`)
})
const RUN = 'call probe{"n":1}'

/** A whole answer that calls; then "OK". `more`: with another call before it. */
const goesOn = (made: string, more: string) => ({
  streamed: [`="" u10+5 ${made} `, `"Half" ="Half" u10+5 ${made} `, `"Half" ="Half" u10+5 ${more} `].map(
    (line) => `${line}"OK" ="OK" u20+10 done`
  ) as unknown as Three,
  plain: [`="" u10+5 ${made} `, `="Half" u10+5 ${made} `, `="Half" u10+5 ${more} `].map(
    (line) => `${line}="OK" u20+10 done`
  ) as unknown as Three
})
/** The same answer until it is the third in a row. */
const thrice = (made: string, more: string) => {
  const turns = (text: string, calls: string) =>
    ["u10+5", "u20+10", "u30+15"].map((used) => `${text} ${used} ${calls}`).join(" ") + " FAILED bad_tool_call"
  return {
    streamed: [turns('=""', made), turns('"Half" ="Half"', made), turns('"Half" ="Half"', more)] as const,
    plain: [turns('=""', made), turns('="Half"', made), turns('="Half"', more)] as const
  }
}

const rows: ReadonlyArray<Row> = [
  {
    name: "reset",
    fault: (cell) => (cell.phase === "before" ? { before: "reset" } : breaksOff({ gap_ms: 30 }, "reset")(cell)),
    ...again("unreachable", "bad_stream")
  },
  { name: "closed without an end", fault: breaksOff(), ...again("bad_stream") },
  {
    name: "silence",
    fault: breaksOff("hang"),
    config: quick,
    streamed: again("timeout_first_token", "timeout_idle").streamed,
    plain: again("timeout_total").plain
  },
  {
    name: "comments for ever",
    fault: breaksOff(...Array.from({ length: 30 }, () => [": ping\n\n", { gap_ms: 20 }]).flat()),
    config: quick,
    streamed: again("timeout_first_token", "timeout_idle").streamed,
    plain: again("timeout_total").plain
  },
  ...[408, 409, 425, 500, 502, 504, 529].map((status) => ({
    name: `${status}`,
    fault: refuses(status),
    ...again("unavailable")
  })),
  ...[
    { name: "503, three times", fault: refuses(503), code: "unavailable" },
    { name: "429 without a time, three times", fault: refuses(429, { message: "Rate limit" }), code: "rate_limited" }
  ].map(({ code, ...row }) => ({
    ...row,
    times: 3,
    streamed: [
      `!${code} !${code} =""… FAILED ${code}`,
      ...same(`"Half" ~u !${code} | "Half" ~u !${code} | "Half" ~u ="Half"… FAILED ${code}`).slice(1)
    ] as unknown as Three,
    plain: same(`!${code} !${code} =""… FAILED ${code}`)
  })),
  {
    name: "429 with Retry-After",
    fault: refuses(429, { message: "Rate limit" }, { "retry-after-ms": "30" }),
    ...again("rate_limited+30", "rate_limited")
  },
  {
    name: "429 with a date in the past",
    fault: refuses(429, { message: "Rate limit" }, { "retry-after": "Thu, 15 Jan 2026 10:00:20 GMT" }),
    ...again("rate_limited")
  },
  {
    name: "429 that says when",
    fault: refuses(429, { message: "Rate limit reached. Please try again in 40ms." }),
    ...again("rate_limited+40")
  },
  { name: "429 for quota", fault: refuses(429, { message: "x", code: "insufficient_quota" }), ...fatal("quota") },
  { name: "400", fault: refuses(400), ...fatal("bad_request") },
  { name: "401", fault: refuses(401), ...fatal("auth") },
  { name: "403", fault: refuses(403), ...fatal("auth") },
  { name: "404", fault: refuses(404, { message: "model not found" }), ...fatal("model_not_found") },
  { name: "413", fault: refuses(413), ...fatal("bad_request") },
  { name: "422", fault: refuses(422), ...fatal("bad_request") },
  {
    name: "the context overflows",
    fault: refuses(400, { message: "maximum context length is 9 tokens" }),
    ...fatal("context_overflow")
  },
  {
    name: "a web page",
    fault: () => html(200),
    streamed: same('=""… FAILED unreachable'),
    plain: same('=""… FAILED unreachable')
  },
  { name: "not JSON", fault: breaksOff("data: {oops\n\n"), ...again("bad_stream") },
  {
    name: "bytes that are no UTF-8",
    fault: breaksOff(new Uint8Array([100, 97, 116, 97, 58, 255, 254, 10, 10])),
    ...again("bad_stream")
  },
  { name: "an event of 5 MiB", fault: breaksOff(event({ x: "x".repeat(5 * 1024 * 1024) })), ...again("bad_stream") },
  {
    name: "an empty answer",
    fault: ended("stop"),
    streamed: [
      'u10+5 !bad_stream "OK" ="OK" u20+10 done',
      '"Half" ="Half" u10+5 done',
      `"Half" ="Half" u10+5 ${RUN} ok "OK" ="OK" u20+10 done`
    ],
    plain: ['u10+5 !bad_stream ="OK" u20+10 done', '="Half" u10+5 done', `="Half" u10+5 ${RUN} ok ="OK" u20+10 done`]
  },
  {
    name: "the output limit",
    fault: ended("length"),
    streamed: [
      'u10+5 =""… FAILED output_truncated',
      '"Half" ="Half"/length u10+5 done',
      `"Half" ="Half" u10+5 ${RUN} ok "OK" ="OK" u20+10 done`
    ],
    plain: [
      'u10+5 =""… FAILED output_truncated',
      '="Half"/length u10+5 done',
      `="Half" u10+5 ${RUN} ok ="OK" u20+10 done`
    ]
  },
  {
    name: "the content filter",
    fault: ended("content_filter"),
    streamed: [
      'u10+5 =""… FAILED refused',
      '"Half" ="Half"/content_filter u10+5 FAILED refused',
      '"Half" u10+5 ="Half"… FAILED refused'
    ],
    plain: ['u10+5 =""… FAILED refused', '="Half"/content_filter u10+5 FAILED refused', 'u10+5 =""… FAILED refused']
  },
  {
    name: "an unknown reason",
    fault: ended("whatever"),
    streamed: [
      'u10+5 !bad_stream "OK" ="OK" u20+10 done',
      '"Half" ="Half"/other u10+5 done',
      `"Half" ="Half" u10+5 ${RUN} ok "OK" ="OK" u20+10 done`
    ],
    plain: [
      'u10+5 !bad_stream ="OK" u20+10 done',
      '="Half"/other u10+5 done',
      `="Half" u10+5 ${RUN} ok ="OK" u20+10 done`
    ]
  },
  {
    name: "no usage",
    fault: ended("stop", null),
    streamed: [`!bad_stream ${OK}`, '"Half" ="Half" ~u done', `"Half" ="Half" ~u ${RUN} ok "OK" ="OK" ~u done`],
    plain: [`!bad_stream ${PLAIN}`, '="Half" ~u done', `="Half" ~u ${RUN} ok ="OK" ~u done`]
  },
  ...[-5, 1e300].map((prompt_tokens) => ({
    name: `${prompt_tokens} tokens of prompt`,
    fault: ended("stop", { prompt_tokens, completion_tokens: 5 }),
    streamed: [
      '~u !bad_stream "OK" ="OK" ~u done',
      '"Half" ="Half" ~u done',
      `"Half" ="Half" ~u ${RUN} ok "OK" ="OK" ~u done`
    ] as const,
    plain: ['~u !bad_stream ="OK" ~u done', '="Half" ~u done', `="Half" ~u ${RUN} ok ="OK" ~u done`] as const
  })),
  {
    name: "usage, and then a reset",
    fault: breaksOff(usage(counted), { gap_ms: 30 }, "reset"),
    streamed: [
      'u10+5 !bad_stream "OK" ="OK" u20+10 done',
      ...same('"Half" u10+5 !bad_stream | "OK" ="OK" u20+10 done').slice(1)
    ] as unknown as Three,
    plain: same(`!bad_stream ${PLAIN}`)
  },
  {
    name: "usage, and then silence",
    fault: breaksOff(usage(counted), "hang"),
    config: quick,
    streamed: [
      'u10+5 !timeout_idle "OK" ="OK" u20+10 done',
      ...same('"Half" u10+5 !timeout_idle | "OK" ="OK" u20+10 done').slice(1)
    ] as unknown as Three,
    plain: again("timeout_total").plain
  },
  {
    name: "calls that are no JSON, three times",
    fault: callsWith([{ id: "b1", index: 5, name: "probe", arguments: '{"n":' }]),
    times: 3,
    ...thrice("call probe{} error", `${RUN} call probe{} error ok`)
  },
  {
    name: "a call of more than a mebibyte",
    fault: callsWith([{ id: "b1", index: 5, name: "probe", arguments: `{"path":"${"x".repeat(1_050_000)}"}` }]),
    ...goesOn("call probe{} error", `${RUN} call probe{} error ok`)
  },
  {
    name: "two calls of one id, with a gap between their indexes",
    fault: callsWith([
      { id: "d", index: 3, name: "probe", arguments: '{"n":2}' },
      { id: "d", index: 7, name: "probe", arguments: '{"n":3}' }
    ]),
    ...goesOn('call probe{"n":2} call probe{"n":3} ok ok', `${RUN} call probe{"n":2} call probe{"n":3} ok ok ok`)
  },
  {
    name: "an unknown tool",
    fault: callsWith([{ id: "u", index: 2, name: "nothing", arguments: "{}" }]),
    ...goesOn("call nothing{} error", `${RUN} call nothing{} error ok`)
  }
]

describe("faults", () => {
  it.live.each(rows)("$name", ({ config, fault, plain, streamed, times = 1 }) =>
    Effect.gen(function* () {
      const ran = yield* Effect.forEach(
        cells,
        (cell) =>
          run({
            cell,
            turns: Array.from({ length: times }, () => fault(cell)),
            ...(config === undefined ? {} : { config: config(cell) ?? {} })
          }),
        { concurrency: "unbounded" }
      )
      for (const { broken, next } of ran) assert.deepStrictEqual([broken, next], [[], "completed"])
      assert.deepStrictEqual(
        ran.map(({ line }) => line),
        [...streamed, ...plain]
      )
    })
  )
})
