/**
 * A request as the bytes that are sent. Owns: the wire form of messages and tools, and the stability of that text: each
 * message is serialised once per conversation, and `messages` comes last, so that request n+1 begins with request n
 * byte for byte and the server's prompt cache holds (LESSONS 15). Does not own: keeping those bytes (bodyBytes.ts).
 * Invariant: never an empty id, an empty `tool_calls`, unparseable arguments, a name the API refuses, or a lone
 * surrogate (LESSONS 12).
 */
import type { Message, ToolCall, ToolDefinition } from "../../domain/Message.ts"
import type { Profile } from "../Profiles.ts"
import type { ModelRequest } from "../Provider.ts"
import { append, type BodyBytes, openBytes, textAt, upTo, view } from "./bodyBytes.ts"
import { isObjectText } from "./objectScan.ts"

/** What strict servers accept as a function's name. */
const wireName = (name: string): string => {
  const clean = name.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, 64)
  return clean === "" ? "unnamed" : clean
}

const wireCall = ({ call_id, tool_name, arguments: args }: ToolCall) => ({
  id: call_id,
  type: "function",
  function: { name: wireName(tool_name), arguments: isObjectText(args) ? args : "{}" }
})

const wireMessage = (message: Message, profile: Profile): unknown => {
  switch (message.role) {
    case "tool":
      return { role: "tool", tool_call_id: message.call_id, content: message.content }
    case "assistant": {
      const { content, reasoning, tool_calls } = message
      const replay = profile.replay_reasoning
      return {
        role: "assistant",
        content: content === "" && tool_calls.length > 0 ? null : content,
        ...(replay === undefined || reasoning === undefined ? {} : { [replay]: reasoning }),
        ...(tool_calls.length === 0 ? {} : { tool_calls: tool_calls.map(wireCall) })
      }
    }
    default:
      return { role: message.role, content: message.content }
  }
}

/** `JSON.stringify` writes a lone surrogate as an escape that strict servers refuse; such a text is mended first. */
const LONE = /\\ud[89a-f][0-9a-f]{2}/i
const json = (value: unknown): string => {
  const text = JSON.stringify(value)
  if (!LONE.test(text)) return text
  return JSON.stringify(value, (_, inner: unknown) => (typeof inner === "string" ? inner.toWellFormed() : inner))
}

const wireTool = ({ name, description, parameters }: ToolDefinition) => ({
  type: "function",
  function: { name, description, parameters }
})

interface Kept {
  readonly tools: ReadonlyArray<ToolDefinition>
  readonly toolsText: string
  readonly messages: ReadonlyArray<Message>
  readonly body: BodyBytes
  readonly head: string
}

/** Where a request first differs from the one before it in the same conversation. */
export interface Difference {
  readonly where: "head" | number
  readonly before: string
  readonly after: string
}

/** The chunks of a body, in order: they belong to the encoder and are not written to. */
export type Chunks = ReadonlyArray<Uint8Array>

export interface Encoded {
  readonly body: Chunks
  /** Present where the prompt cache is lost: the request does not begin with the last one. */
  readonly difference: Difference | undefined
}

const TAIL = Buffer.from("]}")

/** How many messages two requests begin with in common. */
const sharedCount = (before: ReadonlyArray<Message>, after: ReadonlyArray<Message>): number => {
  let count = 0
  while (count < before.length && before[count] === after[count]) count++
  return count
}

/** `texts`: of the messages from `shared` on. */
const differenceOf = (
  kept: Kept | undefined,
  head: string,
  shared: number,
  texts: ReadonlyArray<string>
): Difference | undefined => {
  if (kept === undefined) return undefined
  if (kept.head !== head) return { where: "head", before: kept.head, after: head }
  for (let where = shared; where < kept.messages.length; where++) {
    const before = textAt(kept.body, where)
    const after = texts[where - shared] ?? ""
    if (before !== after) return { where, before, after }
  }
  return undefined
}

const toolsField = (tools: string, profile: Profile): string =>
  `,"tools":${tools}${profile.parallel_tool_calls ? "" : `,"parallel_tool_calls":false`}`

const limitField = (request: ModelRequest, profile: Profile): string =>
  request.max_output_tokens === undefined ? "" : `,"${profile.max_tokens_field}":${request.max_output_tokens}`

/** Encodes requests of one provider, and remembers each conversation's bytes as long as its object lives. */
export const makeEncoder = (profile: Profile, default_model: string) => {
  const conversations = new WeakMap<object, Kept>()
  return (request: ModelRequest, streaming: boolean): Encoded => {
    const { conversation, messages, tools } = request
    const kept = conversation === undefined ? undefined : conversations.get(conversation)
    const toolsText = kept?.tools === tools ? kept.toolsText : json(tools.map(wireTool))
    const stream = streaming
      ? `,"stream":true${profile.usage_in_stream ? `,"stream_options":{"include_usage":true}` : ""}`
      : ""
    const model = JSON.stringify(request.model ?? default_model)
    const offered = tools.length === 0 ? "" : toolsField(toolsText, profile)
    const head = `{"model":${model}${stream}${limitField(request, profile)}${offered},"messages":[`
    const shared = kept?.head === head ? sharedCount(kept.messages, messages) : 0
    const texts = messages.slice(shared).map((message) => json(wireMessage(message, profile)))
    const difference = differenceOf(kept, head, shared, texts)
    const body = kept?.head === head ? upTo(kept.body, shared) : openBytes(head)
    for (const text of texts) append(body, text)
    if (conversation !== undefined) conversations.set(conversation, { tools, toolsText, messages, body, head })
    return { body: [view(body), TAIL], difference }
  }
}
