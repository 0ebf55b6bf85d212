/**
 * The commits of one session, one at a time and in order. Owns: who writes. What arrives while an append is under way
 * waits and goes into the next one together, so that eight calls that start at once cost two appends, not eight.
 * Invariants: a commit that has begun is finished, also under interruption; nobody writes for others after its own
 * append, the first who waits takes over; what was put off is in front of the next append, or of the one after a failure.
 */
import { Deferred, Effect, Exit } from "effect"
import type { ReportBody } from "../domain/Event.ts"
import type { SessionState } from "../domain/Session.ts"
import type { ReportError } from "../engine/Reporter.ts"

/** A fact and when it was reported: one that was put off keeps its time. */
export interface Reported {
  /** RFC 3339 with milliseconds. */
  readonly ts: string
  readonly body: ReportBody
}

type Facts = ReadonlyArray<Reported>
/** Facts, or how they follow from the state behind `before`, which are to be stored in front of them. */
type Given = Facts | ((before: Facts) => Facts)
/** The facts of one append, those left out that a doubtful append had stored after all. */
export type Gather = (there: Facts) => Facts
type Outcome = Exit.Exit<SessionState, ReportError>

interface Waiting {
  readonly given: Given
  /** Opens when there is an outcome, or when it is this one's turn to write. */
  readonly turn: Deferred.Deferred<void>
  outcome: Outcome | undefined
}

export interface CommitQueue {
  readonly commit: (given: Given) => Effect.Effect<SessionState, ReportError>
  /** Facts that go in front of the next append; a commit of nothing stores them alone. */
  readonly later: (facts: Facts) => void
}

const isNothing = (given: Given): boolean => typeof given !== "function" && given.length === 0

const without = (facts: Facts, there: Facts): Facts =>
  there.length === 0 ? facts : facts.filter((fact) => !there.includes(fact))

/** One append: what was put off, then what is given. */
const gathering = (putOff: Facts, given: ReadonlyArray<Given>) => {
  let front = putOff
  const gather: Gather = (there) => {
    front = without(front, there)
    return given.reduce<Facts>((before, one) => {
      const facts = typeof one === "function" ? one(before) : without(one, there)
      return facts.length === 0 ? before : before.concat(facts)
    }, front)
  }
  /** What turns out to be stored is not put off any more, whatever becomes of the rest. */
  const left = () => front
  return { gather, left, isNothing: putOff.length === 0 && given.every(isNothing) }
}

export const make = (
  append: (gather: Gather) => Effect.Effect<SessionState, ReportError>,
  state: () => SessionState,
  /** False: what is stored is not known, and a commit of nothing finds it out. */
  certain: () => boolean = () => true
): CommitQueue => {
  let writing = false
  let queue: Array<Waiting> = []
  let putOff: Facts = []

  const passOn = () => {
    const [next] = queue
    if (next === undefined) writing = false
    else Deferred.doneUnsafe(next.turn, Effect.void)
  }
  const write = (first: Given, others: ReadonlyArray<Waiting>): Effect.Effect<SessionState, ReportError> => {
    const { gather, left, isNothing } = gathering(putOff, [first, ...others.map((other) => other.given)])
    putOff = []
    const stored = isNothing && certain() ? Effect.sync(state) : append(gather)
    return Effect.flatMap(Effect.exit(stored), (outcome) => {
      if (Exit.isFailure(outcome)) putOff = left().concat(putOff)
      for (const other of others) {
        other.outcome = outcome
        Deferred.doneUnsafe(other.turn, Effect.void)
      }
      passOn()
      return outcome
    })
  }
  const takeOver = (own: Waiting) =>
    Effect.suspend(() => {
      if (own.outcome !== undefined) return own.outcome
      const all = queue
      queue = []
      return write(own.given, all.slice(1))
    })
  const commit = (given: Given) =>
    Effect.uninterruptible(
      Effect.suspend(() => {
        // What was put off may be on its way: whoever waits for it may not overtake it.
        if (isNothing(given) && putOff.length === 0 && !writing && certain()) return Effect.succeed(state())
        if (!writing) {
          writing = true
          return write(given, [])
        }
        const own: Waiting = { given, turn: Deferred.makeUnsafe(), outcome: undefined }
        queue.push(own)
        return Effect.andThen(Deferred.await(own.turn), takeOver(own))
      })
    )
  return {
    commit,
    later: (facts) => {
      putOff = putOff.concat(facts)
    }
  }
}
