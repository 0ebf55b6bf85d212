/**
 * Where the focus goes when a question goes that had it: to the place where one writes. Owns: whether it was in the card.
 * Invariant: who answers question after question is taken from there to the next one, unless they have begun to write.
 */
import { type FocusEvent, type RefObject, useEffect, useLayoutEffect, useRef } from "react"

/** The place that was given the focus for want of a question. */
let rest: HTMLTextAreaElement | undefined

const isNowhere = (): boolean => document.activeElement === null || document.activeElement === document.body

/** The focus is where nobody has put it. */
export const isFree = (): boolean =>
  isNowhere() || (rest !== undefined && document.activeElement === rest && rest.value === "")

const restIn = (pane: Element): void => {
  const area = pane.querySelector<HTMLTextAreaElement>(".composer textarea")
  if (!isNowhere() || area === null) return
  rest = area
  area.focus()
}

/** `left`: called where the card goes. */
export const useRest = (card: RefObject<HTMLElement | null>, left: () => void) => {
  const inside = useRef(false)
  const heard = useRef(left)
  useEffect(() => {
    heard.current = left
  })
  useLayoutEffect(() => {
    const pane = card.current?.closest(".pane")
    return () => {
      heard.current()
      // Behind the next card, which may take it.
      if (inside.current && pane != null) requestAnimationFrame(() => restIn(pane))
    }
  }, [card])
  return {
    onFocus: () => {
      inside.current = true
    },
    // A button that is disabled loses it to nobody, and says nothing of it.
    onBlur: ({ currentTarget, relatedTarget }: FocusEvent) => {
      inside.current = relatedTarget === null ? inside.current : currentTarget.contains(relatedTarget)
    }
  }
}
