/**
 * What the newest task did to the files: how many, taken back with one button, and given back with the next. Does not own:
 * what is put back (the server), earlier tasks and what a crash cut off (the inspector). Invariant: asked for once, where
 * something ran that may have changed files.
 */
import { Redo2, Undo2 } from "lucide-react"
import { useState } from "react"
import type { ErrorBody } from "../../domain/ErrorCode.ts"
import type { TaskId } from "../../domain/Ids.ts"
import { useLoaded } from "../inspect/useLoaded.ts"
import { api } from "../net/api.ts"
import type { SessionStore } from "../state/sessionStore.ts"
import { useWords } from "../words/useWords.ts"
import { useSession, useView } from "./SessionContext.ts"

interface Changed {
  readonly state: "done" | "undone"
  /** While they stand. */
  readonly files?: number
}

const changedBy = async ({ id }: SessionStore, task: TaskId): Promise<Changed | "nothing"> => {
  const { checkpoints } = await api.checkpoints(id)
  const found = checkpoints.find(({ task_id }) => task_id === task)
  if (found === undefined || found.uncertain) return "nothing"
  if (found.state === "undone") return { state: "undone" }
  const { files } = await api.diff(id, { task })
  return files === 0 ? "nothing" : { state: "done", files }
}

export const Undo = ({ task }: { readonly task: TaskId }) => {
  const session = useSession()
  const words = useWords()
  const restored = useView(
    ({ items }) => items.filter((item) => item.kind === "note" && item.note === "restored").length
  )
  const [busy, setBusy] = useState(false)
  const { value, again } = useLoaded(() => changedBy(session, task), `${task} ${restored}`)
  if (value === undefined || value === "nothing") return null
  const undone = value.state === "undone"
  const restore = async () => {
    setBusy(true)
    await api
      .restore(session.id, undone ? "redo" : "undo", { to: task })
      .catch((error: ErrorBody) => session.refuse(error))
    again()
    setBusy(false)
  }
  return (
    <span className="undo">
      {undone ? words.filesUndone : words.filesChanged(value.files ?? 0)}
      <button type="button" className="button small" disabled={busy} onClick={() => void restore()}>
        {undone ? <Redo2 aria-hidden size={14} /> : <Undo2 aria-hidden size={14} />} {undone ? words.redo : words.undo}
      </button>
    </span>
  )
}
