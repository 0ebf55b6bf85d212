/**
 * Which question takes the focus as it appears. Owns: who answers is taken on to the next one; who asked for one is taken
 * to it. Invariant: what somebody has begun to write is left for none but the one that was asked for.
 */
import { useEffect, useRef } from "react"
import type { RequestId } from "../../domain/Ids.ts"
import { isFree } from "./useRest.ts"

const FOLLOW_MS = 10_000

/** Until when the next card takes the focus: somebody answered here a moment ago, by keys or not. */
let followUntil = 0
let wanted: { readonly id: RequestId; readonly until: number } | undefined

/** What is not measured yet is not seen, and takes no focus: a list shows it a few frames later. */
const FRAMES = 30

const focusOn = (card: HTMLElement, frames = FRAMES): void => {
  card.focus({ preventScroll: false })
  if (document.activeElement === card || frames === 0 || !card.isConnected) return
  requestAnimationFrame(() => focusOn(card, frames - 1))
}

export const followNext = (): void => {
  followUntil = performance.now() + FOLLOW_MS
}

/** The card of this question, as soon as it is there. */
export const wantQuestion = (id: RequestId): void => {
  wanted = { id, until: performance.now() + FOLLOW_MS }
}

export const useFollow = (id: RequestId) => {
  const card = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const now = performance.now()
    const isWanted = wanted?.id === id && now < wanted.until
    if (isWanted) wanted = undefined
    if (card.current !== null && (isWanted || (now < followUntil && isFree()))) focusOn(card.current)
  }, [id])
  return card
}
