/**
 * What a model reads and writes. Invariant of a history that is sent: every tool call of an assistant
 * message is followed by exactly one tool message with its id, in the calls' order (LESSONS 11).
 */
import type { CallId } from "./Ids.ts"

/** One call as the model asked for it. `arguments` is JSON text of an object. */
export interface ToolCall {
  readonly call_id: CallId
  readonly tool_name: string
  readonly arguments: string
}

export interface SystemMessage {
  readonly role: "system"
  readonly content: string
}

export interface UserMessage {
  readonly role: "user"
  readonly content: string
}

export interface AssistantMessage {
  readonly role: "assistant"
  readonly content: string
  /** Kept with the message; replayed only to servers whose profile wants it (LESSONS 9). */
  readonly reasoning?: string
  /** What the server wants back of its reasoning, as it came: unread by anybody else, bound to the server and the model. */
  readonly reasoning_state?: string
  readonly tool_calls: ReadonlyArray<ToolCall>
}

export interface ToolMessage {
  readonly role: "tool"
  readonly call_id: CallId
  readonly tool_name: string
  readonly content: string
}

export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage

/** A tool as a model sees it. `parameters` is a JSON Schema of an object. */
export interface ToolDefinition {
  readonly name: string
  readonly description: string
  readonly parameters: Readonly<Record<string, unknown>>
}
