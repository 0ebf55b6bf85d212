/**
 * The replacing of a text in a file, on bytes (LESSONS 21). Pure.
 * Owns: matching that ignores the style of line ends, and line ends of the replacement in the style of what they
 * replace. Invariant: bytes outside a match never change, whatever their encoding; the replacement is literal.
 * Texts here are "binary" strings, one unit a byte, so that nothing is decoded and encoded again.
 */
import { Result } from "effect"
import type { Trouble } from "../../domain/Trouble.ts"

export interface Edit {
  readonly old_text: string
  readonly new_text: string
  readonly replace_all: boolean
}

export interface Edited {
  readonly bytes: Buffer
  readonly replacements: number
  /** Line of the first replacement, from 1. */
  readonly line: number
}

interface Unified {
  /** With every CRLF as LF. */
  readonly text: string
  /** Where each unit of `text` begins in the file; one more entry for the end. */
  readonly origin: (index: number) => number
}

/** Why nothing was replaced. */
export interface Complaint {
  readonly text: string
  readonly trouble?: Trouble
}

const complain = (text: string, trouble?: Trouble): Result.Result<never, Complaint> =>
  Result.fail({ text, ...(trouble === undefined ? {} : { trouble }) })

const MAX_REPLACEMENTS = 100_000

const binary = (text: string): string => Buffer.from(text, "utf8").toString("latin1")
const toLf = (text: string): string => text.replaceAll("\r\n", "\n")

const unify = (content: string): Unified => {
  if (!content.includes("\r\n")) return { text: content, origin: (index) => index }
  const origin = new Uint32Array(content.length + 1)
  let length = 0
  for (let at = 0; at < content.length; at += 1) {
    origin[length++] = at
    if (content.charCodeAt(at) === 13 && content.charCodeAt(at + 1) === 10) at += 1
  }
  origin[length] = content.length
  return { text: toLf(content), origin: (index) => origin[index] ?? content.length }
}

/** Every place where it stands, overlapping ones too: "aa" in "aaa" is not unique. */
const placesOf = (text: string, wanted: string): ReadonlyArray<number> => {
  const places: Array<number> = []
  for (
    let at = text.indexOf(wanted);
    at !== -1 && places.length <= MAX_REPLACEMENTS;
    at = text.indexOf(wanted, at + 1)
  ) {
    places.push(at)
  }
  return places
}

const withoutOverlap = (places: ReadonlyArray<number>, length: number): ReadonlyArray<number> => {
  let end = -1
  return places.filter((at) => {
    if (at < end) return false
    end = at + length
    return true
  })
}

const lineEnds = (text: string): ReadonlyArray<string> => text.match(/\r?\n/g) ?? []

/** The style at this place: of the next line end, else of the one before, else LF. */
const styleAt = (content: string, end: number): string => {
  const next = content.indexOf("\n", end)
  const at = next === -1 ? content.lastIndexOf("\n", end) : next
  return at > 0 && content.charCodeAt(at - 1) === 13 ? "\r\n" : "\n"
}

/** The n-th line end of the replacement takes the style of the n-th that it replaces. */
const styled = (content: string, start: number, end: number, replacement: string): string => {
  const replaced = lineEnds(content.slice(start, end))
  const fallback = replaced.at(-1) ?? styleAt(content, end)
  let index = 0
  return replacement.replace(/\n/g, () => replaced[index++] ?? fallback)
}

const squeeze = (line: string): string => line.trim().replace(/\s+/g, " ")

/** For the hint only: the line of a text that differs in blanks alone. Nothing is changed on a guess. */
const similarLine = (text: string, wanted: string): number | undefined => {
  const lines = text.split("\n").map(squeeze)
  const needle = wanted
    .split("\n")
    .map(squeeze)
    .filter((line, at, all) => line !== "" || (at > 0 && at < all.length - 1))
  if (needle.length === 0) return undefined
  const at = lines.findIndex((_, from) => needle.every((line, offset) => lines[from + offset] === line))
  return at === -1 ? undefined : at + 1
}

const notFound = (text: string, wanted: string): string => {
  const line = similarLine(text, wanted)
  const hint =
    line === undefined
      ? "read the file again and copy the text exactly"
      : `a text that differs only in blanks is at line ${line}; copy it exactly`
  return `old_text was not found (0 matches): ${hint}.`
}

export const applyEdit = (file: Buffer, edit: Edit): Result.Result<Edited, Complaint> => {
  if (!edit.old_text.isWellFormed() || !edit.new_text.isWellFormed())
    return complain("The texts are not valid Unicode.")
  const content = file.toString("latin1")
  const wanted = toLf(binary(edit.old_text.replace(/^\ufeff/, "")))
  const replacement = toLf(binary(edit.new_text.replace(/^\ufeff/, "")))
  if (wanted === "") return complain("old_text is empty: give the text to replace, or use write_file for a whole file.")
  if (wanted === replacement) return complain("old_text and new_text are the same; nothing would change.")
  const { origin, text } = unify(content)
  const all = placesOf(text, wanted)
  if (all.length === 0) return complain(notFound(text, wanted), "no_match")
  if (all.length > 1 && !edit.replace_all) {
    return complain(
      `old_text was found ${all.length} times: add lines around it until it is unique, or set replace_all.`,
      "several_matches"
    )
  }
  if (all.length > MAX_REPLACEMENTS)
    return complain(`old_text was found more than ${MAX_REPLACEMENTS} times; use bash for this.`)
  const places = withoutOverlap(all, wanted.length)
  const parts: Array<string> = []
  let done = 0
  for (const place of places) {
    const start = origin(place)
    const end = origin(place + wanted.length)
    parts.push(content.slice(done, start), styled(content, start, end, replacement))
    done = end
  }
  parts.push(content.slice(done))
  const line = text.slice(0, places[0]).split("\n").length
  return Result.succeed({ bytes: Buffer.from(parts.join(""), "latin1"), replacements: places.length, line })
}
