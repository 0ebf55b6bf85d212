/**
 * The order that the facts of a session promise (PROTOCOL §2, "Ordering"; R040), for facts that come from elsewhere.
 * Owns: what may follow what. Does not own: their shapes (Event). Invariants: one task at a time and nothing of it behind
 * its one end; a call is made before anything is said of it and has one result.
 */
import { type DurableBody, isTerminal } from "./Event.ts"

/** Takes facts in their order; gives why one of them cannot stand there. */
export type Order = (seq: number, body: DurableBody) => string | undefined

export const make = (): Order => {
  let running: string | undefined
  let [made, done] = [new Set<string>(), new Set<string>()]
  const taskFault = (body: DurableBody): string | undefined => {
    if (body.type === "task_started") return running === undefined ? undefined : "the task before it has not ended"
    const task = "task_id" in body ? body.task_id : undefined
    return task === undefined || task === running ? undefined : "its task does not run there"
  }
  const callFault = (body: DurableBody): string | undefined => {
    if (!("call_id" in body)) return undefined
    if (body.type === "tool_call") return made.has(body.call_id) ? "its call was made before" : undefined
    if (!made.has(body.call_id)) return "its call was not made"
    return body.type === "tool_result" && done.has(body.call_id) ? "its call has its result already" : undefined
  }
  const take = (body: DurableBody): void => {
    if (body.type === "task_started") running = body.task_id
    if (body.type === "tool_call") made.add(body.call_id)
    if (body.type === "tool_result") done.add(body.call_id)
    if (!isTerminal(body)) return
    running = undefined
    ;[made, done] = [new Set(), new Set()]
  }
  return (seq, body) => {
    const beyond = "up_to_seq" in body && body.up_to_seq >= seq ? "it is about facts that come later" : undefined
    const fault = beyond ?? taskFault(body) ?? callFault(body)
    if (fault === undefined) take(body)
    return fault
  }
}
