/**
 * Which of the types on offer a request wants (RFC 9110 §12.5.1). Pure. Owns: ranges, their weights, case.
 * Invariants: `q=0` is a no; the most specific range that fits counts; without a header, anything is wanted.
 */

interface Range {
  readonly type: string
  readonly q: number
}

const WEIGHT = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/

const rangeOf = (text: string): Range => {
  const [type = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase())
  const weight = parameters.map((parameter) => WEIGHT.exec(parameter)?.[1]).find((found) => found !== undefined)
  return { type, q: weight === undefined ? 1 : Number(weight) }
}

/** How far a range says that it wants this type; a general one counts where no special one fits. */
const wantOf = (ranges: ReadonlyArray<Range>, type: string): number => {
  const fitting = [type, `${type.split("/", 1)[0]}/*`, "*/*"]
  for (const name of fitting) {
    const found = ranges.find((range) => range.type === name)
    if (found !== undefined) return found.q
  }
  return 0
}

/** The wanted one, among equals the first on offer; absent: none of them. */
export const accepted = <T extends string>(header: string | undefined, offered: ReadonlyArray<T>): T | undefined => {
  if (header === undefined || header.trim() === "") return offered[0]
  const ranges = header.split(",").map(rangeOf)
  const wants = offered.map((type) => wantOf(ranges, type))
  const most = Math.max(...wants)
  return most === 0 ? undefined : offered[wants.indexOf(most)]
}
