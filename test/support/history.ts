/** What a strict model API would refuse in a history; empty: nothing. (LESSONS 11, 12) */
import type { Message } from "../../src/domain/Message.ts"

const isObject = (text: string): boolean => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}

export const violations = (messages: ReadonlyArray<Message>): ReadonlyArray<string> => {
  const found: Array<string> = []
  let awaited: Array<string> = []
  for (const [index, message] of messages.entries()) {
    if (message.role !== "tool" && awaited.length > 0) found.push(`${index}: calls without result: ${awaited.join()}`)
    if (message.role === "tool") {
      if (awaited[0] !== message.call_id) found.push(`${index}: result ${message.call_id} where ${awaited[0]} is due`)
      awaited = awaited.slice(1)
    } else awaited = []
    if (message.content === "" && !(message.role === "assistant" && message.tool_calls.length > 0)) {
      found.push(`${index}: empty ${message.role}`)
    }
    if (!message.content.isWellFormed()) found.push(`${index}: ill-formed text`)
    if (message.role !== "assistant") continue
    awaited = message.tool_calls.map((call) => call.call_id)
    if (new Set(awaited).size !== awaited.length || awaited.includes("")) found.push(`${index}: bad ids`)
    for (const call of message.tool_calls) if (!isObject(call.arguments)) found.push(`${index}: bad arguments`)
  }
  if (awaited.length > 0) found.push(`end: calls without result: ${awaited.join()}`)
  return found
}
