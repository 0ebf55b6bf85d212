/** The time, for what counts seconds: one clock for all of the page, and none while nobody looks at it. */
import { useSyncExternalStore } from "react"

const listeners = new Set<() => void>()
let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  now = Date.now()
  timer ??= setInterval(() => {
    now = Date.now()
    for (const heard of listeners) heard()
  }, 1_000)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}
const still = () => () => {}

/** Milliseconds since the epoch; `running` false: it stands still. */
export const useNow = (running = true): number => useSyncExternalStore(running ? subscribe : still, () => now)
