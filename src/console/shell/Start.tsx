/** Nothing is open: where to begin. */
import { Plus } from "lucide-react"
import { useStore } from "zustand"
import { hub } from "../state/hub.ts"
import { useWords } from "../words/useWords.ts"

export const Start = ({ newSession }: { readonly newSession: () => void }) => {
  const words = useWords()
  const count = useStore(hub.store, (view) => view.sessions.length)
  return (
    <div className="empty start">
      <h1>{words.startTitle}</h1>
      <p>{count === 0 ? words.startFirst : words.startAgain}</p>
      <button type="button" className="button primary" onClick={newSession}>
        <Plus aria-hidden size={16} /> {words.newSession}
      </button>
      <dl className="keys">
        {words.keys.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}
