/**
 * Words of a shell line as the shell would hand them over. Owns: quotes, braces, tilde, what a glob may become.
 * Does not own: what the words mean to a program. Invariant: a word is `literal` only where its value is known
 * before anything runs; otherwise `why` says what makes it dynamic and `value` keeps it as written.
 */
import type { Word, WordPart } from "unbash"
import { MAX_BRACE_WORDS, expandBraces } from "./commandBraces.ts"
import { heldText } from "./commandHereText.ts"

export interface ShellWord {
  readonly value: string
  /** Why its value cannot be known; empty: literal. */
  readonly why: ReadonlyArray<string>
  /** It has live glob characters: `value` is the pattern. */
  readonly glob: boolean
  /** It may contain several words or none. */
  readonly splits: boolean
}

const EXPANSIONS: Partial<Record<WordPart["type"], string>> = {
  SimpleExpansion: "expands a variable",
  ParameterExpansion: "expands a variable",
  CommandExpansion: "runs a command inside a word",
  ArithmeticExpansion: "evaluates arithmetic",
  ProcessSubstitution: "runs a command as a file",
  LocaleString: "translates a string",
  ExtendedGlob: "uses an extended glob"
}

/** Controls but tab and newline, odd blanks, marks that pile up, and what a screen does not show. */
const HIDDEN =
  /(?![\t\n])\p{Cc}|[\p{Zl}\p{Zp}\p{Co}\p{Cn}\u{2800}\u{fffc}\u{1d159}]|\p{M}{3}|(?! )\p{Zs}|(?![\u{fe0f}\u{200d}])\p{Default_Ignorable_Code_Point}/u

/** `$'…'` forms that hide what they make behind numbers. */
const CODED = /\\(?:[xuUc]|[0-7])/
/** What else bash makes of a backslash in `$'…'`; behind others it keeps it, a line break among them. */
const ESCAPE = /\\([^])/g
const ESCAPES = "abeEfnrtv\\'\"?"

const ansiWhy = (text: string): ReadonlyArray<string> => {
  if (CODED.test(text)) return ["spells characters as numbers"]
  const known = Array.from(text.matchAll(ESCAPE)).every(([, letter = ""]) => ESCAPES.includes(letter))
  return known ? [] : ["has a backslash that $'…' keeps"]
}

const partWhy = (part: WordPart): ReadonlyArray<string> => {
  // The status of a command: a number.
  if (part.type === "SimpleExpansion" && part.text === "$?") return []
  if (heldText(part) !== undefined) return []
  const expansion = EXPANSIONS[part.type]
  if (expansion !== undefined) return [expansion]
  if (part.type === "DoubleQuoted") return part.parts.flatMap(partWhy)
  return part.type === "AnsiCQuoted" ? ansiWhy(part.text) : []
}

/** The home directory is known, so that a refusal can see through `$HOME`; such a word is still not literal. */
const approximate = (part: WordPart, home: string): string => {
  if (part.type === "DoubleQuoted" || part.type === "LocaleString")
    return part.parts.map((inner) => approximate(inner, home)).join("")
  const held = heldText(part)
  if (held !== undefined) return held
  if (part.type === "SimpleExpansion" && part.text === "$HOME") return home
  if (part.type === "ParameterExpansion" && part.text === "${HOME}") return home
  return "value" in part ? part.value : part.text
}

/** `~` in front, or behind the `=` or `:` of a word that looks like an assignment. */
const tilde = (bare: string, value: string, home: string): { value: string; why: ReadonlyArray<string> } => {
  if (/^~(?=\/|$)/.test(bare)) return { value: home + value.slice(1), why: [] }
  if (/^~|^[A-Za-z_][A-Za-z0-9_]*=(?:[^'"\\]*:)?~/.test(bare)) return { value, why: ["expands a tilde"] }
  return { value, why: [] }
}

const GLOB_PARTS: ReadonlySet<string> = new Set(["Glob", "ExtendedGlob"])

const bareGlob = /[*?]|\[[^\][\n]*\]/

/** Quoted pieces and single escaped characters, which braces and commas in them do not part. */
const QUOTED = /\\([^])|'([^']*)'|"((?:[^"\\]|\\[^])*)"/g

/** What braces make of a word with quotes: not literal, yet what a rule denies can be seen in it. */
const quotedBraces = (text: string): ReadonlyArray<string> => {
  const pieces: Array<string> = []
  const mask = (_: string, one?: string, single?: string, double?: string) =>
    String.fromCodePoint(0xf0000 + pieces.push(one ?? single ?? double ?? "") - 1)
  const expanded = expandBraces(text.replace(QUOTED, mask)) ?? []
  return expanded
    .filter((value) => value !== "")
    .map((value) => value.replace(/[\u{f0000}-\u{ffffd}]/gu, (one) => pieces[one.codePointAt(0)! - 0xf0000] ?? one))
}

const braceWords = (text: string, home: string): ReadonlyArray<ShellWord> => {
  const dynamic = (values: ReadonlyArray<string>, why: string): ReadonlyArray<ShellWord> =>
    (values.length === 0 ? [text] : values).map((value) => ({ value, why: [why], glob: false, splits: true }))
  if (/['"\\$`~]|<\(|>\(/.test(text)) return dynamic(quotedBraces(text), "mixes braces with quotes or expansions")
  const expanded = expandBraces(text)
  if (expanded === undefined) return dynamic([], `makes more than ${MAX_BRACE_WORDS} words with braces`)
  // A word that becomes nothing is none: `{,rm} x` runs rm.
  return expanded.flatMap((value) => {
    if (value === "") return []
    const open = tilde(value, value, home)
    return [{ value: open.value, why: open.why, glob: bareGlob.test(value), splits: false }]
  })
}

const unquotedExpansion = (part: WordPart): boolean =>
  part.type === "SimpleExpansion" ||
  part.type === "ParameterExpansion" ||
  part.type === "CommandExpansion" ||
  (part.type === "DoubleQuoted" && part.parts.some((inner) => inner.text.includes("@") && !isHeld(inner)))

const isHeld = (part: WordPart): boolean => part.type === "Literal" || heldText(part) !== undefined

/** `"$(cat <<'E' … E)"`: only within double quotes is it one word. */
const holdsText = (part: WordPart): boolean =>
  part.type === "DoubleQuoted" && part.parts.some((inner) => heldText(inner) !== undefined)

/** One written word becomes one word, several (braces), or one that is not literal. */
export const shellWords = (word: Word, home: string): ReadonlyArray<ShellWord> => {
  const parts = word.parts ?? []
  if (parts.some((part) => part.type === "BraceExpansion")) return braceWords(word.text, home)
  const why = parts.flatMap((part) =>
    part.type === "CommandExpansion" ? [EXPANSIONS.CommandExpansion!] : partWhy(part)
  )
  const raw =
    why.length > 0 || parts.some(holdsText) ? parts.map((part) => approximate(part, home)).join("") : word.value
  const open = tilde(word.text, raw, home)
  const hidden = HIDDEN.test(word.value) || HIDDEN.test(raw) ? ["contains invisible or control characters"] : []
  return [
    {
      value: open.value,
      why: [...new Set([...why, ...open.why, ...hidden])],
      glob: parts.some((part) => GLOB_PARTS.has(part.type)),
      splits: parts.some(unquotedExpansion)
    }
  ]
}

/** A word that is already known, such as an argument that a wrapper hands on. */
export const literalWord = (value: string): ShellWord => ({ value, why: [], glob: false, splits: false })
