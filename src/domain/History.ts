/**
 * The messages of a session, as a model may be sent them. Invariant: for any state, each call of an assistant message
 * has exactly one tool message, right behind it, in the calls' order; no message is empty; nothing starts with a
 * result; text is well-formed UTF-16 (LESSONS 11, 12, 16). With one cache, messages of an unchanged item are the same
 * objects each time, so that a provider may keep their serialised form.
 */
import type { Message, ToolMessage } from "./Message.ts"
import type { AnswerItem, CallState, HistoryItem, SessionState } from "./Session.ts"

const PARTIAL = "[The answer was cut off here.]"
const NO_RESULT = "The call was interrupted and its outcome is unknown. Check before repeating it."
const NO_OUTPUT = "(no output)"

const observation = (call: CallState): ToolMessage => {
  const content = call.result === undefined ? NO_RESULT : call.result.result
  return {
    role: "tool",
    call_id: call.call_id,
    tool_name: call.tool_name,
    content: content === "" ? NO_OUTPUT : content.toWellFormed()
  }
}

const ofAnswer = (answer: AnswerItem): ReadonlyArray<Message> => {
  const text = answer.partial ? [answer.content, PARTIAL].filter((part) => part !== "").join("\n") : answer.content
  if (answer.calls.length === 0 && (answer.content === "" || text === "")) return []
  return [
    {
      role: "assistant",
      content: text.toWellFormed(),
      ...(answer.reasoning === undefined ? {} : { reasoning: answer.reasoning.toWellFormed() }),
      ...(answer.reasoning_state === undefined ? {} : { reasoning_state: answer.reasoning_state }),
      tool_calls: answer.calls.map(({ call_id, tool_name, arguments: args }) => ({
        call_id,
        tool_name,
        arguments: args
      }))
    },
    ...answer.calls.map(observation)
  ]
}

const ofItem = (item: HistoryItem): ReadonlyArray<Message> => {
  switch (item.kind) {
    case "prompt":
      return [{ role: "user", content: item.content.toWellFormed() }]
    case "summary":
      return [{ role: "user", content: `Summary of the conversation so far:\n${item.content.toWellFormed()}` }]
    case "note":
      return [{ role: "user", content: item.content.toWellFormed() }]
    case "answer":
      return ofAnswer(item)
  }
}

/** Messages made of items, kept by whoever asks again: an unchanged item gives the same objects. */
export type MessageCache = WeakMap<HistoryItem, ReadonlyArray<Message>>

/** The messages of one item. */
export const itemMessages = (item: HistoryItem, made: MessageCache): ReadonlyArray<Message> => {
  const found = made.get(item)
  if (found !== undefined) return found
  const fresh = ofItem(item)
  made.set(item, fresh)
  return fresh
}

/** The whole history, without the system prompt. */
export const messages = (state: SessionState, made: MessageCache = new WeakMap()): ReadonlyArray<Message> => {
  const all: Array<Message> = []
  for (const item of state.history) for (const message of itemMessages(item, made)) all.push(message)
  return all
}

/**
 * `messages` for one task's turns: what an earlier turn saw is not looked at again, as long as the history only grew,
 * so that the two-hundredth turn costs what the tenth did. `head` stands in front, the same object each time.
 */
export const makeView = (
  head: Message,
  made: MessageCache = new WeakMap()
): ((state: SessionState) => ReadonlyArray<Message>) => {
  let seen: ReadonlyArray<HistoryItem> = []
  let all: Array<Message> = [head]
  return ({ history }) => {
    const grew = seen.every((item, i) => item === history[i])
    const from = grew ? seen.length : 0
    if (from === 0) all = [head]
    for (let i = from; i < history.length; i++) {
      const item = history[i]
      if (item !== undefined) all.push(...itemMessages(item, made))
    }
    seen = history
    return all.slice()
  }
}
