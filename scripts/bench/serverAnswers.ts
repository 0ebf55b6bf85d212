/**
 * What the fake model server says: the bytes of its answers, serialised before they are needed, one HTTP chunk for each
 * server-sent event. Owns: the wire text. Does not own: sockets, time (server.ts).
 */

export interface Directive {
  readonly kind: string
  readonly options: Readonly<Record<string, number>>
}

/** A behaviour is chosen by the model's name: `kind:option=number,option=number`. */
export const parseDirective = (model: string): Directive => {
  const [kind = "", rest = ""] = model.split(":", 2)
  const options: Record<string, number> = {}
  for (const pair of rest.split(",")) {
    const [name = "", value = ""] = pair.split("=", 2)
    if (name !== "") options[name] = Number(value)
  }
  return { kind, options }
}

export const HEAD = Buffer.from(
  "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncache-control: no-cache\r\ntransfer-encoding: chunked\r\n\r\n"
)
const LAST_CHUNK = "0\r\n\r\n"

const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`

/** One event as one HTTP chunk. `delta` is JSON text. */
const event = (delta: string, finish = "null", more = ""): string =>
  chunk(
    `data: {"id":"chatcmpl-bench","object":"chat.completion.chunk","created":1700000000,"model":"bench",` +
      `"choices":[{"index":0,"delta":${delta},"finish_reason":${finish}}]${more}}\n\n`
  )

export const ROLE = Buffer.from(event(`{"role":"assistant","content":""}`))

const usage =
  `data: {"id":"chatcmpl-bench","object":"chat.completion.chunk","created":1700000000,"model":"bench",` +
  `"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":10,"total_tokens":20}}\n\n`

const ending = (finish: string): string =>
  event("{}", `"${finish}"`) + chunk(usage) + chunk("data: [DONE]\n\n") + LAST_CHUNK

export const END_OF_TEXT = Buffer.from(ending("stop"))

const ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789 "
const filler = (size: number): string => ALPHABET.repeat(Math.ceil(size / ALPHABET.length)).slice(0, size)

/** `count` deltas that carry the time at which they are sent, each at least `size` characters. */
export const stamped = (at: number, count: number, size: number): Buffer => {
  const text = `@${at};`
  return Buffer.from(event(`{"content":"${text}${filler(Math.max(0, size - text.length))}"}`).repeat(count))
}

const blocks = new Map<string, Buffer>()

/** `count` deltas of `size` characters, each its own event and chunk. */
export const textBlock = (size: number, count: number): Buffer => {
  const key = `${size} ${count}`
  const known = blocks.get(key)
  if (known !== undefined) return known
  const made = Buffer.from(event(`{"content":"${filler(size)}"}`).repeat(count))
  blocks.set(key, made)
  return made
}

const PROSE = `## What I found

The parser reads \`one line\` at a time and keeps **what is left** for the next read, so that nothing is looked at twice. It
fails where a line is longer than its buffer, which [the manual](https://example.org/manual) says in passing.

- \`read\` returns what there is
- \`rest\` keeps what is no line yet
- an *empty* line ends the head

\`\`\`ts
const lines = (text: string): ReadonlyArray<string> => {
  const all = (rest + text).split("\\n")
  rest = all.pop() ?? ""
  return all.filter((line) => line !== "")
}
\`\`\`

`
const words = PROSE.split(/(?<=\s)/).map((word) => Buffer.from(event(`{"content":${JSON.stringify(word)}}`)))

/** The delta with word `nth` of a text that goes round for ever. */
export const proseWord = (nth: number): Buffer => words[nth % words.length] ?? Buffer.alloc(0)

const pieces = (text: string, count: number): ReadonlyArray<string> => {
  const width = Math.ceil(text.length / count)
  return Array.from({ length: count }, (_, i) => text.slice(i * width, (i + 1) * width)).filter((piece) => piece !== "")
}

const toolCall = (index: number, id: string, name: string, args: string): string =>
  event(
    `{"tool_calls":[{"index":${index},"id":"${id}","type":"function","function":{"name":"${name}","arguments":""}}]}`
  ) +
  pieces(args, 4)
    .map((piece) => event(`{"tool_calls":[{"index":${index},"function":{"arguments":${JSON.stringify(piece)}}}]}`))
    .join("")

/** A whole answer that calls `name` `calls` times, its arguments in four pieces each. `nth` makes ids unique. */
export const toolAnswer = (nth: number, turn: number, calls: number, name: string, argumentSize: number): Buffer => {
  const made = Array.from({ length: calls }, (_, i) => {
    const args = { i: turn * calls + i, text: filler(argumentSize) }
    return toolCall(i, `call_${nth}_${i}`, name, JSON.stringify(args))
  })
  return Buffer.from(made.join("") + ending("tool_calls"))
}

export const DONE_ANSWER = Buffer.from(event(`{"content":"done"}`) + ending("stop"))

/** Calls bash once; the script prints its process group and then keeps two processes alive. */
export const bashAnswer = (nth: number): Buffer => {
  const args = JSON.stringify({ command: "echo pgid $$; sleep 600 & sleep 600" })
  return Buffer.from(toolCall(0, `call_${nth}_0`, "bash", args) + ending("tool_calls"))
}
