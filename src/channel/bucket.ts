/** A token bucket: so many at once, so many a millisecond. Time is the caller's. */
export interface Bucket {
  /** Takes `amount` where it is there: 0; else takes nothing and says in how many milliseconds it will be. */
  readonly take: (amount: number, now: number) => number
  readonly isFull: (now: number) => boolean
}

export const make = (options: { readonly capacity: number; readonly perMs: number; readonly now: number }): Bucket => {
  const { capacity, perMs } = options
  let level = capacity
  let at = options.now
  const fill = (now: number) => {
    level = Math.min(capacity, level + Math.max(0, now - at) * perMs)
    at = now
  }
  return {
    take: (amount, now) => {
      fill(now)
      if (level >= amount) {
        level -= amount
        return 0
      }
      return Math.ceil((amount - level) / perMs)
    },
    isFull: (now) => {
      fill(now)
      return level >= capacity
    }
  }
}
