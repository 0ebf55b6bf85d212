/**
 * The conversation as a list of which only what is seen is in the page. Owns: where it is scrolled to. Invariants: whoever
 * is at the end stays at the end while it grows; whoever reads further up is not moved, also when older items come.
 */
import { ArrowDown } from "lucide-react"
import { type MouseEvent, type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react"
import { Virtualizer } from "virtua"
import { useWords } from "../words/useWords.ts"
import { Announcer } from "./Announcer.tsx"
import { Empty } from "./Empty.tsx"
import { Prompt } from "./Prompt.tsx"
import { Row } from "./Row.tsx"
import { useSession, useView } from "./SessionContext.ts"

/** Pixels from the end that still count as the end. */
const NEAR = 48
/** Pixels from the beginning at which older items are asked for. */
const EARLY = 1_200
const HOLD_MS = 300

const usePinned = (scroller: RefObject<HTMLDivElement | null>) => {
  const pinned = useRef(true)
  const [away, setAway] = useState(false)
  useLayoutEffect(() => {
    const element = scroller.current
    const content = element?.firstElementChild
    if (element == null || content == null) return
    const follow = () => {
      if (pinned.current) element.scrollTop = element.scrollHeight
    }
    const observer = new ResizeObserver(follow)
    observer.observe(content)
    observer.observe(element)
    follow()
    return () => observer.disconnect()
  }, [scroller])
  const look = () => {
    const element = scroller.current
    if (element === null) return
    pinned.current = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR
    setAway(!pinned.current)
  }
  const toEnd = () => {
    pinned.current = true
    setAway(false)
    scroller.current?.scrollTo({ top: scroller.current.scrollHeight })
  }
  /** What somebody opens stays where it is, also at the end. */
  const hold = (event: MouseEvent) => {
    if (!(event.target instanceof Element) || event.target.closest("[aria-expanded], summary") === null) return
    pinned.current = false
    setTimeout(look, HOLD_MS)
  }
  return { away, look, toEnd, hold }
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
  const sending = useView((view) => view.sending)
  const older = useView((view) => view.older)
  const loading = useView((view) => view.loadingOlder)
  const phase = useView((view) => view.phase)
  const scroller = useRef<HTMLDivElement>(null)
  const { away, look, toEnd, hold } = usePinned(scroller)
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
        onClickCapture={hold}
        tabIndex={0}
        role="log"
        aria-live="off"
        aria-label={words.conversation}
      >
        <div className="column">
          {phase === "open" && items.length === 0 && sending.length === 0 ? <Empty /> : null}
          <Virtualizer scrollRef={scroller} shift={shift} onScroll={onScroll} bufferSize={600} data={items}>
            {(item, i) => (
              <Row key={item.key} item={item} joined={item.kind === "call" && items[i - 1]?.kind === "call"} />
            )}
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
