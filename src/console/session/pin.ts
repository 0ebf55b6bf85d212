/**
 * Whether a conversation's end is followed: from what a person does and where the list stands. Knows of no page.
 * Invariants: only a person leaves the end, for lists that measure themselves move, too; a key that leaves it has left it at
 * once, and what the list moves until it is far from there takes nothing back.
 */

/** Pixels from the end that still count as the end. */
const NEAR = 48
/** Behind a touch, a wheel or a key, a movement is a person's. */
const TOUCH_MS = 1_000

export class Pin {
  pinned = true
  private touched = Number.NEGATIVE_INFINITY
  /** From the key that leaves the end until the end is left. */
  private leaving = false

  /** The list stands so many pixels in front of its end. */
  look(gap: number, now: number): void {
    const near = gap < NEAR
    if (!near) this.leaving = false
    if (near && !this.leaving) this.pinned = true
    else if (now - this.touched < TOUCH_MS) this.pinned = false
  }

  touch(now: number): void {
    this.touched = now
    this.leaving = false
  }

  /** A key that goes up. */
  leave(now: number): void {
    this.touch(now)
    this.pinned = false
    this.leaving = true
  }

  /** What somebody opens stays where it is, also at the end. */
  hold(now: number): void {
    this.pinned = false
    this.touch(now)
  }

  toEnd(): void {
    this.pinned = true
    this.leaving = false
  }
}
