/**
 * The conversation as a list of which only what is seen is in the page. Owns: what it is made of. Does not own: whether
 * its end is followed (usePinned). Invariant: whoever reads further up is not moved when older items come.
 */
import { ArrowDown } from "lucide-react"
import { useEffect, useMemo, useRef, useState } from "react"
import { Virtualizer } from "virtua"
import { useWords } from "../words/useWords.ts"
import { Announcer } from "./Announcer.tsx"
import { Empty } from "./Empty.tsx"
import { useEndOf } from "./ends.ts"
import { Prompt } from "./Prompt.tsx"
import { Row } from "./Row.tsx"
import { Rows } from "./rows.ts"
import { useSession, useView } from "./SessionContext.ts"
import { usePinned } from "./usePinned.ts"

/** Pixels from the beginning at which older items are asked for. */
const EARLY = 1_200

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
