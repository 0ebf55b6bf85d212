/** A session that nothing was said in yet: what one could say. */
import { useWords } from "../words/useWords.ts"
import { useSession, useView } from "./SessionContext.ts"

export const Empty = () => {
  const session = useSession()
  const words = useWords()
  const workspace = useView(({ status }) => status?.workspace)
  return (
    <div className="empty">
      <h2>{words.emptyTitle}</h2>
      <p>{words.emptyText(workspace ?? "")}</p>
      <ul>
        {words.emptyIdeas.map((idea) => (
          <li key={idea}>
            <button type="button" className="idea" onClick={() => session.edit(idea)}>
              {idea}
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}
