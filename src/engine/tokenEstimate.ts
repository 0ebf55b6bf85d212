/**
 * How many tokens a request probably has, where nobody counted. Owns: a figure that is rather too large than too small,
 * made once for each message. Pure but for that memory. Does not own: real counting (a tokenizer is given by whoever has one).
 */
import type { AssistantMessage, Message, ToolDefinition } from "../domain/Message.ts"
import type { ModelRequest } from "../provider/Provider.ts"

/** What a server puts around each message. */
const AROUND = 8
/** Latin text has about four characters a token, code fewer; of other scripts a character is a token. */
const ASCII_PER_TOKEN = 3

export const textTokens = (text: string): number => {
  let wide = 0
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) wide += 1
  return Math.ceil((text.length - wide) / ASCII_PER_TOKEN) + wide
}

/** Of what an answer said, where its server did not count. */
export const answerTokens = ({ content, reasoning = "", tool_calls }: AssistantMessage): number =>
  textTokens(content) +
  textTokens(reasoning) +
  tool_calls.reduce((sum, call) => sum + textTokens(call.tool_name + call.arguments), 0)

const known = new WeakMap<object, number>()

const remembered = <A extends object>(value: A, count: (value: A) => number): number => {
  const found = known.get(value)
  if (found !== undefined) return found
  const made = count(value)
  known.set(value, made)
  return made
}

const messageTokens = (message: Message): number => {
  const own = AROUND + textTokens(message.content)
  if (message.role !== "assistant") return own
  const calls = message.tool_calls.map(({ tool_name, arguments: args }) => AROUND + textTokens(tool_name + args))
  return own + textTokens(message.reasoning ?? "") + calls.reduce((sum, tokens) => sum + tokens, 0)
}

const toolTokens = (tools: ReadonlyArray<ToolDefinition>): number =>
  tools.reduce((sum, tool) => sum + AROUND + textTokens(JSON.stringify(tool)), 0)

export const estimateTokens = ({ messages, tools }: ModelRequest): number =>
  messages.reduce((sum, message) => sum + remembered(message, messageTokens), AROUND) + remembered(tools, toolTokens)
