/**
 * The one owner of the screen and the one reader of the keyboard (LESSONS 50). Owns: the contract, and how a frame
 * becomes escape sequences. What is settled is written once, into the terminal's own scrollback; what is live is a few
 * lines below it that are drawn again. The alternate screen is never used.
 * Invariant: a frame is one write, between synchronisation marks, so that nothing flickers and nothing interleaves.
 */
import { Context, type Effect } from "effect"
import type { Input } from "./Keyboard.ts"
import { width } from "./Width.ts"

export type TerminalInput = Input | { readonly kind: "resize" } | { readonly kind: "end" }

export interface Frame {
  /** Lines that will never change again; each at most as wide as the terminal. */
  readonly settled: ReadonlyArray<string>
  readonly live: ReadonlyArray<string>
  /** Where the real cursor stands, in `live`; absent: hidden. */
  readonly cursor?: { readonly row: number; readonly column: number }
}

export class Terminal extends Context.Service<
  Terminal,
  {
    /** The next input; only one may wait at a time. */
    readonly read: Effect.Effect<TerminalInput>
    readonly draw: (frame: Frame) => void
    readonly columns: () => number
    readonly rows: () => number
    readonly color: boolean
  }
>()("claw/cli/Terminal") {}

const BEGIN = "\x1b[?2026h\x1b[?25l"
const END = "\x1b[?2026l"

export interface Screen {
  /** The text that turns the last frame into this one; empty where it is the same. */
  readonly frame: (frame: Frame, size: { readonly rows: number; readonly columns: number }) => string
  /** The text that gives an empty screen: what stood on it is in the scrollback, and what comes next is drawn whole. */
  readonly clear: (size: { readonly rows: number; readonly columns: number }) => string
  /** The text that leaves the screen in order: cursor below everything, visible. What comes next is drawn there, whole. */
  readonly leave: () => string
}

interface Drawn {
  readonly live: ReadonlyArray<string>
  /** Row of `live` where the cursor was left; its column, where it is visible. */
  readonly row: number
  readonly column: number | undefined
  readonly columns: number
}

const nothing: Drawn = { live: [], row: 0, column: undefined, columns: 0 }

const same = (a: Drawn, b: Drawn): boolean =>
  a.row === b.row &&
  a.column === b.column &&
  a.columns === b.columns &&
  a.live.length === b.live.length &&
  a.live.every((line, i) => line === b.live[i])

/** Rows that the first `count` live lines take; a terminal that became narrower has wrapped them. */
const rowsOf = ({ live, columns: before }: Drawn, count: number, columns: number): number =>
  columns >= before
    ? count
    : live.slice(0, count).reduce((sum, line) => sum + Math.max(1, Math.ceil(width(line) / columns)), 0)

/** To where the live lines begin. */
const homeOf = (drawn: Drawn, columns: number): string => {
  const up = rowsOf(drawn, drawn.row, columns)
  return up > 0 ? `\x1b[${up}A\r` : "\r"
}

/** Each line clears its own row before it is written, the last one everything below: a full row keeps its last column. */
const written = (settled: ReadonlyArray<string>, live: ReadonlyArray<string>): string => {
  const [last = "", ...before] = live.toReversed()
  return [...settled, ...before.toReversed()].map((line) => `\x1b[K${line}\r\n`).join("") + `\x1b[J${last}`
}

/** Remembers what is live and where the cursor was left. */
export const makeScreen = (): Screen => {
  let drawn = nothing
  return {
    frame: ({ settled, live, cursor }, { rows, columns }) => {
      const hidden = Math.max(0, live.length - Math.max(1, rows - 1))
      const kept = live.slice(hidden)
      const below = Math.max(0, kept.length - 1)
      const row = cursor === undefined ? below : Math.max(0, cursor.row - hidden)
      const next: Drawn = { live: kept, row, column: cursor?.column, columns }
      if (settled.length === 0 && same(drawn, next)) return ""
      const home = homeOf(drawn, columns)
      const back = below - row > 0 ? `\x1b[${below - row}A` : ""
      const right = cursor !== undefined && cursor.column > 0 ? `\x1b[${cursor.column}C` : ""
      const place = cursor === undefined ? "" : `${back}\r${right}\x1b[?25h`
      drawn = next
      return `${BEGIN}${home}${written(settled, kept)}${place}${END}`
    },
    clear: ({ rows, columns }) => {
      // Row by row: a whole screen that is erased goes into the scrollback of some terminals.
      const gone = "\x1b[K\n".repeat(rowsOf(drawn, drawn.live.length, columns))
      const home = homeOf(drawn, columns)
      drawn = nothing
      // Erasing would lose what stands there in others; pushed over the upper edge it is kept in all.
      return `${BEGIN}${home}${gone}\x1b[${rows}B${"\n".repeat(rows)}\x1b[H${END}`
    },
    leave: () => {
      const down = Math.max(0, drawn.live.length - 1) - drawn.row
      drawn = nothing
      return `${down > 0 ? `\x1b[${down}B` : ""}\r\n\x1b[?25h`
    }
  }
}
