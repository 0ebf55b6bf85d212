/** What a session's journal holds as it is opened. Owns: reading it to its end. Invariant: nothing is changed. */
import { Effect } from "effect"
import { isPrivate } from "../domain/Event.ts"
import { foldAll } from "../domain/Fold.ts"
import type { SessionKey } from "../domain/Principal.ts"
import { initial, type SessionState } from "../domain/Session.ts"
import type { Journal } from "../store/Journal.ts"
import * as CallMarks from "./callMarks.ts"
import * as Damage from "./damage.ts"
import * as UndoLog from "./undoLog.ts"

/** Folds everything stored; a damaged public record keeps its number. */
export const load = Effect.fnUntraced(function* (journal: Journal["Service"], key: SessionKey) {
  let state: SessionState = initial
  let undo = UndoLog.initial
  const damaged: Array<number> = []
  const damage = Damage.make()
  const marks = CallMarks.make()
  for (let after = 0, more = true; more;) {
    const page = yield* journal.read(key, after)
    state = foldAll(
      state,
      page.records.flatMap(({ body, seq }) => (seq === undefined || isPrivate(body) ? [] : [{ seq, body }]))
    )
    for (const { body, ts } of page.records) undo = UndoLog.fold(undo, body, ts)
    marks.take(page.records)
    damaged.push(...page.damaged)
    damage.take(page)
    after = Math.max(page.records.at(-1)?.pos ?? after, ...page.damaged.slice(-1), after)
    more = page.more
  }
  return { state, undo, damaged, marks, isReadOnly: damage.open().length > 0 }
})

export type Found = Effect.Success<ReturnType<typeof load>>
