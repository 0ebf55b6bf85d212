/** What tasks did to the files: shown, taken back, given back. */
import { Redo2, Undo2 } from "lucide-react"
import { useState } from "react"
import type { ErrorBody } from "../../domain/ErrorCode.ts"
import { api, type FileChanges } from "../net/api.ts"
import { useSession, useView } from "../session/SessionContext.ts"
import { moment } from "../text/format.ts"
import { named } from "../text/named.ts"
import { Confirm } from "../ui/Confirm.tsx"
import { useLocale, useWords } from "../words/useWords.ts"
import { ChangesDiff } from "./ChangesDiff.tsx"
import { Fetched } from "./Fetched.tsx"
import { useLoaded } from "./useLoaded.ts"

interface ChangeProps {
  readonly change: FileChanges
  /** It is the one that is taken back, or given back, next. */
  readonly next: boolean
  readonly busy: boolean
  readonly restore: (change: FileChanges) => void
}

const Buttons = ({ change, next, busy, restore }: ChangeProps) => {
  const words = useWords()
  const undone = change.state === "undone"
  const text = undone ? (next ? words.redo : words.redoTo) : next ? words.undo : words.undoTo
  return (
    <button
      type="button"
      className="button small"
      disabled={busy}
      title={busy ? words.busyForUndo : undefined}
      onClick={() => restore(change)}
    >
      {undone ? <Redo2 aria-hidden size={14} /> : <Undo2 aria-hidden size={14} />} {text}
    </button>
  )
}

const Change = (props: ChangeProps) => {
  const { change } = props
  const words = useWords()
  const locale = useLocale()
  const [open, setOpen] = useState(false)
  return (
    <li className="change" data-state={change.state}>
      <h3>{named(change.title, change.task_id)}</h3>
      <p className="quiet">
        {moment(Date.parse(change.at), locale)} · {words.changesSteps(change.steps)}
        {change.state === "undone" ? ` · ${words.undone}` : ""}
        {change.uncertain ? ` · ${words.changesUncertain}` : ""}
      </p>
      <div className="change-actions">
        <Buttons {...props} />
        <button type="button" className="link-button" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? words.hideDiff : words.showDiff}
        </button>
      </div>
      {open ? <ChangesDiff task={change.task_id} /> : null}
    </li>
  )
}

/** The newest that stands, and the oldest that was taken back. */
const nextOf = (changes: ReadonlyArray<FileChanges>) => ({
  done: changes.findLast(({ state }) => state === "done")?.task_id,
  undone: changes.find(({ state }) => state === "undone")?.task_id
})

export const Changes = () => {
  const session = useSession()
  const words = useWords()
  const notes = useView(({ items }) => items.filter(({ kind }) => kind === "end" || kind === "note").length)
  const busy = useView(({ state, doing }) => state.task !== undefined || doing.task !== undefined)
  const [asked, setAsked] = useState<FileChanges>()
  const loaded = useLoaded(() => api.checkpoints(session.id), `${session.id} ${notes}`)
  const restore = ({ task_id, state, uncertain }: FileChanges) =>
    void api
      .restore(session.id, state === "done" ? "undo" : "redo", { to: task_id, ...(uncertain ? { uncertain } : {}) })
      .then(loaded.again, (error: ErrorBody) => session.refuse(error))
  return (
    <Fetched of={loaded}>
      {({ checkpoints }) => {
        const next = nextOf(checkpoints)
        return (
          <>
            {checkpoints.length === 0 ? <p className="quiet">{words.changesNone}</p> : null}
            <ol className="changes">
              {checkpoints.toReversed().map((change) => (
                <Change
                  key={change.task_id}
                  change={change}
                  next={next[change.state] === change.task_id}
                  busy={busy}
                  restore={(one) => (one.state === "done" ? setAsked(one) : restore(one))}
                />
              ))}
            </ol>
            <Confirm
              open={asked !== undefined}
              title={words.undoTitle(named(asked?.title, asked?.task_id ?? ""))}
              text={words.undoText}
              action={words.undo}
              confirm={() => (asked === undefined ? undefined : restore(asked))}
              close={() => setAsked(undefined)}
            />
          </>
        )
      }}
    </Fetched>
  )
}
