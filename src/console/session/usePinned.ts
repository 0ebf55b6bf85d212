/**
 * Where a conversation is scrolled to. Does not own: whether its end is followed (pin). Invariants: whoever is at the end
 * stays at the end while it grows; whoever reads further up is not moved.
 */
import { type KeyboardEvent, type MouseEvent, type RefObject, useCallback, useLayoutEffect, useState } from "react"
import { Pin } from "./pin.ts"

const HOLD_MS = 300
const UP: ReadonlySet<string> = new Set(["Home", "PageUp", "ArrowUp"])

/** With other keys held down most of these move nothing; where they do, `look` sees it. */
const isPlain = ({ altKey, ctrlKey, key, metaKey, shiftKey }: KeyboardEvent): boolean =>
  !altKey && !shiftKey && (key === "Home" || (!ctrlKey && !metaKey))

const leaves = (event: KeyboardEvent): boolean =>
  event.target === event.currentTarget && event.currentTarget.scrollTop > 0 && UP.has(event.key) && isPlain(event)

/** A browser glides, and a list that measures itself under way would move where the way ends. */
const toTop = (event: KeyboardEvent): void => {
  event.preventDefault()
  event.currentTarget.scrollTop = 0
}

/** Called as the content, or the room for it, changes its size. */
const useGrowth = (scroller: RefObject<HTMLDivElement | null>, grown: () => void): void => {
  useLayoutEffect(() => {
    const content = scroller.current?.firstElementChild
    if (content == null || scroller.current === null) return
    const observer = new ResizeObserver(grown)
    observer.observe(content)
    observer.observe(scroller.current)
    grown()
    return () => observer.disconnect()
  }, [scroller, grown])
}

export const usePinned = (scroller: RefObject<HTMLDivElement | null>) => {
  const [pin] = useState(() => new Pin())
  const [away, setAway] = useState(false)
  const follow = useCallback(() => {
    const element = scroller.current
    if (element !== null && pin.pinned) element.scrollTop = element.scrollHeight
  }, [scroller, pin])
  useGrowth(scroller, follow)
  const look = () => {
    const element = scroller.current
    if (element === null) return
    pin.look(element.scrollHeight - element.scrollTop - element.clientHeight, performance.now())
    setAway(!pin.pinned)
  }
  const touch = () => pin.touch(performance.now())
  /** At once: a list that measures itself before it has moved would take it back to the end. */
  const press = (event: KeyboardEvent) => {
    if (!leaves(event)) return touch()
    pin.leave(performance.now())
    if (event.key === "Home") toTop(event)
  }
  const toEnd = () => {
    pin.toEnd()
    setAway(false)
    follow()
  }
  const hold = (event: MouseEvent) => {
    if (!(event.target instanceof Element) || event.target.closest("[aria-expanded], summary") === null) return
    pin.hold(performance.now())
    setTimeout(look, HOLD_MS)
  }
  const handlers = {
    onClickCapture: hold,
    onWheel: touch,
    onTouchMove: touch,
    onPointerDown: touch,
    onKeyDown: press
  }
  return { away, look, toEnd, handlers }
}
