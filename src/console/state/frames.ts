/**
 * When what came over the wire is shown: once a frame for what a person looks at, a few times a second for the rest.
 * Invariant: however much comes, a session is shown at most once a frame; a hidden page is served by a timer.
 */
export type Flush = () => void

const BEHIND_MS = 250

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

const behind = lane((run) => setTimeout(run, BEHIND_MS))
const inFront = lane((run) => (document.hidden ? setTimeout(run, BEHIND_MS) : requestAnimationFrame(run)))

/** A frame that was asked for never comes once the page is hidden. */
export const watchVisibility = (): void => document.addEventListener("visibilitychange", () => inFront.run())

/** `watched`: somebody looks at it now. */
export const onFrame = (flush: Flush, watched: boolean): void => (watched ? inFront : behind).add(flush)
