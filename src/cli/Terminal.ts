/**
 * The one owner of the screen and the one reader of the keyboard (LESSONS 50). Owns: the contract, and how a frame
 * becomes escape sequences. What is settled is written once, into the terminal's own scrollback; what is live is a few
 * lines below it that are drawn again. The alternate screen is never used.
 * Invariant: a frame is one write, between synchronisation marks, so that nothing flickers and nothing interleaves.
 */
import { Context, type Effect } from "effect"
import type { Input } from "./Keyboard.ts"

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
  /** The text that turns the last frame into this one. */
  readonly frame: (frame: Frame, rows: number) => string
  /** The text that leaves the screen in order: cursor below everything, visible. */
  readonly leave: () => string
}

/** Remembers how many rows are live and where the cursor was left. */
export const makeScreen = (): Screen => {
  let below = 0
  let cursorRow = 0
  const home = () => (cursorRow > 0 ? `\x1b[${cursorRow}A\r` : "\r")
  return {
    frame: ({ settled, live, cursor }, rows) => {
      const room = Math.max(1, rows - 1)
      const hidden = Math.max(0, live.length - room)
      const kept = live.slice(hidden)
      const start = `${BEGIN}${home()}\x1b[J`
      const above = settled.map((line) => `${line}\r\n`).join("")
      below = Math.max(0, kept.length - 1)
      const row = cursor === undefined ? below : Math.max(0, cursor.row - hidden)
      const up = below - row > 0 ? `\x1b[${below - row}A` : ""
      const place = cursor === undefined ? "" : `${up}\r${cursor.column > 0 ? `\x1b[${cursor.column}C` : ""}\x1b[?25h`
      cursorRow = cursor === undefined ? below : row
      return `${start}${above}${kept.join("\r\n")}${place}${END}`
    },
    leave: () => {
      const down = below - cursorRow > 0 ? `\x1b[${below - cursorRow}B` : ""
      return `${down}\r\n\x1b[?25h`
    }
  }
}
