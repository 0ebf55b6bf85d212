/**
 * The same answers in both dialects that the driver speaks: what the contract test runs over. Owns: the text of
 * `/responses`; that of `/chat/completions` is fakeModelScript.ts. An answer streams or not, as asked.
 */
import type * as OpenAi from "../../src/provider/openai/OpenAi.ts"
import {
  type Answer,
  callChunks,
  delta,
  DONE,
  event,
  finish,
  HEAD,
  json,
  refusal,
  stream,
  type Step,
  usage
} from "./fakeModelScript.ts"

export interface Said {
  readonly text?: string
  readonly reasoning?: string
  readonly calls?: ReadonlyArray<{ readonly id: string; readonly name: string; readonly arguments: string }>
  /** Why it ends; default: by itself. */
  readonly end?: "length" | "content_filter"
  /** The server counts nothing, and says so with zeros. */
  readonly uncounted?: true
  /** Encrypted reasoning; only `/responses` has it. */
  readonly encrypted?: string
}

export interface Script {
  readonly api: NonNullable<OpenAi.OpenAiConfig["api"]>
  readonly path: string
  readonly whole: (said: Said) => Answer
  /** The beginning of the same, and then these steps in the place of its end. */
  readonly broken: (said: Said, ...steps: ReadonlyArray<Step>) => Answer
  /** An error in the middle of a 200, as this dialect words it. */
  readonly error: (code: string, message: string) => string
  /** A document that is an error. */
  readonly errorDocument: (code: string, message: string) => Answer
  /** The items of a request's conversation. */
  readonly items: (body: string) => ReadonlyArray<Readonly<Record<string, unknown>>>
}

const chatUsage = {
  prompt_tokens: 20,
  completion_tokens: 9,
  prompt_tokens_details: { cached_tokens: 16 },
  completion_tokens_details: { reasoning_tokens: 4 }
}

const zeros = { prompt_tokens: 0, completion_tokens: 0, input_tokens: 0, output_tokens: 0, total_tokens: 0 }

const chatChunks = ({ calls = [], reasoning, text }: Said): ReadonlyArray<string> => [
  HEAD,
  ...(reasoning === undefined ? [] : [delta({ reasoning_content: reasoning })]),
  ...(text === undefined ? [] : [delta({ content: text.slice(0, 2) }), delta({ content: text.slice(2) })]),
  ...callChunks(calls.map((call) => ({ ...call, pieces: 3 })))
]

const chatReason = ({ calls = [], end }: Said): string => end ?? (calls.length > 0 ? "tool_calls" : "stop")

const chat: Script = {
  api: "chat",
  path: "/v1/chat/completions",
  whole: (said) => (asked) => {
    const { calls = [], reasoning, text } = said
    const counts = said.uncounted === true ? zeros : chatUsage
    if (asked.stream) return stream(...chatChunks(said), finish(chatReason(said)), usage(counts), DONE)
    const tool_calls = calls.map(({ id, name, arguments: args }) => ({
      id,
      type: "function",
      function: { name, arguments: args }
    }))
    const message = {
      role: "assistant",
      content: text ?? null,
      reasoning_content: reasoning,
      ...(calls.length > 0 ? { tool_calls } : {})
    }
    return json({ model: "fake-model", choices: [{ message, finish_reason: chatReason(said) }], usage: counts })
  },
  broken: (said, ...steps) => stream(...chatChunks(said), ...steps),
  error: (code, message) => event({ error: { code, message } }),
  errorDocument: (code, message) => refusal(200, { code, message }),
  items: (body) => (JSON.parse(body) as { messages: ReadonlyArray<Readonly<Record<string, unknown>>> }).messages
}

const responsesUsage = {
  input_tokens: 20,
  output_tokens: 9,
  input_tokens_details: { cached_tokens: 16 },
  output_tokens_details: { reasoning_tokens: 4 },
  total_tokens: 29
}

const told = (type: string, fields: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: 0, ...fields })}\n\n`

const output = ({ calls = [], encrypted, reasoning, text }: Said) => [
  ...(reasoning === undefined && encrypted === undefined
    ? []
    : [
        {
          type: "reasoning",
          id: "rs_1",
          summary: reasoning === undefined ? [] : [{ type: "summary_text", text: reasoning }],
          ...(encrypted === undefined ? {} : { encrypted_content: encrypted })
        }
      ]),
  ...(text === undefined
    ? []
    : [{ type: "message", id: "msg_1", role: "assistant", content: [{ type: "output_text", text, annotations: [] }] }]),
  ...calls.map(({ id, name, arguments: args }) => ({
    type: "function_call",
    id: `fc_${id}`,
    call_id: id,
    name,
    arguments: args
  }))
]

const response = (said: Said) => ({
  id: "resp_1",
  object: "response",
  model: "fake-model",
  error: null,
  output: output(said),
  usage: said.uncounted === true ? zeros : responsesUsage,
  status: said.end === undefined ? "completed" : "incomplete",
  incomplete_details: said.end === undefined ? null : { reason: said.end === "length" ? "max_output_tokens" : said.end }
})

/** Each item as its pieces come; the beginning and the end of an item around them. */
const pieces = (item: ReturnType<typeof output>[number], output_index: number): ReadonlyArray<string> => {
  const at = { output_index, item_id: item.id }
  const added = (bare: object) => told("response.output_item.added", { output_index, item: { ...item, ...bare } })
  const done = told("response.output_item.done", { output_index, item })
  if ("call_id" in item) {
    const third = Math.ceil(item.arguments.length / 3)
    const cut = [0, 1, 2].map((i) => item.arguments.slice(i * third, (i + 1) * third))
    const deltas = cut.map((piece) => told("response.function_call_arguments.delta", { ...at, delta: piece }))
    const all = told("response.function_call_arguments.done", { ...at, arguments: item.arguments })
    return [added({ arguments: "" }), ...deltas, all, done]
  }
  if ("content" in item) {
    const text = item.content[0]?.text ?? ""
    const deltas = [text.slice(0, 2), text.slice(2)].map((piece) =>
      told("response.output_text.delta", { ...at, content_index: 0, delta: piece })
    )
    return [
      added({ content: [] }),
      ...deltas,
      told("response.output_text.done", { ...at, content_index: 0, text }),
      done
    ]
  }
  const summary = item.summary.map(({ text }, summary_index) =>
    told("response.reasoning_summary_text.delta", { ...at, summary_index, delta: text })
  )
  return [added({ summary: [], encrypted_content: "half" }), ...summary, done]
}

const responsesEvents = (said: Said): ReadonlyArray<string> => [
  told("response.created", { response: { ...response(said), status: "in_progress", output: [], usage: null } }),
  ...output(said).flatMap(pieces)
]

const responses: Script = {
  api: "responses",
  path: "/v1/responses",
  whole: (said) => (asked) => {
    if (!asked.stream) return json(response(said))
    const last = said.end === undefined ? "response.completed" : "response.incomplete"
    return stream(...responsesEvents(said), told(last, { response: response(said) }))
  },
  broken: (said, ...steps) => stream(...responsesEvents(said), ...steps),
  error: (code, message) =>
    told("response.failed", {
      response: { ...response({}), status: "failed", error: { code, message }, usage: null, output: [] }
    }),
  errorDocument: (code, message) => json({ ...response({}), status: "failed", error: { code, message } }),
  items: (body) => (JSON.parse(body) as { input: ReadonlyArray<Readonly<Record<string, unknown>>> }).input
}

export const scripts: ReadonlyArray<Script> = [chat, responses]
