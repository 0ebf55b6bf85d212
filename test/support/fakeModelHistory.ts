/**
 * What a strict model server refuses about a request's messages (LESSONS 11–13). Owns: the list of complaints; pure.
 * Invariant: an empty list means that any OpenAI-compatible server takes the history.
 */
type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  value !== null && typeof value === "object" && !Array.isArray(value)
const NAME = /^[A-Za-z0-9_-]{1,64}$/

const isObjectText = (value: unknown): boolean => {
  if (typeof value !== "string") return false
  try {
    return isFields(JSON.parse(value))
  } catch {
    return false
  }
}

const callComplaints = (call: unknown, at: string): ReadonlyArray<string> => {
  if (!isFields(call)) return [`${at} is not an object`]
  const fn = isFields(call.function) ? call.function : {}
  return [
    ...(typeof call.id === "string" && call.id !== "" ? [] : [`${at} has an empty id`]),
    ...(call.type === "function" ? [] : [`${at} has no type`]),
    ...(typeof fn.name === "string" && NAME.test(fn.name) ? [] : [`${at} has a bad name: ${String(fn.name)}`]),
    ...(isObjectText(fn.arguments) ? [] : [`${at} has arguments that are not a JSON object: ${String(fn.arguments)}`])
  ]
}

const loneSurrogates = (value: unknown, at: string): ReadonlyArray<string> => {
  if (typeof value === "string") return value.isWellFormed() ? [] : [`${at} has a lone surrogate`]
  if (Array.isArray(value)) return value.flatMap((inner, i) => loneSurrogates(inner, `${at}[${i}]`))
  return isFields(value) ? Object.entries(value).flatMap(([key, inner]) => loneSurrogates(inner, `${at}.${key}`)) : []
}

const contentComplaints = (message: Fields, at: string): ReadonlyArray<string> => {
  const { role, content } = message
  const calls = Array.isArray(message.tool_calls) && message.tool_calls.length > 0
  if (typeof content === "string" || Array.isArray(content)) return []
  return role === "assistant" && calls && content === null ? [] : [`${at} (${String(role)}) has no content`]
}

const resultsOf = (messages: ReadonlyArray<unknown>, from: number): ReadonlyArray<string> => {
  const ids: Array<string> = []
  for (let i = from; i < messages.length; i++) {
    const message = messages[i]
    if (!isFields(message) || message.role !== "tool") break
    ids.push(String(message.tool_call_id))
  }
  return ids
}

const assistantComplaints = (messages: ReadonlyArray<unknown>, i: number, seen: Set<string>): ReadonlyArray<string> => {
  const message = messages[i]
  const at = `messages[${i}]`
  if (!isFields(message) || message.tool_calls === undefined) return []
  if (!Array.isArray(message.tool_calls)) return [`${at}.tool_calls is not a list`]
  if (message.tool_calls.length === 0) return [`${at}.tool_calls is empty`]
  const ids = message.tool_calls.map((call: unknown) => (isFields(call) ? String(call.id) : ""))
  const repeated = ids.filter((id) => seen.has(id) || ids.indexOf(id) !== ids.lastIndexOf(id))
  for (const id of ids) seen.add(id)
  const results = resultsOf(messages, i + 1)
  const paired = JSON.stringify(ids) === JSON.stringify(results)
  return [
    ...message.tool_calls.flatMap((call: unknown, c) => callComplaints(call, `${at}.tool_calls[${c}]`)),
    ...repeated.map((id) => `${at} repeats the call id ${id}`),
    ...(paired ? [] : [`${at} made the calls ${ids.join(",")} but the results that follow are ${results.join(",")}`])
  ]
}

/** Complaints about a chat completion request's body, none for a good one. */
export const historyViolations = (body: unknown): ReadonlyArray<string> => {
  if (!isFields(body)) return ["the body is not a JSON object"]
  const { messages, tools } = body
  if (!Array.isArray(messages) || messages.length === 0) return ["messages is empty"]
  const found: Array<string> = [...loneSurrogates(messages, "messages")]
  if (Array.isArray(tools) && tools.length === 0) found.push("tools is an empty list")
  const seen = new Set<string>()
  let open = false
  let turns = 0
  messages.forEach((message: unknown, i) => {
    if (!isFields(message)) return found.push(`messages[${i}] is not an object`)
    found.push(...contentComplaints(message, `messages[${i}]`))
    if (message.role === "assistant") {
      found.push(...assistantComplaints(messages, i, seen))
      open = Array.isArray(message.tool_calls)
    } else if (message.role === "tool") {
      if (!open) found.push(`messages[${i}] is a tool result that follows no call`)
    } else {
      open = false
    }
    if (message.role !== "system" && turns++ === 0 && message.role !== "user") {
      found.push(`the history starts with a message of the role ${String(message.role)}`)
    }
    return undefined
  })
  return found
}
