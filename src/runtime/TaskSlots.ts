/**
 * How many tasks of the process run at once (R281). Owns: who runs, who waits, and each one's place.
 * Invariants: leave is given in the order of asking, and a session asks for one task at a time, so that no session
 * holds another one back; a place is never given up twice; what was accepted earlier (a queued prompt, a task that goes
 * on) waits whatever the limit of waiting is, since refusing it would lose it.
 */
import { Context, Deferred, Effect } from "effect"
import { type QueueLimit, unlimited as noLimit } from "../domain/Decide.ts"

export interface TaskTicket {
  /** Absent: the task may run at once. Otherwise ends when it may; interrupting it gives nothing up, `leave` does. */
  readonly wait: Effect.Effect<void> | undefined
  /** Called with the present place (1: next), then whenever it has changed; a far place in steps of a tenth. */
  readonly follow: (told: (position: number) => void) => void
  /** Gives the slot, or the place in the queue, to others. */
  readonly leave: () => void
}

export interface TaskSlots {
  /** `undefined` where too many wait already; `accepted` ones are never refused. Nothing happens in between. */
  readonly enter: (options: { readonly accepted: boolean }) => TaskTicket | undefined
  readonly running: () => number
  readonly waiting: () => number
  /** What may wait in one session meanwhile. */
  readonly queue: QueueLimit
}

/** Places up to this are told exactly: every change of every place would cost a message for each of thousands. */
const EXACT = 32

interface Waiter {
  readonly go: Deferred.Deferred<void>
  told: ((position: number) => void) | undefined
  last: number
}

const tell = (waiter: Waiter, position: number): void => {
  if (position === waiter.last || (position > EXACT && position > waiter.last * 0.9)) return
  waiter.last = position
  waiter.told?.(position)
}

const FREE: TaskTicket = { wait: undefined, follow: () => {}, leave: () => {} }

export const unlimited: TaskSlots = { enter: () => FREE, running: () => 0, waiting: () => 0, queue: noLimit }

export const make = (limits: {
  readonly running: number
  readonly waiting: number
  readonly queue?: QueueLimit
}): TaskSlots => {
  let running = 0
  const queue: Array<Waiter> = []

  const advance = () => {
    while (running < limits.running && queue.length > 0) {
      running += 1
      const next = queue.shift()
      if (next !== undefined) Deferred.doneUnsafe(next.go, Effect.void)
    }
    for (const [i, waiter] of queue.entries()) tell(waiter, i + 1)
  }
  const leave = (waiter: Waiter | undefined) => {
    const place = waiter === undefined ? -1 : queue.indexOf(waiter)
    if (place === -1) running -= 1
    else queue.splice(place, 1)
    advance()
  }
  const ticket = (waiter: Waiter | undefined): TaskTicket => {
    let held = true
    return {
      wait: waiter === undefined ? undefined : Deferred.await(waiter.go),
      follow: (told) => {
        if (waiter === undefined || !queue.includes(waiter)) return
        waiter.told = told
        tell(waiter, queue.indexOf(waiter) + 1)
      },
      leave: () => {
        if (held) leave(waiter)
        held = false
      }
    }
  }
  return {
    enter: ({ accepted }) => {
      if (queue.length === 0 && running < limits.running) {
        running += 1
        return ticket(undefined)
      }
      if (!accepted && queue.length >= limits.waiting) return undefined
      const waiter: Waiter = { go: Deferred.makeUnsafe(), told: undefined, last: Number.POSITIVE_INFINITY }
      queue.push(waiter)
      return ticket(waiter)
    },
    running: () => running,
    waiting: () => queue.length,
    queue: limits.queue ?? noLimit
  }
}

/** Without a limit unless the composition of a server says otherwise. */
export const TaskSlots = Context.Reference<TaskSlots>("claw/runtime/TaskSlots", { defaultValue: () => unlimited })
