/**
 * When what came over the wire is shown: at the next frame for what a person looks at, a few times a second for the rest.
 * Invariants: however much comes, it is shown at most 25 times a second, and less often where that takes long; what comes
 * after a pause is shown at once; a hidden page is served by a timer; a key is painted before any of it, and whoever types
 * has most frames to himself.
 */
export type Flush = () => void

const BEHIND_MS = 250
/** Text that comes in pieces of this length flows for whoever reads it. */
const LEAST_MS = 40

/** While somebody types, text comes about as often as keys do. */
const TYPING_MS = 120
/** So long after a key the frame is the key's own. */
const KEY_MS = 20
/** So long after a key somebody still types. */
const PAUSE_MS = 400

const lane = (schedule: (run: () => void) => void) => {
  const waiting = new Set<Flush>()
  let scheduled = false
  const run = () => {
    scheduled = false
    const all = Array.from(waiting)
    waiting.clear()
    for (const flush of all) flush()
  }
  return {
    run,
    add: (flush: Flush) => {
      waiting.add(flush)
      if (scheduled) return
      scheduled = true
      schedule(run)
    }
  }
}

/** What the last showing took, with its layout and its painting; it takes a third of the time at most. */
let cost = 0
let shown = 0

const measured = (run: () => void) => () => {
  const begun = performance.now()
  shown = begun
  run()
  // A message that is posted within a frame is heard once that frame is painted.
  const { port1, port2 } = new MessageChannel()
  port1.addEventListener("message", () => {
    cost = performance.now() - begun
    port1.close()
  })
  port1.start()
  port2.postMessage(0)
}

/** When a key was pressed last. */
let key = Number.NEGATIVE_INFINITY
const sinceKey = () => performance.now() - key

const nextFrame = (run: () => void): void => {
  const show = (): void =>
    void requestAnimationFrame(() => (sinceKey() < KEY_MS ? void setTimeout(show, KEY_MS) : measured(run)()))
  if (document.hidden) return void setTimeout(run, BEHIND_MS)
  const least = sinceKey() < PAUSE_MS ? TYPING_MS : LEAST_MS
  const rest = Math.min(BEHIND_MS, Math.max(least, cost * 2)) - (performance.now() - shown)
  if (rest <= 0) show()
  else setTimeout(show, rest)
}

const behind = lane((run) => setTimeout(run, BEHIND_MS))
const inFront = lane(nextFrame)

/** A frame that was asked for never comes once the page is hidden. */
export const watchPage = (): void => {
  document.addEventListener("visibilitychange", () => inFront.run())
  document.addEventListener("keydown", () => (key = performance.now()), { capture: true, passive: true })
}

/** `watched`: somebody looks at it now. */
export const onFrame = (flush: Flush, watched: boolean): void => (watched ? inFront : behind).add(flush)
