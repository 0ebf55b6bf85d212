/**
 * A session whose past is a copy of another's (issue 3). Pure but for one append. Owns: which facts are copied and how
 * the copy ends. Invariants: facts keep their `seq`; private records, grants, keys and what was spent stay behind; a
 * task that was open is closed as canceled and nothing waits, so that the copy is free for its first prompt.
 */
import { Effect } from "effect"
import { close } from "../domain/Decide.ts"
import { type DurableBody, isPrivate } from "../domain/Event.ts"
import { fold } from "../domain/Fold.ts"
import { newEventId } from "../domain/Ids.ts"
import type { SessionKey } from "../domain/Principal.ts"
import { initial, type SessionState } from "../domain/Session.ts"
import { none } from "../domain/Usage.ts"
import { Journal, type JournalRecord } from "../store/Journal.ts"
import { refuse } from "./apiProblem.ts"

/** What another session may have of a fact: neither its authority nor its keys nor its costs. */
const copied = (body: DurableBody): DurableBody => {
  switch (body.type) {
    case "task_started":
    case "prompt_queued": {
      const { idempotency_key: _key, ...rest } = body
      return rest
    }
    case "approval_resolved": {
      const { grant: _grant, grant_id: _id, ...rest } = body
      return rest
    }
    case "usage":
      return { ...body, session_usage: none }
    default:
      return body
  }
}

/** The facts that make the copy free: its task is closed, its waiting prompts are taken back. */
export const ending = (state: SessionState): ReadonlyArray<DurableBody> => [
  ...close(state, { status: "canceled", reason: "forked" }),
  ...state.queue.map(({ prompt_id, content }) => ({ type: "prompt_unqueued" as const, prompt_id, content }))
]

/** The whole journal of the copy. */
export const copyOf = (
  facts: ReadonlyArray<Pick<JournalRecord, "ts" | "body">>,
  now: string
): ReadonlyArray<JournalRecord> => {
  let state = initial
  const records: Array<JournalRecord> = []
  const add = (body: DurableBody, ts: string) => {
    state = fold(state, body)
    const at = records.length + 1
    records.push({ pos: at, seq: at, event_id: newEventId(), ts, body })
  }
  for (const { body, ts } of facts) if (!isPrivate(body)) add(copied(body), ts)
  for (const body of ending(state)) add(body, now)
  return records
}

/** Facts with `seq` up to `at`; one that cannot be read back refuses the copy, for its numbers would shift. */
export const factsUpTo = Effect.fnUntraced(function* (from: SessionKey, at: number) {
  const journal = yield* Journal
  const facts: Array<JournalRecord> = []
  for (let after = 0; after < at;) {
    const page = yield* journal.readPublic(from, after)
    if (page.damaged.length > 0) return yield* refuse("storage_unavailable")
    facts.push(...page.records.filter((record) => (record.seq ?? 0) <= at))
    if (!page.more) break
    after = page.records.at(-1)?.seq ?? at
  }
  return facts
})

export const writeCopy = Effect.fnUntraced(function* (to: SessionKey, records: ReadonlyArray<JournalRecord>) {
  const journal = yield* Journal
  const { epoch } = yield* journal.claim(to, "fork", () => false)
  if (records.length > 0) yield* journal.append(to, epoch, records, "copy")
  yield* journal.release(to, epoch)
})
