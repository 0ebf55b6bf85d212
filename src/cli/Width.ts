/**
 * Display columns. Owns: how wide text is drawn, cutting and wrapping by it. Text holds no escape sequences here except
 * for `width`; colour is added to runs after they are wrapped. Invariants: never half a grapheme cluster, never wider
 * than asked unless one cluster alone is (LESSONS 49).
 */
import stringWidth from "string-width"

let made: Intl.Segmenter | undefined
/** Its tables are loaded with the first of them, and most starts need none. */
const segmenter = (): Intl.Segmenter => (made ??= new Intl.Segmenter(undefined, { granularity: "grapheme" }))
const ascii = /^[\x20-\x7e]*$/
const TAB = "    "
// A line does not begin with these.
const closing = /^[、。，．！？：；）】」』》〉〕”’…%‰,.!?:;)\]}]/u

// Characters that are always a cluster of their own: Latin, punctuation, boxes, our marks; Han, kana, Hangul syllables.
const simple =
  /^[\x20-\x7e\xa1-\xa8\xaa-\xac\xaf-\u02ff\u2010-\u2027\u2500-\u259f\u25cf\u2713\u2717\u273b\u3001-\u3029\u3041-\u3096\u30a1-\u30fa\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60]*$/
const WIDE_FROM = 0x3001

const simpleWidth = (text: string): number => {
  let columns = text.length
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) >= WIDE_FROM) columns++
  return columns
}

/** Columns of the text; escape sequences count nothing. The library's first emoji costs tens of milliseconds. */
export const width = (text: string): number => (simple.test(text) ? simpleWidth(text) : stringWidth(text))

/** Grapheme clusters: what one keystroke moves over or deletes. */
export const clusters = (text: string): ReadonlyArray<string> =>
  simple.test(text) ? text.split("") : Array.from(segmenter().segment(text), ({ segment }) => segment)

export const expandTabs = (text: string): string => text.replaceAll("\t", TAB)

const head = (text: string, columns: number): string => {
  if (ascii.test(text)) return text.slice(0, Math.max(0, columns))
  let used = 0
  let out = ""
  for (const cluster of clusters(text)) {
    used += width(cluster)
    if (used > columns) break
    out += cluster
  }
  return out
}

/** The beginning of the text that fits; the ellipsis stands at the end where something was cut away. */
export const cut = (text: string, columns: number, ellipsis = "…"): string => {
  if (text.length <= columns && ascii.test(text)) return text
  if (width(text) <= columns) return text
  const mark = width(ellipsis) <= columns ? ellipsis : ""
  return head(text, columns - width(mark)) + mark
}

/** Spaces after the text up to the column. */
export const pad = (text: string, columns: number): string => text + " ".repeat(Math.max(0, columns - width(text)))

/** A piece of text with one look; `S` is opaque here. */
export interface Run<S> {
  readonly text: string
  readonly style: S
}
type Line<S> = Array<Run<S>>

interface Atom<S> {
  readonly parts: Line<S>
  width: number
  readonly space: boolean
}

const push = <S>(line: Line<S>, text: string, style: S): void => {
  const last = line.at(-1)
  if (last !== undefined && last.style === style) line[line.length - 1] = { text: last.text + text, style }
  else line.push({ text, style })
}

/** Words, single wide clusters with the punctuation that must follow them, and the spaces between. */
const atomsOf = <S>(runs: ReadonlyArray<Run<S>>): ReadonlyArray<Atom<S>> => {
  const atoms: Array<Atom<S>> = []
  let lastWide = false
  for (const { text, style } of runs) {
    const pieces = ascii.test(text) ? (text.match(/ +|[^ ]+/g) ?? []) : clusters(text)
    for (const piece of pieces) {
      const columns = width(piece)
      const space = piece.trim() === ""
      const wide = columns === 2 && !ascii.test(piece)
      const last = atoms.at(-1)
      const glued = last !== undefined && last.space === space && (space || closing.test(piece) || !(wide || lastWide))
      if (glued) {
        push(last.parts, piece, style)
        last.width += columns
      } else atoms.push({ parts: [{ text: piece, style }], width: columns, space })
      lastWide = wide
    }
  }
  return atoms
}

/** Lines of one paragraph, no wider than the columns; words wider than a line are broken. */
export const wrapRuns = <S>(runs: ReadonlyArray<Run<S>>, columns: number): ReadonlyArray<ReadonlyArray<Run<S>>> => {
  const limit = Math.max(1, columns)
  const lines: Array<Line<S>> = []
  let line: Line<S> = []
  let used = 0
  let gap: Atom<S> | undefined
  const feed = (): void => {
    lines.push(line)
    line = []
    used = 0
  }
  const breakUp = (atom: Atom<S>): void => {
    for (const { text, style } of atom.parts) {
      for (const cluster of clusters(text)) {
        const wide = width(cluster)
        if (used > 0 && used + wide > limit) feed()
        push(line, cluster, style)
        used += wide
      }
    }
  }
  for (const atom of atomsOf(runs)) {
    if (atom.space) {
      gap = atom
      continue
    }
    const before = gap === undefined || (used === 0 && lines.length > 0) ? 0 : gap.width
    if (used > 0 && used + before + atom.width > limit) feed()
    else if (gap !== undefined && before > 0 && before < limit) {
      for (const part of gap.parts) push(line, part.text, part.style)
      used += before
    }
    gap = undefined
    breakUp(atom)
  }
  if (line.length > 0 || lines.length === 0) lines.push(line)
  return lines
}

/** Lines no wider than the columns: at spaces and between wide characters, inside a word only where it must. */
export const wrap = (text: string, columns: number): ReadonlyArray<string> =>
  text
    .split("\n")
    .flatMap((paragraph) =>
      wrapRuns([{ text: expandTabs(paragraph), style: "" }], columns).map((line) =>
        line.map((run) => run.text).join("")
      )
    )

/**
 * Lines no wider than the columns, broken at the column and nowhere else, or with `words` behind the last space before
 * it: every space of the text stays.
 */
export const fold = (text: string, columns: number, words = false): ReadonlyArray<string> =>
  text.split("\n").flatMap((line) => {
    const lines: Array<string> = []
    let rest = expandTabs(line)
    while (width(rest) > columns) {
      const most = head(rest, columns) || (clusters(rest)[0] ?? rest)
      const first = (words && most.slice(0, most.lastIndexOf(" ") + 1)) || most
      lines.push(first)
      rest = rest.slice(first.length)
    }
    return [...lines, ...(rest === "" && lines.length > 0 ? [] : [rest])]
  })
