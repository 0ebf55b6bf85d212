/**
 * What a redirect does to its command, and where it must never lead (SECURITY P2, P10, P11). Owns: the forms in which
 * bash and the parser certainly agree where a redirect ends. Does not own: what a here-document runs (commandFed).
 * Invariant: a redirect of another form is refused or doubted, since its end may be the name of a program.
 */
import type { HereDoc, Redirect, Redirection } from "unbash"
import type { SimpleCommand } from "../domain/Approval.ts"
import { isSink, type Paths } from "./commandPaths.ts"
import { isDevice } from "./commandRefused.ts"
import { isThere } from "./commandTakesAway.ts"
import { shellWords, type ShellWord } from "./commandWords.ts"

export interface Redirected {
  /** Why its command is not plain. */
  readonly why: ReadonlyArray<string>
  readonly reads?: string
  readonly writes?: string
  /** A file with something in it, which it empties first. */
  readonly overwrites?: string
  /** Why the whole line asks. */
  readonly doubt?: string
  readonly refused?: string
}

const HEREDOC_LIVE = /[$`]/

const heredoc = (node: HereDoc): ReadonlyArray<string> => {
  if (node.closing === undefined) return ["has a here-document without an end"]
  if (node.delimiter?.quoted === true) return []
  return HEREDOC_LIVE.test(node.body.text) ? ["expands a here-document"] : []
}

/** `< 2>&1`, `<<< 3<a`, `> {x}<a`: to bash the number or the name belongs to the second redirect. */
const runsOn = (node: Redirection, source: string): boolean => {
  const word = node.type === "HereDoc" ? node.delimiter : node.target
  return word !== undefined && /^(?:\d+|\{[A-Za-z_]\w*\})$/.test(word.text) && /[<>]/.test(source[word.end] ?? "")
}

const TWO_WAYS = "has redirects that can be read in two ways"

const FORM = /^(?:\d+|\{[A-Za-z_]\w*\})?(?:[<>]|>>|>\||<>|[<>]&|&>>?)[ \t]*(?![ \t\n]|\\\n)/
/** To bash the `-` of `<&-word` ends the redirect, and the word is the command's: `3<&-rm x` runs `rm x`. */
const CLOSES = /^(?:\\\n|[ \t])*-/
const DESCRIPTOR = /^(?:\d+-?|-)$/

/** Why nobody can tell where it ends. */
const unclear = (node: Redirect, source: string): Redirected | undefined => {
  const text = node.target?.text ?? ""
  if (/[<>]&$/.test(node.operator) && text !== "-" && CLOSES.test(text))
    return { why: [], refused: "closes a descriptor and hides a word behind it" }
  const numbered = /[<>]&$/.test(node.operator) && /^\d/.test(text) && !DESCRIPTOR.test(text)
  if (numbered || runsOn(node, source) || !FORM.test(source.slice(node.pos, node.end)))
    return { why: [TWO_WAYS], doubt: TWO_WAYS }
  return undefined
}

const reading = (word: ShellWord, paths: Paths): Redirected => {
  const outside = paths.place(word.value).inside ? [] : [`reads ${word.value} outside the workspace`]
  const why = word.why.length > 0 || word.glob ? ["reads a file whose name is not literal"] : outside
  return { why, reads: word.value }
}

/** Every place that it may lead to: bash takes a pattern for the one file that it matches. */
const refusedTarget = ({ glob, value: written, why }: ShellWord, paths: Paths): string | undefined => {
  if (why.includes("expands a tilde")) return `would write ${written}, which nobody can place`
  const value = written.replace(/^\$(?:PWD|\{PWD\})(?=\/)/, paths.workspace)
  for (const place of [paths.place(value), ...(glob ? (paths.matches(value) ?? []) : [])]) {
    if (isDevice(value) || isDevice(place.path)) return `would write to the device ${value}`
    if (place.guard === "forbidden") return `would write ${value}, which tools never write`
    if (!place.inside && !/[$`]/.test(value)) return `would write ${value} outside the workspace`
  }
  return undefined
}

/** `>> a` and `<> a` keep what is there. */
const EMPTIES: ReadonlySet<string> = new Set([">", ">|", "&>", ">&"])

const writing = (word: ShellWord, operator: string, paths: Paths): Redirected => {
  const refused = refusedTarget(word, paths)
  const value = word.value.replace(/^\$(?:PWD|\{PWD\})(?=\/)/, paths.workspace)
  const empties = EMPTIES.has(operator) && isThere(value, paths)
  return {
    why: [`writes ${word.value}`],
    writes: word.value,
    ...(empties ? { overwrites: word.value } : {}),
    ...(refused === undefined ? {} : { refused })
  }
}

const file = (node: Redirect, paths: Paths): Redirected => {
  const words = node.target === undefined ? [] : shellWords(node.target, paths.home)
  const [word] = words
  if (word === undefined || words.length > 1) return { why: ["redirects to a name that is not literal"] }
  const copies = /[<>]&$/.test(node.operator) && DESCRIPTOR.test(word.value)
  if (copies || (word.why.length === 0 && isSink(word.value))) return { why: [] }
  const found =
    node.operator === "<" || node.operator === "<&" ? reading(word, paths) : writing(word, node.operator, paths)
  return /^\/dev\/(?:tcp|udp)\//.test(word.value)
    ? { ...found, refused: "opens a network connection through a redirect" }
    : found
}

export const judgeRedirect = (node: Redirection, source: string, paths: Paths): Redirected => {
  if (node.type !== "Redirect" && runsOn(node, source)) return { why: [TWO_WAYS], doubt: TWO_WAYS }
  if (node.type === "HereDoc") return { why: heredoc(node) }
  if (node.type === "HereString") {
    return {
      why:
        node.target === undefined
          ? ["has no here-string"]
          : shellWords(node.target, paths.home).flatMap((word) => word.why)
    }
  }
  const found = file(node, paths)
  const first = unclear(node, source)
  return first === undefined ? found : { ...found, ...first, why: [...first.why, ...found.why] }
}

/** Redirects and assignments without a program. */
export const bare = (text: string, notPlain: ReadonlyArray<string>): SimpleCommand => ({
  argv: [],
  text,
  notPlain,
  unsettled: [],
  names: [],
  paths: [],
  prefix: [],
  readOnly: false
})
