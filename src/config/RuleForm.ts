/**
 * What a rule says that it cannot mean. Owns: the forms that would be read without complaint and then never meet, or meet
 * everything, and how each is written instead. Pure. Does not own: what a rule meets.
 * Invariant: a rule whose example it must meet was given is believed; the example is checked before anything starts.
 */
import type { Rule } from "./Settings.ts"

type Action = "allow" | "ask" | "deny"

const quoted = (words: ReadonlyArray<string>): string => `[${words.map((word) => JSON.stringify(word)).join(", ")}]`

const short = (text: string): string => (text.length <= 60 ? text : `${text.slice(0, 59).toWellFormed()}…`)

const DELIBERATE = "if it is meant word for word, say so with examples.match"

const ofWords = (argv: ReadonlyArray<string>): string | undefined => {
  const star = argv.find((word) => word.includes("*"))
  if (star !== undefined) {
    const before = argv.slice(0, argv.indexOf(star))
    const hint =
      before.length === 0
        ? `every command: leave argv out and write "tool": "bash"`
        : `every command that begins so: ${quoted(before)}`
    return `has ${JSON.stringify(short(star))} in argv, where words are no patterns. For ${hint}; ${DELIBERATE}`
  }
  const blank = argv.find((word) => /\s/.test(word))
  if (blank === undefined) return undefined
  const split = argv.flatMap((word) => word.split(/\s+/).filter((part) => part !== ""))
  const how = `one word an element: ${short(quoted(split))}`
  return `has several words in one element of argv, ${JSON.stringify(short(blank))}. Write ${how}; ${DELIBERATE}`
}

const ofPath = (path: string, action: Action | undefined): string | undefined => {
  if (path.startsWith("~"))
    return `has a path with ~, which nothing expands. Write it from / or relative to the workspace`
  if (action === "allow" && /^(?:\/|\.\.(?:\/|$))/.test(path))
    return `has a path that leads elsewhere, and an allow rule covers files of the workspace alone. Write it relative to the workspace`
  if (path.startsWith("!"))
    return `has a path that begins with !, which negates nothing here. Write what it is to cover`
  if (/(?:^|\/)\.\.(?:\/|$)|\/\.(?:\/|$)|.\/\//.test(path))
    return `has a path with "..", "." or nothing between its /, and what is looked at has none. Write it from / or relative to the workspace`
  if (path.endsWith("/") && path !== "/") return `has a path that ends in /. Write ${short(path)}** for all below it`
  return undefined
}

/** What is wrong with it, as the rest of a sentence that begins with the rule; undefined: nothing. */
export const ruleMistake = ({ argv, effect, examples, path, tool }: Rule, action?: Action): string | undefined => {
  if (argv === undefined && effect === undefined && path === undefined && tool === undefined)
    return `names nothing. Give it argv (the words a command begins with), path (a glob) or tool (a name, or "*")`
  if (effect !== undefined && action === "allow")
    return "allows by effect, and what else such a command does nobody knows. Give it argv"
  if (effect !== undefined && (argv ?? path) !== undefined)
    return "has an effect beside argv or path, and only one of them can count. Make two rules of it"
  if (argv !== undefined && path !== undefined)
    return "has both argv and path, and only one of them can count. Make two rules of it"
  if (argv !== undefined && tool !== undefined && tool !== "bash" && tool !== "*")
    return `has argv and the tool ${JSON.stringify(short(tool))}, which runs no commands. Write "tool": "bash", or path`
  if (effect !== undefined && effect !== "changes" && tool !== undefined && tool !== "bash" && tool !== "*")
    return `has the effect ${effect} and the tool ${JSON.stringify(short(tool))}, which runs no commands. Write "tool": "bash"`
  if (action === "allow" && path !== undefined && tool === "bash")
    return "allows bash by path, and no path says what a command does. Give it argv"
  if ((examples?.match ?? []).length > 0) return undefined
  if (argv !== undefined) return ofWords(argv)
  return path === undefined ? undefined : ofPath(path, action)
}
