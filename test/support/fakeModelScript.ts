/**
 * What a fake model answers, as data. Owns: turns, and the exact text of server-sent chunks. Does not own: sockets.
 * A turn is a head and steps; a string or bytes is one exact write, the rest is timing and the way it ends.
 */
import type { Effect } from "effect"

export type Step =
  | string
  | Uint8Array
  /** Waits in real time, so that the next write is a packet of its own. */
  | { readonly gap_ms: number }
  /** Waits for the test. */
  | { readonly until: Effect.Effect<unknown> }
  /** Ends the body properly (the default at the end of the steps), drops the connection, or stays silent for ever. */
  | "end"
  | "reset"
  | "hang"

export interface Turn {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Before any head: wait for ever, or drop the connection. */
  readonly before?: "hang" | "reset"
  readonly steps?: ReadonlyArray<Step>
}

/** The parsed request that a turn may look at. */
export interface Asked {
  readonly stream: boolean
  readonly messages: ReadonlyArray<Readonly<Record<string, unknown>>>
}
export type Answer = Turn | ((asked: Asked) => Turn)

export const SSE = { "content-type": "text/event-stream; charset=utf-8" } as const
export const JSON_TYPE = { "content-type": "application/json" } as const

export interface ScriptedCall {
  readonly id?: string
  readonly index?: number
  readonly name: string
  readonly arguments: string
  /** How many pieces the arguments come in; default 1. */
  readonly pieces?: number
}
export interface ScriptedUsage {
  readonly prompt_tokens?: number
  readonly completion_tokens?: number
  readonly [field: string]: unknown
}

const base = { id: "chatcmpl-fake", object: "chat.completion.chunk", created: 1_700_000_000, model: "fake-model" }

/** One event with any JSON. */
export const event = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`
/** One chunk with a delta, and perhaps a finish reason. */
export const delta = (value: unknown, finish_reason: string | null = null): string =>
  event({ ...base, choices: [{ index: 0, delta: value, finish_reason }] })
export const finish = (reason: string): string => delta({}, reason)
export const usage = (counts: ScriptedUsage): string => event({ ...base, choices: [], usage: counts })
export const DONE = "data: [DONE]\n\n"
/** The role chunk that most servers begin with. */
export const HEAD = delta({ role: "assistant", content: "" })

const cut = (text: string, pieces: number): ReadonlyArray<string> => {
  const size = Math.max(1, Math.ceil(text.length / pieces))
  return Array.from({ length: Math.ceil(text.length / size) || 1 }, (_, i) => text.slice(i * size, (i + 1) * size))
}

/** The chunks of calls as OpenAI sends them: id and name first, then the arguments. */
export const callChunks = (calls: ReadonlyArray<ScriptedCall>): ReadonlyArray<string> =>
  calls.flatMap((call, i) => {
    const index = call.index ?? i
    const opening = {
      index,
      id: call.id ?? `call_${i}`,
      type: "function",
      function: { name: call.name, arguments: "" }
    }
    const pieces = cut(call.arguments, call.pieces ?? 1)
    return [
      delta({ tool_calls: [opening] }),
      ...pieces.map((piece) => delta({ tool_calls: [{ index, function: { arguments: piece } }] }))
    ]
  })

/** A stream of steps with the usual head of a response. */
export const stream = (...steps: ReadonlyArray<Step>): Turn => ({ status: 200, headers: SSE, steps })

/** One JSON document. */
export const json = (value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Turn => ({
  status,
  headers: { ...JSON_TYPE, ...headers },
  steps: [JSON.stringify(value)]
})

const ONE_OF_EACH: ScriptedUsage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }

interface Whole {
  readonly content: string | null
  readonly reasoning_content?: string
  readonly calls: ReadonlyArray<ScriptedCall>
}

const document = ({ content, calls, ...rest }: Whole): Turn =>
  json({
    ...base,
    object: "chat.completion",
    choices: [
      {
        index: 0,
        finish_reason: calls.length === 0 ? "stop" : "tool_calls",
        message: {
          role: "assistant",
          content,
          ...rest,
          ...(calls.length === 0
            ? {}
            : {
                tool_calls: calls.map(({ id, name, arguments: args }, i) => ({
                  id: id ?? `call_${i}`,
                  type: "function",
                  function: { name, arguments: args }
                }))
              })
        }
      }
    ],
    usage: ONE_OF_EACH
  })

/** A plain answer; `pieces` deltas. Streams or not, as asked. */
export const text =
  (content: string, pieces = 1): Answer =>
  (asked) =>
    asked.stream
      ? stream(
          HEAD,
          ...cut(content, pieces).map((piece) => delta({ content: piece })),
          finish("stop"),
          usage(ONE_OF_EACH),
          DONE
        )
      : document({ content, calls: [] })

/** An answer that calls tools, perhaps after some text. Streams or not, as asked. */
export const calls =
  (made: ReadonlyArray<ScriptedCall>, content = ""): Answer =>
  (asked) =>
    asked.stream
      ? stream(
          HEAD,
          ...(content === "" ? [] : [delta({ content })]),
          ...callChunks(made),
          finish("tool_calls"),
          usage(ONE_OF_EACH),
          DONE
        )
      : document({ content: content === "" ? null : content, calls: made })

/** A refusal as OpenAI words it. */
export const refusal = (
  status: number,
  error: Readonly<Record<string, unknown>> | string,
  headers: Readonly<Record<string, string>> = {}
): Turn => json({ error }, status, headers)

/** A web page, as a wrong address or a gateway sends it. */
export const html = (status = 200): Turn => ({
  status,
  headers: { "content-type": "text/html" },
  steps: ["<!doctype html><html><body>Hello</body></html>"]
})
