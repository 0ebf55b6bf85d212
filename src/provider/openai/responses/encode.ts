/**
 * What a request of `/responses` is on the wire. Owns: the form of items, tools and limits, and which reasoning goes back.
 * Does not own: the stability of the bytes (encoder.ts), reading reasoning items (answer.ts).
 * Invariants: nothing is kept by the server (`store: false`), so that all it needs is in the request; reasoning goes back
 * only to the server and the model that it came from, in front of what followed from it (LESSONS 9).
 */
import type { AssistantMessage, Message, ToolCall, ToolDefinition } from "../../../domain/Message.ts"
import type { Profile } from "../../Profiles.ts"
import { encoderOf, type Wire, wireName } from "../encoder.ts"
import { isObjectText } from "../objectScan.ts"

/** Whose reasoning it is, so that it is never sent to another. */
export interface Whose {
  readonly base_url: string
  readonly model: string
}

interface ReasoningState extends Whose {
  readonly items: ReadonlyArray<unknown>
}

/** What is stored with a message; undefined where the server gave nothing that it wants back. */
export const reasoningState = (whose: Whose, items: ReadonlyArray<unknown>): string | undefined =>
  items.length === 0 ? undefined : JSON.stringify({ ...whose, items } satisfies ReasoningState)

const reasoningItems = (state: string | undefined, { base_url, model }: Whose): ReadonlyArray<unknown> => {
  if (state === undefined) return []
  try {
    const found = JSON.parse(state) as Partial<ReasoningState> | null
    return found?.base_url === base_url && found.model === model && Array.isArray(found.items) ? found.items : []
  } catch {
    return []
  }
}

const wireCall = ({ call_id, tool_name, arguments: args }: ToolCall) => ({
  type: "function_call",
  call_id,
  name: wireName(tool_name),
  arguments: isObjectText(args) ? args : "{}"
})

const assistant = (
  { content, reasoning_state, tool_calls }: AssistantMessage,
  whose: Whose
): ReadonlyArray<unknown> => {
  const said = content === "" && tool_calls.length > 0 ? [] : [{ role: "assistant", content }]
  return [...reasoningItems(reasoning_state, whose), ...said, ...tool_calls.map(wireCall)]
}

const items = (message: Message, whose: Whose): ReadonlyArray<unknown> => {
  switch (message.role) {
    case "tool":
      return [{ type: "function_call_output", call_id: message.call_id, output: message.content }]
    case "assistant":
      return assistant(message, whose)
    default:
      return [{ role: message.role, content: message.content }]
  }
}

const tool = ({ name, description, parameters }: ToolDefinition) => ({
  type: "function",
  name,
  description,
  parameters,
  // What the model may leave out, it may leave out here, too.
  strict: false
})

/** `sealed`: reasoning is asked for; a model that does none refuses that. */
const responses = (profile: Profile, whose: Whose, sealed: boolean): Wire => ({
  tool,
  items: (message) => items(message, whose),
  head: ({ max_output_tokens, model = whose.model, tools }, streaming, toolsText) => {
    const limit = max_output_tokens === undefined ? "" : `,"max_output_tokens":${max_output_tokens}`
    const parallel = profile.parallel_tool_calls ? "" : `,"parallel_tool_calls":false`
    const offered = tools.length === 0 ? "" : `,"tools":${toolsText}${parallel}`
    const kept = `,"store":false${sealed ? `,"include":["reasoning.encrypted_content"]` : ""}`
    return `{"model":${JSON.stringify(model)}${streaming ? `,"stream":true` : ""}${kept}${limit}${offered},"input":[`
  }
})

/** An encoder for each model that is asked, since reasoning goes back to its own alone. `reasons`: the configured one does. */
export const makeResponsesEncoder = (profile: Profile, whose: Whose, reasons: boolean) => {
  const encoders = new Map<string, ReturnType<typeof encoderOf>>()
  const encoderFor = (model: string) => {
    const encoder =
      encoders.get(model) ?? encoderOf(responses(profile, { ...whose, model }, reasons && model === whose.model))
    encoders.set(model, encoder)
    return encoder
  }
  return (...args: Parameters<ReturnType<typeof encoderOf>>) => encoderFor(args[0].model ?? whose.model)(...args)
}
