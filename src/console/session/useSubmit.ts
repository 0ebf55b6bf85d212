/**
 * What becomes of a draft that is sent: a command, a named prompt with its words, or a prompt as it stands. Invariants: what
 * is a command reaches no model; a text that could not be made a prompt stands in the draft again.
 */
import { type ErrorBody, errorBody } from "../../domain/ErrorCode.ts"
import { api } from "../net/api.ts"
import type { SessionStore } from "../state/sessionStore.ts"
import { wordsNow } from "../words/useWords.ts"
import { type Around, carryOut } from "./commands.ts"
import type { WhenBusy } from "./Composer.tsx"
import { useSession } from "./SessionContext.ts"
import { namedIn, typed } from "./slash.ts"

const sendNow = (session: SessionStore, content: string, whenBusy: WhenBusy): void => {
  const { state, doing } = session.store.getState()
  session.send(content, state.task !== undefined || doing.task !== undefined ? whenBusy : "queue")
}

/** The server's answer decides: what it knows no prompt of that name for was meant as one and is no text (LESSONS 50). */
const sendNamed = async (session: SessionStore, draft: string, whenBusy: WhenBusy): Promise<void> => {
  const { name, words } = namedIn(draft) ?? { name: "", words: "" }
  session.edit("")
  const back = (error: ErrorBody) => {
    session.putBack(draft)
    session.refuse(error.code === "not_found" ? errorBody("not_found", wordsNow().noCommand(name)) : error)
  }
  const content = await api.fillPrompt(session.id, name, words).catch(back)
  if (content === undefined) return
  const { draft: written } = session.store.getState()
  sendNow(session, content, whenBusy)
  // Sending empties the draft; what was written meanwhile is the next one.
  session.edit(written)
}

/** The text of the draft, or another one. */
export const useSubmit = (around: Around, whenBusy: WhenBusy) => {
  const session = useSession()
  return (text = session.store.getState().draft) => {
    if (text.trim() === "") return
    const command = typed(text)
    if (command !== undefined) {
      session.edit("")
      return carryOut(session, command, around)
    }
    if (namedIn(text) !== undefined) return void sendNamed(session, text, whenBusy)
    sendNow(session, text, whenBusy)
  }
}
