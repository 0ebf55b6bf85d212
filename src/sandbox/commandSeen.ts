/**
 * Which texts and words of a line were taken apart before. Owns: when that is enough. Pure. Invariant: within one command it
 * always is, since launchers within launchers have many readings; of a later one only where nothing else stands between the
 * two, since that could have changed what they run.
 */
export interface Seen {
  /** The next command of the line; `kinds`: how many different ones there were until now. */
  readonly next: (kinds: number) => void
  /** False for what is new, which is remembered. */
  readonly has: (key: string) => boolean
}

export const makeSeen = (): Seen => {
  const at = new Map<string, number>()
  /** By command: how many different ones there were when it was through. */
  const kindsAfter: Array<number> = []
  return {
    next: (kinds) => void kindsAfter.push(kinds),
    has: (key) => {
      const now = kindsAfter.length
      const before = at.get(key)
      if (before !== undefined && (before === now || kindsAfter[before] === kindsAfter.at(-1))) return true
      at.set(key, now)
      return false
    }
  }
}
