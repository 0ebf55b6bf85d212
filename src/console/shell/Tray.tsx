/** How many questions wait, over all sessions, and the way to them. */
import { BellRing } from "lucide-react"
import { lazy, Suspense, useEffect, useState } from "react"
import { useStore } from "zustand"
import { hub } from "../state/hub.ts"
import { useOnce } from "../ui/useOnce.ts"
import { useWords } from "../words/useWords.ts"
import { later } from "./later.ts"

const Waiting = lazy(later.waiting)

export const Tray = () => {
  const words = useWords()
  const count = useStore(hub.store, ({ waiting }) => waiting.length)
  const [open, setOpen] = useState(false)
  const wanted = useOnce(open)
  // The last one is answered: nothing is left to look at.
  useEffect(() => {
    if (count === 0) setOpen(false)
  }, [count])
  return (
    <>
      <button
        type="button"
        className="tray"
        data-count={count}
        aria-label={words.trayLabel(count)}
        title={words.trayLabel(count)}
        onClick={() => setOpen(true)}
        disabled={count === 0}
      >
        <BellRing aria-hidden size={17} />
        {count === 0 ? null : <span aria-hidden>{count}</span>}
      </button>
      {wanted ? (
        <Suspense fallback={null}>
          <Waiting open={open} close={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </>
  )
}
