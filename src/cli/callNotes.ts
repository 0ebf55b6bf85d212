/**
 * The lines about tool calls for a reader of lines, in the order in which things happen. Owns: whose call a line is about,
 * where several are open. Invariant: a line can be told apart from its neighbours: an end that does not stand below its
 * beginning names its call, and calls of several subagents name their subagent.
 */
import type { SessionEvent } from "../domain/Event.ts"
import type { Locale } from "./Commands.ts"
import { argumentSummary, toolEnded, toolStarted } from "./toolNotes.ts"
import { sanitiseLine } from "./Sanitise.ts"
import { cut } from "./Width.ts"

const NAMED = 40
const TITLE = 24

const titled = (title: string): string => cut(sanitiseLine(title), TITLE)

/** Of one conversation. */
export const makeCallNotes = (locale: Locale) => {
  const open = new Map<string, string>()
  const subagents = new Map<string, string>()
  let last: string | undefined
  const whose = (parent: string | undefined): string => {
    if (parent === undefined) return ""
    const title = subagents.get(parent)
    return title === undefined || subagents.size < 2 ? "  " : `  [${titled(title)}] `
  }
  const ended = (event: Extract<SessionEvent, { type: "tool_result" }>): string => {
    const summary = open.get(event.call_id) ?? ""
    const which = last === event.call_id || summary === "" ? undefined : summary
    open.delete(event.call_id)
    last = undefined
    return `${whose(event.parent_call_id)}${toolEnded(event, locale, undefined, which)}\n`
  }
  return (event: SessionEvent): string => {
    switch (event.type) {
      case "subagent_started":
        subagents.set(event.parent_call_id, event.title)
        return ""
      case "subagent_ended":
        subagents.delete(event.parent_call_id)
        return ""
      case "tool_call":
        last = event.call_id
        open.set(event.call_id, argumentSummary(event.content, NAMED))
        return `${whose(event.parent_call_id)}${toolStarted(event.tool_name, event.content)}\n`
      case "tool_result":
        return ended(event)
      default:
        return ""
    }
  }
}
