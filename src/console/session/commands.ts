/**
 * What can be typed after a slash. Owns: names, what they take, what they do to a session. Does not own: their sentences
 * (`words`), which go by name. Invariant: nothing that begins with a known name reaches the model.
 */
import { errorBody } from "../../domain/ErrorCode.ts"
import { api, type Mode, MODES } from "../net/api.ts"
import type { SessionStore } from "../state/sessionStore.ts"

/** What the page around a session can do. */
export interface Around {
  /** To a session, or to none. */
  readonly go: (id: string) => void
  /** Another session stands beside this one. */
  readonly beside: (id: string) => void
  readonly newSession: () => void
  readonly inspect: (tab: "changes" | "permissions" | "timeline" | "usage") => void
}

export const COMMANDS = [
  "new",
  "clear",
  "undo",
  "redo",
  "diff",
  "mode",
  "model",
  "rename",
  "fork",
  "continue",
  "stop",
  "timeline",
  "permissions",
  "cost"
] as const
export type CommandName = (typeof COMMANDS)[number]

/** Commands that mean nothing without a word behind them. */
export const takesWord: ReadonlySet<CommandName> = new Set<CommandName>(["mode", "model", "rename"])

export interface Typed {
  readonly name: CommandName
  readonly word: string
}

/** The command that a text is, if it is one. */
export const typed = (text: string): Typed | undefined => {
  const found = /^\/([a-z]+)(?:\s+([\s\S]*))?$/.exec(text.trim())
  const name = COMMANDS.find((one) => one === found?.[1])
  return name === undefined ? undefined : { name, word: (found?.[2] ?? "").trim() }
}

/** Commands that begin with what was typed so far; none as soon as a word follows. */
export const offered = (text: string): ReadonlyArray<CommandName> => {
  const found = /^\/([a-z]*)$/.exec(text)
  return found === null ? [] : COMMANDS.filter((name) => name.startsWith(found[1] ?? ""))
}

const setMode = (session: SessionStore, word: string): void => {
  const mode = MODES.find((one) => one === word)
  if (mode === undefined) return session.refuse(errorBody("bad_message", MODES.join(", ")))
  void session.setMode(mode satisfies Mode)
}

const fork = (session: SessionStore, { go }: Around): void => {
  api.fork(session.id).then(
    ({ session_id }) => go(session_id),
    (error) => session.refuse(error)
  )
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
    case "cost":
      return around.inspect("usage")
  }
}
