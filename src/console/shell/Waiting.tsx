/** All questions that wait, over all sessions, answered where they stand. Loaded when they are first looked at. */
import { useLocation } from "wouter"
import { useStore } from "zustand"
import { api } from "../net/api.ts"
import { ApprovalCard, type Given } from "../session/ApprovalCard.tsx"
import { hub, type Waiting as Question } from "../state/hub.ts"
import { named } from "../text/named.ts"
import { Sheet } from "../ui/Sheet.tsx"
import { useWords } from "../words/useWords.ts"
import { sessionsPath } from "./route.ts"

const give = async ({ session_id, request }: Question, { decision, ...more }: Given): Promise<boolean> => {
  const open = hub.known(session_id)
  if (open !== undefined) return open.answer(request.request_id, decision, more)
  const done = await api.answer(session_id, request.request_id, { decision, ...more }).then(
    () => true,
    () => false
  )
  await hub.refresh()
  return done
}

const Entry = ({ waiting, close }: { readonly waiting: Question; readonly close: () => void }) => {
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

interface WaitingProps {
  readonly open: boolean
  readonly close: () => void
}

const Waiting = ({ open, close }: WaitingProps) => {
  const words = useWords()
  const waiting = useStore(hub.store, (view) => view.waiting)
  return (
    <Sheet open={open} close={close} title={words.trayTitle} look="wide">
      <ul className="tray-list">
        {waiting.map((one) => (
          <Entry key={`${one.session_id} ${one.request.request_id}`} waiting={one} close={close} />
        ))}
      </ul>
    </Sheet>
  )
}

export default Waiting
