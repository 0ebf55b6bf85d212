/** What a victim is told to do. */
export interface Job {
  /** Holds `state` and `work`. */
  readonly home: string
  readonly base_url: string
  /** Absent: it serves. `open` brings the store to the newest format. */
  readonly work?: "open" | "backup" | "restore" | "compact"
  /** The nth time that this point is reached, or the nth point of all. */
  readonly kill?: Pair | { readonly any: number }
  /** Every point is a line of this file. */
  readonly record?: string
}

/** A point and which time it is reached, from 1. */
export interface Pair {
  readonly name: string
  readonly nth: number
}
