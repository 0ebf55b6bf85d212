/** What can be typed after a slash: names, and how a text is read as one. Pure. Does not own: what a command does. */
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
