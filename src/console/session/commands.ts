/**
 * What commands do to a session. Does not own: their names (`slash`), their sentences (`words`). Invariant: nothing that
 * is one reaches the model.
 */
import { wantedCap } from "../../domain/Budget.ts"
import { errorBody } from "../../domain/ErrorCode.ts"
import { api, type Mode, MODES } from "../net/api.ts"
import { hub } from "../state/hub.ts"
import type { SessionStore } from "../state/sessionStore.ts"
import { wordsNow } from "../words/useWords.ts"
import { setCap } from "./setCap.ts"
import type { Typed } from "./slash.ts"
import { wantFocus } from "./useWantedFocus.ts"

/** What the page around a session can do. */
export interface Around {
  /** To a session, or to none. */
  readonly go: (id: string) => void
  /** Another session stands beside this one. */
  readonly beside: (id: string) => void
  readonly newSession: () => void
  readonly inspect: (tab: "changes" | "permissions" | "timeline" | "usage") => void
}

const setMode = (session: SessionStore, word: string): void => {
  const mode = MODES.find((one) => one === word)
  if (mode === undefined) return session.refuse(errorBody("bad_message", MODES.join(", ")))
  void session.setMode(mode satisfies Mode)
}

const setBudget = (session: SessionStore, word: string): void => {
  const wanted = wantedCap(word)
  if (wanted === undefined) return session.refuse(errorBody("bad_message", wordsNow().budgetForm))
  void setCap(session, wanted)
}

const LONGEST_TITLE = 200

const copyOf = (title: string): string => {
  const mark = wordsNow().copyMark
  return `${title.slice(0, LONGEST_TITLE - mark.length)}${mark}`
}

const fork = (session: SessionStore, { go }: Around): void => {
  const title = session.store.getState().status?.title ?? ""
  const copied = async () => {
    const { session_id } = await api.fork(session.id)
    // Two that are called the same cannot be told apart.
    if (title !== "") await api.change(session_id, { title: copyOf(title) }).catch(() => {})
    hub.saw(session.id)
    wantFocus(session_id)
    go(session_id)
    await hub.refresh()
  }
  copied().catch((error) => session.refuse(error))
}

const plain = (session: SessionStore, name: "clear" | "undo" | "redo" | "resume_queue") =>
  void session.command({ type: "command", name })

export const carryOut = (session: SessionStore, { name, word }: Typed, around: Around): void => {
  switch (name) {
    case "new":
      return around.newSession()
    case "clear":
    case "undo":
    case "redo":
      return plain(session, name)
    case "compact":
      return void session.command({ type: "command", name, ...(word === "" ? {} : { focus: word }) })
    case "continue":
      return plain(session, "resume_queue")
    case "mode":
      return setMode(session, word)
    case "model":
      return void session.command({ type: "command", name: "set_model", model: word })
    case "rename":
      return void session.rename(word)
    case "fork":
      return fork(session, around)
    case "stop":
      return void session.stop()
    case "diff":
      return around.inspect("changes")
    case "timeline":
      return around.inspect("timeline")
    case "permissions":
      return around.inspect("permissions")
    case "budget":
      return word === "" ? around.inspect("usage") : setBudget(session, word)
    case "cost":
      return around.inspect("usage")
  }
}
