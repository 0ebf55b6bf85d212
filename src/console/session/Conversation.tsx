/**
 * The conversation as a list of which only what is seen is in the page. Owns: where it is scrolled to. Invariants: whoever
 * is at the end stays at the end while it grows; whoever reads further up is not moved, also when older items come.
 */
import { ArrowDown } from "lucide-react"
import {
  type KeyboardEvent,
  type MouseEvent,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState
} from "react"
import { Virtualizer } from "virtua"
import { useWords } from "../words/useWords.ts"
import { Announcer } from "./Announcer.tsx"
import { Empty } from "./Empty.tsx"
import { useEndOf } from "./ends.ts"
import { Prompt } from "./Prompt.tsx"
import { Row } from "./Row.tsx"
import { Rows } from "./rows.ts"
import { useSession, useView } from "./SessionContext.ts"

/** Pixels from the end that still count as the end. */
const NEAR = 48
/** Pixels from the beginning at which older items are asked for. */
const EARLY = 1_200
const HOLD_MS = 300
/** Behind a touch, a wheel or a key, a movement is a person's. */
const TOUCH_MS = 1_000
const UP: ReadonlySet<string> = new Set(["Home", "PageUp", "ArrowUp"])

/** Whether the end is followed. Only a person leaves it: lists that measure themselves move, too. */
const usePinned = (scroller: RefObject<HTMLDivElement | null>) => {
  const pinned = useRef(true)
  const touched = useRef(0)
  const [away, setAway] = useState(false)
  const follow = useCallback(() => {
    const element = scroller.current
    if (element !== null && pinned.current) element.scrollTop = element.scrollHeight
  }, [scroller])
  useLayoutEffect(() => {
    const content = scroller.current?.firstElementChild
    if (content == null || scroller.current === null) return
    const observer = new ResizeObserver(follow)
    observer.observe(content)
    observer.observe(scroller.current)
    follow()
    return () => observer.disconnect()
  }, [scroller, follow])
  const look = () => {
    const element = scroller.current
    if (element === null) return
    const near = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR
    if (near) pinned.current = true
    else if (performance.now() - touched.current < TOUCH_MS) pinned.current = false
    setAway(!pinned.current)
  }
  const touch = () => {
    touched.current = performance.now()
  }
  /** At once: a list that measures itself before it has moved would take it back to the end. */
  const press = ({ currentTarget, key, target }: KeyboardEvent) => {
    touch()
    if (target === currentTarget && currentTarget.scrollTop > 0 && UP.has(key)) pinned.current = false
  }
  const toEnd = () => {
    pinned.current = true
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

/** True in the render in which items came in front. */
const useShift = (first: string | undefined): boolean => {
  const before = useRef(first)
  const shifted = before.current !== undefined && first !== before.current
  useEffect(() => {
    before.current = first
  })
  return shifted
}

export const Conversation = () => {
  const session = useSession()
  const words = useWords()
  const items = useView((view) => view.items)
  const [made] = useState(() => new Rows())
  const rows = useMemo(() => made.of(items), [made, items])
  const sending = useView((view) => view.sending)
  const older = useView((view) => view.older)
  const loading = useView((view) => view.loadingOlder)
  const phase = useView((view) => view.phase)
  const scroller = useRef<HTMLDivElement>(null)
  const { away, look, toEnd, handlers } = usePinned(scroller)
  useEndOf(session.id, toEnd)
  const shift = useShift(items[0]?.key)
  const onScroll = (offset: number) => {
    look()
    if (older && !loading && offset < EARLY) void session.loadOlder()
  }
  const begun = sending.length
  useEffect(() => {
    if (begun > 0) toEnd()
  }, [begun])
  return (
    <div className="conversation">
      <div
        className="scroller"
        ref={scroller}
        {...handlers}
        tabIndex={0}
        role="log"
        aria-live="off"
        aria-label={words.conversation}
      >
        <div className="column">
          {phase === "open" && items.length === 0 && sending.length === 0 ? <Empty /> : null}
          <Virtualizer scrollRef={scroller} shift={shift} onScroll={onScroll} bufferSize={600} data={rows}>
            {({ key, ...row }) => <Row key={key} {...row} />}
          </Virtualizer>
          {sending.map(({ key, content }) => (
            <div className="row" data-kind="prompt" key={key}>
              <Prompt text={content} sending />
            </div>
          ))}
        </div>
      </div>
      {loading ? <p className="loading-older">{words.loadingOlder}</p> : null}
      {away ? (
        <button type="button" className="to-end" onClick={toEnd}>
          <ArrowDown aria-hidden size={16} /> {words.toEnd}
        </button>
      ) : null}
      <Announcer />
    </div>
  )
}
