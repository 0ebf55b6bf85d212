/** The known name that a person probably meant, over at most a few dozen short names. */

/** Letters to change, insert, delete or swap with their neighbour. */
const distance = (a: string, b: string): number => {
  let before: ReadonlyArray<number> = []
  let row: ReadonlyArray<number> = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const swap = swapped ? (before[j - 2] ?? 0) + 1 : change
      next.push(Math.min(change, swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    before = row
    row = next
  }
  return row[b.length] ?? 0
}

/** Of four letters two wrong ones leave no likeness: `frob` is no `drop`. */
const mostSlips = ({ length }: string): number => (length <= 4 ? 1 : Math.max(2, Math.floor(length / 3)))

/** Dashes and a slash are not what was mistyped: four letters behind them are four letters. */
const bare = (name: string): string => name.toLowerCase().replace(/^(--?|\/)/, "")

/** The closest of `known`, where it is close enough to be a slip of the keyboard. */
export const nearest = (name: string, known: ReadonlyArray<string>): string | undefined => {
  // A name of a file or an environment can be any length; nothing we know is longer than this.
  if (name.length > 64) return undefined
  const ranked = known
    .map((candidate) => ({ candidate, away: distance(bare(name), bare(candidate)) }))
    .toSorted((a, b) => a.away - b.away)
  const best = ranked[0]
  return best !== undefined && best.away <= mostSlips(bare(best.candidate)) ? best.candidate : undefined
}
