/** A session that nothing was said in yet: what one could say. */
import { MODES } from "../net/api.ts"
import { useWords } from "../words/useWords.ts"
import { useSession, useView } from "./SessionContext.ts"
import { wantFocus } from "./useWantedFocus.ts"

export const Empty = () => {
  const session = useSession()
  const words = useWords()
  const workspace = useView(({ status }) => status?.workspace)
  const mode = useView(({ status }) => status?.mode)
  // A mode that this page does not know promises nothing.
  const known = MODES.find((one) => one === mode)
  const passes = known === "ask" ? words.emptyAsks : known === undefined ? "" : words.modeHint[known]
  const take = (idea: string) => {
    session.edit(idea)
    wantFocus(session.id)
  }
  return (
    <div className="empty">
      <h2>{words.emptyTitle}</h2>
      <p>{words.emptyText(workspace ?? "", passes)}</p>
      <ul>
        {words.emptyIdeas.map((idea) => (
          <li key={idea}>
            <button type="button" className="idea" onClick={() => take(idea)}>
              {idea}
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}
