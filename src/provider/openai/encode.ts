/**
 * What a request of `/chat/completions` is on the wire. Owns: the form of messages, tools and limits. Does not own: the
 * stability of the bytes (encoder.ts). Invariant: never an empty id, an empty `tool_calls`, unparseable arguments, or a
 * name the API refuses (LESSONS 12).
 */
import type { Message, ToolCall, ToolDefinition } from "../../domain/Message.ts"
import type { Profile } from "../Profiles.ts"
import type { ModelRequest } from "../Provider.ts"
import { encoderOf, type Wire, wireName } from "./encoder.ts"
import { isObjectText } from "./objectScan.ts"

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

const wireTool = ({ name, description, parameters }: ToolDefinition) => ({
  type: "function",
  function: { name, description, parameters }
})

const toolsField = (tools: string, profile: Profile): string =>
  `,"tools":${tools}${profile.parallel_tool_calls ? "" : `,"parallel_tool_calls":false`}`

const limitField = (request: ModelRequest, profile: Profile): string =>
  request.max_output_tokens === undefined ? "" : `,"${profile.max_tokens_field}":${request.max_output_tokens}`

const chat = (profile: Profile, default_model: string): Wire => ({
  tool: wireTool,
  items: (message) => [wireMessage(message, profile)],
  head: (request, streaming, tools) => {
    const stream = streaming
      ? `,"stream":true${profile.usage_in_stream ? `,"stream_options":{"include_usage":true}` : ""}`
      : ""
    const model = JSON.stringify(request.model ?? default_model)
    const offered = request.tools.length === 0 ? "" : toolsField(tools, profile)
    return `{"model":${model}${stream}${limitField(request, profile)}${offered},"messages":[`
  }
})

export const makeEncoder = (profile: Profile, default_model: string) => encoderOf(chat(profile, default_model))
