/** All questions that wait, over all sessions, answered where they stand. */
import { BellRing } from "lucide-react"
import { useEffect, useState } from "react"
import { useLocation } from "wouter"
import { useStore } from "zustand"
import { api } from "../net/api.ts"
import { ApprovalCard, type Given } from "../session/ApprovalCard.tsx"
import { hub, type Waiting } from "../state/hub.ts"
import { Sheet } from "../ui/Sheet.tsx"
import { named } from "../text/named.ts"
import { useWords } from "../words/useWords.ts"
import { sessionsPath } from "./route.ts"

const give = async ({ session_id, request }: Waiting, { decision, ...more }: Given): Promise<boolean> => {
  const open = hub.known(session_id)
  if (open !== undefined) return open.answer(request.request_id, decision, more)
  const done = await api.answer(session_id, request.request_id, { decision, ...more }).then(
    () => true,
    () => false
  )
  await hub.refresh()
  return done
}

const Entry = ({ waiting, close }: { readonly waiting: Waiting; readonly close: () => void }) => {
  const words = useWords()
  const [, go] = useLocation()
  return (
    <li>
      <button
        type="button"
        className="link-button from"
        onClick={() => {
          close()
          go(sessionsPath([waiting.session_id]))
        }}
      >
        {words.inSession(named(waiting.title, words.untitled))}
      </button>
      <ApprovalCard request={waiting.request} online answer={(given) => give(waiting, given)} />
    </li>
  )
}

export const Tray = () => {
  const words = useWords()
  const waiting = useStore(hub.store, (view) => view.waiting)
  const [open, setOpen] = useState(false)
  const count = waiting.length
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
      <Sheet open={open} close={() => setOpen(false)} title={words.trayTitle} look="wide">
        <ul className="tray-list">
          {waiting.map((one) => (
            <Entry key={`${one.session_id} ${one.request.request_id}`} waiting={one} close={() => setOpen(false)} />
          ))}
        </ul>
      </Sheet>
    </>
  )
}
