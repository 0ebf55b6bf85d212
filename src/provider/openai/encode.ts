/**
 * A request as the text that is sent. Owns: the wire form of messages and tools, and the stability of that text: each
 * message is serialised once per conversation, and `messages` comes last, so that request n+1 begins with request n
 * byte for byte and the server's prompt cache holds (LESSONS 15).
 * Invariant: never an empty id, an empty `tool_calls`, unparseable arguments, a name the API refuses, or a lone
 * surrogate (LESSONS 12).
 */
import type { Message, ToolCall, ToolDefinition } from "../../domain/Message.ts"
import type { Profile } from "../Profiles.ts"
import type { ModelRequest } from "../Provider.ts"
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
  readonly texts: ReadonlyArray<string>
  readonly head: string
}

/** Where a request first differs from the one before it in the same conversation. */
export interface Difference {
  readonly where: "head" | number
  readonly before: string
  readonly after: string
}

export interface Encoded {
  readonly body: string
  /** Present where the prompt cache is lost: the request does not begin with the last one. */
  readonly difference: Difference | undefined
}

const differenceOf = (before: Kept | undefined, after: Kept): Difference | undefined => {
  if (before === undefined) return undefined
  if (before.head !== after.head) return { where: "head", before: before.head, after: after.head }
  const at = before.texts.findIndex((text, i) => text !== after.texts[i])
  return at < 0 ? undefined : { where: at, before: before.texts[at] ?? "", after: after.texts[at] ?? "" }
}

const toolsField = (tools: string, profile: Profile): string =>
  `,"tools":${tools}${profile.parallel_tool_calls ? "" : `,"parallel_tool_calls":false`}`

const limitField = (request: ModelRequest, profile: Profile): string =>
  request.max_output_tokens === undefined ? "" : `,"${profile.max_tokens_field}":${request.max_output_tokens}`

/** Encodes requests of one provider, and remembers each conversation's texts as long as its object lives. */
export const makeEncoder = (profile: Profile, default_model: string) => {
  const conversations = new WeakMap<object, Kept>()
  return (request: ModelRequest, streaming: boolean): Encoded => {
    const kept = request.conversation === undefined ? undefined : conversations.get(request.conversation)
    const texts = request.messages.map((message, i) => {
      const text = kept?.messages[i] === message ? kept.texts[i] : undefined
      return text ?? json(wireMessage(message, profile))
    })
    const toolsText = kept?.tools === request.tools ? kept.toolsText : json(request.tools.map(wireTool))
    const stream = streaming
      ? `,"stream":true${profile.usage_in_stream ? `,"stream_options":{"include_usage":true}` : ""}`
      : ""
    const tools = request.tools.length === 0 ? "" : toolsField(toolsText, profile)
    const model = JSON.stringify(request.model ?? default_model)
    const head = `{"model":${model}${stream}${limitField(request, profile)}${tools},"messages":[`
    const now: Kept = { tools: request.tools, toolsText, messages: request.messages, texts, head }
    if (request.conversation !== undefined) conversations.set(request.conversation, now)
    return { body: `${head}${texts.join(",")}]}`, difference: differenceOf(kept, now) }
  }
}
