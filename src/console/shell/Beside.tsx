/** Which session is to stand beside those that are shown. */
import { useStore } from "zustand"
import type { SessionId } from "../../domain/Ids.ts"
import { hub } from "../state/hub.ts"
import { Sheet } from "../ui/Sheet.tsx"
import { useWords } from "../words/useWords.ts"

interface BesideProps {
  readonly open: boolean
  readonly ids: ReadonlyArray<SessionId>
  readonly close: () => void
  readonly choose: (id: SessionId) => void
}

export const Beside = ({ open, ids, close, choose }: BesideProps) => {
  const words = useWords()
  const sessions = useStore(hub.store, (view) => view.sessions)
  const others = sessions.filter(({ session_id }) => !ids.includes(session_id))
  return (
    <Sheet open={open} close={close} title={words.openBeside} look="small">
      {others.length === 0 ? <p className="quiet">{words.noOthers}</p> : null}
      <ul className="choices">
        {others.slice(0, 30).map(({ session_id, title }) => (
          <li key={session_id}>
            <button
              type="button"
              onClick={() => {
                close()
                choose(session_id)
              }}
            >
              {title === "" ? session_id : title}
            </button>
          </li>
        ))}
      </ul>
    </Sheet>
  )
}
