/**
 * Where a conversation is scrolled to. Owns: whether its end is followed. Invariants: whoever is at the end stays at the
 * end while it grows; whoever reads further up is not moved.
 */
import {
  type KeyboardEvent,
  type MouseEvent,
  type RefObject,
  useCallback,
  useLayoutEffect,
  useRef,
  useState
} from "react"

/** Pixels from the end that still count as the end. */
const NEAR = 48
const HOLD_MS = 300
/** Behind a touch, a wheel or a key, a movement is a person's. */
const TOUCH_MS = 1_000
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

/** Whether the end is followed. Only a person leaves it: lists that measure themselves move, too. */
export const usePinned = (scroller: RefObject<HTMLDivElement | null>) => {
  const pinned = useRef(true)
  const touched = useRef(Number.NEGATIVE_INFINITY)
  /** From the key that leaves the end until the end is left: what the list moves in between is nobody's wish. */
  const leaving = useRef(false)
  const [away, setAway] = useState(false)
  const follow = useCallback(() => {
    const element = scroller.current
    if (element !== null && pinned.current) element.scrollTop = element.scrollHeight
  }, [scroller])
  useGrowth(scroller, follow)
  const look = () => {
    const element = scroller.current
    if (element === null) return
    const near = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR
    if (!near) leaving.current = false
    if (near && !leaving.current) pinned.current = true
    else if (performance.now() - touched.current < TOUCH_MS) pinned.current = false
    setAway(!pinned.current)
  }
  const touch = () => {
    touched.current = performance.now()
    leaving.current = false
  }
  /** At once: a list that measures itself before it has moved would take it back to the end. */
  const press = (event: KeyboardEvent) => {
    touch()
    if (!leaves(event)) return
    pinned.current = false
    leaving.current = true
    if (event.key === "Home") toTop(event)
  }
  const toEnd = () => {
    pinned.current = true
    leaving.current = false
    setAway(false)
    follow()
  }
  /** What somebody opens stays where it is, also at the end. */
  const hold = (event: MouseEvent) => {
    if (!(event.target instanceof Element) || event.target.closest("[aria-expanded], summary") === null) return
    pinned.current = false
    touch()
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
