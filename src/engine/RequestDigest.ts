/**
 * What a model was asked, as one digest (issue 5, SETTLED 6: `model_request {digest}`). Owns: the text that is digested,
 * and making it turn by turn without looking at old messages again. Does not own: how a provider writes a request down.
 * Invariants: equal requests have equal digests, whatever program of this format made them, and requests that differ in
 * a character do not; every text in it stands behind its length, so that no two requests have one text.
 */
import { createHash, type Hash } from "node:crypto"
import { stringify } from "../domain/Canonical.ts"
import type { Message, ToolDefinition } from "../domain/Message.ts"

const FORMAT = "claw-request 1"

/** All of a request but its history. */
export interface RequestHead {
  readonly model: string
  readonly system: string
  /** Canonical JSON of the tools that were offered. */
  readonly tools: string
  readonly max_output_tokens?: number
}

export const toolsText = (tools: ReadonlyArray<ToolDefinition>): string => stringify(tools)

const sized = (text: string): string => `${text.length}:${text}`

/** One message as it is digested. */
export const messageText = (message: Message): string => {
  const said = `${message.role} ${sized(message.content)}`
  switch (message.role) {
    case "tool":
      return `${said} ${sized(message.call_id)} ${sized(message.tool_name)}\n`
    case "assistant": {
      const reasoning = message.reasoning === undefined ? "-" : sized(message.reasoning)
      const calls = message.tool_calls.map(
        (call) => ` ${sized(call.call_id)} ${sized(call.tool_name)} ${sized(call.arguments)}`
      )
      // Requests of servers that want none are what they were before there was any.
      const state = message.reasoning_state === undefined ? "" : ` =${sized(message.reasoning_state)}`
      return `${said} ${reasoning}${state}${calls.join("")}\n`
    }
    default:
      return `${said}\n`
  }
}

const headText = ({ model, system, tools, max_output_tokens = 0 }: RequestHead): string =>
  `${FORMAT}\n${sized(model)} ${max_output_tokens} ${sized(system)} ${sized(tools)}\n`

export const headDigest = (head: RequestHead): string => createHash("sha256").update(headText(head)).digest("hex")

/**
 * The digests of requests that follow one another. `history`: the messages behind the system prompt. What the request
 * before held already is not read again, as long as its messages are the same objects.
 */
export const makeChain = (head: RequestHead): ((history: ReadonlyArray<Message>) => string) => {
  const start = headText(head)
  let seen: ReadonlyArray<Message> = []
  let hash: Hash | undefined
  return (history) => {
    const grew = hash !== undefined && seen.length <= history.length && seen.every((one, i) => one === history[i])
    const running = grew && hash !== undefined ? hash : createHash("sha256").update(start)
    for (let i = grew ? seen.length : 0; i < history.length; i++) {
      const message = history[i]
      if (message !== undefined) running.update(messageText(message))
    }
    seen = history
    hash = running
    return running.copy().digest("hex")
  }
}
