/** What one task did to the files, as a diff. */
import type { TaskId } from "../../domain/Ids.ts"
import { api } from "../net/api.ts"
import { useSession } from "../session/SessionContext.ts"
import Diff from "../text/Diff.tsx"
import { useWords } from "../words/useWords.ts"
import { Fetched } from "./Fetched.tsx"
import { useLoaded } from "./useLoaded.ts"

export const ChangesDiff = ({ task }: { readonly task: string }) => {
  const session = useSession()
  const words = useWords()
  const loaded = useLoaded(() => api.diff(session.id, { task: task as TaskId }), `${session.id} ${task}`)
  return (
    <Fetched of={loaded}>
      {({ text, hidden }) => (
        <>
          {text === "" ? <p className="quiet">{words.diffNone}</p> : <Diff diff={text} />}
          {hidden === 0 ? null : <p className="quiet">{words.diffHidden(hidden)}</p>}
        </>
      )}
    </Fetched>
  )
}
