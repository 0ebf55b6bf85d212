/**
 * What a connection asked for and is not done yet (R183, R188): runs beside its input loop, so that one message that
 * waits makes it deaf to none. Owns: the order among those that wait, and how many may. Does not own: what they do.
 * Invariants: what has an order keeps it, however long the first takes; the loop waits for a message a moment only,
 * so that what is behind it finds it done where nothing holds it up; more than `MOST` never wait.
 */
import { Deferred, Effect, Fiber } from "effect"
import type { ClientMessage } from "../protocol/ClientMessage.ts"
import { endWith, type Peer } from "./peer.ts"

/** Messages of one connection that may wait. */
const MOST = 32
/** What a message takes that nothing holds up, on a busy machine. */
const MOMENT_MS = 200
/** Whoever goes says so behind what it asked for, which has this long. */
const LAST_MS = 5_000

export interface Beside {
  count: number
  /** Of these, those that say which session it shall be. */
  choosing: number
  /** The end of the last one that has an order. */
  last: Deferred.Deferred<void> | undefined
}

export const make = (): Beside => ({ count: 0, choosing: 0, last: undefined })

const chooses = (type: ClientMessage["type"]): boolean => type === "hello" || type === "resume"

/** About the session as it is, whatever else was asked for: these are what frees one that waits. */
const AT_ONCE: ReadonlySet<ClientMessage["type"]> = new Set(["interrupt", "status", "approval_response"])

const hasOrder = (peer: Peer, type: ClientMessage["type"]): boolean =>
  !AT_ONCE.has(type) || peer.attached === undefined || peer.refused !== undefined || peer.beside.choosing > 0

const counted = ({ beside }: Peer, type: ClientMessage["type"], work: Effect.Effect<void>) => {
  const choosing = chooses(type) ? 1 : 0
  beside.count += 1
  beside.choosing += choosing
  return Effect.ensuring(
    work,
    Effect.sync(() => {
      beside.count -= 1
      beside.choosing -= choosing
    })
  )
}

const inOrder = ({ beside }: Peer, work: Effect.Effect<void>) => {
  const before = beside.last
  const done = Deferred.makeUnsafe<void>()
  beside.last = done
  const turn = before === undefined ? work : Effect.andThen(Deferred.await(before), work)
  return Effect.ensuring(turn, Deferred.succeed(done, undefined))
}

/** Whatever is wrong in here is ours, and the client is told so. */
export const guarded = (peer: Peer, work: Effect.Effect<void>) =>
  Effect.catchDefect(work, (defect) =>
    Effect.andThen(
      Effect.logError("a conversation failed", defect),
      Effect.sync(() => endWith(peer, "internal"))
    )
  )

/** Begins it; returns when it is done, or waits. `full`: too many do, and this one is not begun. */
export const run = (peer: Peer, type: ClientMessage["type"], work: Effect.Effect<void>, full: Effect.Effect<void>) =>
  Effect.suspend(() => {
    const { beside, principal } = peer
    if (type === "ping" || type === "pong") return work
    if (type === "close") return Effect.andThen(settled(peer), work)
    // Who it is comes before whatever it says.
    if (principal === undefined) return work
    if (beside.count >= MOST) return full
    const ordered = hasOrder(peer, type)
    const behind = ordered && beside.last !== undefined && !Deferred.isDoneUnsafe(beside.last)
    const begun = counted(peer, type, ordered ? inOrder(peer, work) : work)
    return Effect.flatMap(Effect.forkIn(guarded(peer, begun), peer.scope, { startImmediately: true }), (fiber) =>
      behind || fiber.pollUnsafe() !== undefined
        ? Effect.void
        : Effect.asVoid(Effect.timeoutOption(Fiber.await(fiber), MOMENT_MS))
    )
  })

/** Ends when nothing that has an order waits. */
export const done = ({ beside }: Peer): Effect.Effect<void> =>
  Effect.suspend(() => (beside.last === undefined ? Effect.void : Deferred.await(beside.last)))

/** The same, for somebody who goes: not for ever. */
export const settled = (peer: Peer): Effect.Effect<void> =>
  Effect.suspend(() =>
    peer.beside.count === 0 ? Effect.void : Effect.asVoid(Effect.timeoutOption(done(peer), LAST_MS))
  )
