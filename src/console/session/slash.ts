/** What can be typed after a slash: names, and how a text is read as one. Pure. Does not own: what a command does. */
import type { NamedPrompt } from "../net/api.ts"

export const COMMANDS = [
  "new",
  "clear",
  "compact",
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
  "cost",
  "budget"
] as const
export type CommandName = (typeof COMMANDS)[number]

/** Commands that mean nothing without a word behind them. */
export const takesWord: ReadonlySet<CommandName> = new Set<CommandName>(["mode", "model", "rename"])

export interface Typed {
  readonly name: CommandName
  readonly word: string
}

const isCommand = (name: string): name is CommandName => COMMANDS.some((one) => one === name)

/** The command that a text is, if it is one. */
export const typed = (text: string): Typed | undefined => {
  const found = /^\/([a-z]+)(?:\s+([\s\S]*))?$/.exec(text.trim())
  const name = found?.[1] ?? ""
  return isCommand(name) ? { name, word: (found?.[2] ?? "").trim() } : undefined
}

/** The name of a prompt that a text may stand for, and what follows; no command of claw's own. A blank in front: it is a text. */
export const namedIn = (text: string): { readonly name: string; readonly words: string } | undefined => {
  const found = /^\/([a-z0-9][a-z0-9_:-]{0,47})(?:\s+([\s\S]*))?$/.exec(text.trimEnd())
  const name = found?.[1]
  return name === undefined || isCommand(name) ? undefined : { name, words: (found?.[2] ?? "").trim() }
}

export type Offer = { readonly name: CommandName } | { readonly name: string; readonly prompt: NamedPrompt }

/** What begins with what was typed so far, claw's own first; nothing as soon as a word follows. */
export const offered = (text: string, prompts: ReadonlyArray<NamedPrompt> = []): ReadonlyArray<Offer> => {
  const found = /^\/([a-z0-9_:-]*)$/.exec(text)
  const begun = found?.[1] ?? ""
  const own = prompts.filter(({ name }) => !isCommand(name)).map((prompt) => ({ name: prompt.name, prompt }))
  const all: ReadonlyArray<Offer> = [...COMMANDS.map((name) => ({ name })), ...own]
  return found === null ? [] : all.filter(({ name }) => name.startsWith(begun))
}
