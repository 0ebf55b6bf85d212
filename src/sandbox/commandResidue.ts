/**
 * What the parser stepped over. A tolerant parser drops characters that bash stumbles at (`ls (` is `ls` to it), so a
 * line counts as understood only if words, redirects, separators and comments are all there is in it.
 */
import type { Command } from "unbash"

export type Span = readonly [from: number, to: number]

/** The spans of one simple command: its words, redirects and here-document bodies. */
export const commandSpans = (node: Command): ReadonlyArray<Span> => {
  const parts = [...node.prefix, ...(node.name === undefined ? [] : [node.name]), ...node.suffix]
  return parts.flatMap((part): ReadonlyArray<Span> => {
    const own: Span = [part.pos, part.end]
    if (part.type !== "HereDoc") return [own]
    return [
      own,
      [part.body.pos, part.body.end],
      ...(part.closing === undefined ? [] : [[part.closing.pos, part.closing.end] as const])
    ]
  })
}

/** A negation of nothing: `! || ls`. */
const BARE_NEGATION = /![ \t]*(?:[;&|\n]|$)/

/** A last backslash that escapes nothing: bash would go on reading. */
const OPEN_END = /(?<!\\)(?:\\\\)*\\$/

const SEPARATORS = /^(?:[ \t\n;&|!]|\\\n)*$/

/** True where something other than separators and comments stands between the spans. */
export const hasResidue = (source: string, spans: ReadonlyArray<Span>): boolean => {
  if (OPEN_END.test(source)) return true
  let at = 0
  let rest = ""
  for (const [from, to] of spans.toSorted(([a], [b]) => a - b)) {
    if (from > at) rest += `${source.slice(at, from)}\0`
    at = Math.max(at, to)
  }
  rest += source.slice(at)
  const between = rest.replace(/#[^\n\0]*/g, "").split("\0")
  return between.some((gap, i) => {
    const beforeCommand = i < between.length - 1
    return !SEPARATORS.test(gap) || BARE_NEGATION.test(beforeCommand ? `${gap}x` : gap)
  })
}
