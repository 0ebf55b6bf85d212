/** Which session is to stand beside those that are shown: found by a word, told apart by where it works and how it stands. */
import { useRef, useState } from "react"
import { useStore } from "zustand"
import type { SessionId } from "../../domain/Ids.ts"
import { hub } from "../state/hub.ts"
import { pathTail } from "../text/format.ts"
import { named } from "../text/named.ts"
import { Sheet } from "../ui/Sheet.tsx"
import { useWords } from "../words/useWords.ts"

interface BesideProps {
  readonly open: boolean
  readonly ids: ReadonlyArray<SessionId>
  readonly close: () => void
  readonly choose: (id: SessionId) => void
}

const SHOWN = 30

const Choices = ({ ids, choose }: Pick<BesideProps, "ids" | "choose">) => {
  const words = useWords()
  const [word, setWord] = useState("")
  const sessions = useStore(hub.store, (view) => view.sessions)
  const others = sessions.filter(({ session_id }) => !ids.includes(session_id))
  const meant = word.trim().toLowerCase()
  const found = others.filter(({ title, workspace }) => `${title}\n${workspace}`.toLowerCase().includes(meant))
  if (others.length === 0) return <p className="quiet">{words.noOthers}</p>
  return (
    <>
      <input
        type="search"
        value={word}
        placeholder={words.search}
        aria-label={words.search}
        autoFocus
        onChange={({ target }) => setWord(target.value)}
      />
      {found.length === 0 ? <p className="quiet">{words.nothingFound}</p> : null}
      <ul className="choices">
        {found.slice(0, SHOWN).map(({ session_id, title, workspace, state, pending_approvals = 0 }) => (
          <li key={session_id}>
            <button type="button" onClick={() => choose(session_id)}>
              <bdi>{named(title, words.untitled)}</bdi>
              <span className="quiet">
                {pathTail(workspace, 1)}
                {pending_approvals > 0 ? ` · ${words.marks.waiting}` : ""}
                {pending_approvals === 0 && state !== undefined && state !== "idle" ? ` · ${words.state[state]}` : ""}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}

export const Beside = ({ open, ids, close, choose }: BesideProps) => {
  const words = useWords()
  const chosen = useRef(false)
  return (
    <Sheet open={open} close={close} title={words.openBeside} look="small" goesBack={() => !chosen.current}>
      <Choices
        ids={ids}
        choose={(id) => {
          chosen.current = true
          close()
          choose(id)
        }}
      />
    </Sheet>
  )
}
