/**
 * A terminal without a window: the terminal driver on fake streams, an emulator as the screen, keys from the test.
 * `screen` is what a person would read, scrollback included; waiting is for what appears there, never for time.
 */
import { EventEmitter } from "node:events"
import type { ReadStream, WriteStream } from "node:tty"
import { Effect } from "effect"
import xterm from "@xterm/headless"
import { layer } from "../../src/cli/node/Terminal.ts"

export interface VirtualTerminal {
  readonly layer: ReturnType<typeof layer>
  readonly type: (text: string) => void
  /** Every line, scrollback first, without trailing blanks. */
  readonly lines: () => ReadonlyArray<string>
  readonly screen: () => string
  /** What the window shows: no scrollback. */
  readonly visible: () => ReadonlyArray<string>
  readonly cursor: () => { readonly column: number; readonly line: string }
  /** Waits until the screen satisfies this. */
  readonly until: (holds: (screen: string) => boolean) => Effect.Effect<void>
  /** Waits until the emulator has taken all that was written. */
  readonly flushed: Effect.Effect<void>
  readonly resize: (columns: number, rows: number) => void
  readonly end: () => void
  readonly raw: () => boolean
  readonly listeners: () => number
  /** Everything that was written, escape sequences included. */
  readonly written: () => string
  /** What the emulator answered; a program that never asks gets nothing. */
  readonly answered: () => string
}

export interface VirtualTerminalOptions {
  readonly columns?: number
  readonly rows?: number
  readonly color?: boolean
}

const trimmed = (lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.slice(0, lines.findLastIndex((line) => line !== "") + 1)

export const virtualTerminal = ({
  columns = 80,
  rows = 24,
  color = false
}: VirtualTerminalOptions = {}): VirtualTerminal => {
  const emulator = new xterm.Terminal({ cols: columns, rows, scrollback: 10_000, allowProposedApi: true })
  const input = new EventEmitter()
  const output = new EventEmitter()
  const watchers = new Set<() => void>()
  let [raw, written, answered] = [false, "", ""]
  emulator.onData((data) => (answered += data))
  Object.assign(input, {
    setRawMode: (on: boolean) => (raw = on),
    resume: () => input,
    pause: () => input
  })
  const write = (text: string) => {
    written += text
    emulator.write(text, () => watchers.forEach((wake) => wake()))
    return true
  }
  Object.assign(output, { columns, rows, write })
  const from = (first: number) => {
    const { active } = emulator.buffer
    return trimmed(
      Array.from(
        { length: active.length - first },
        (_, i) =>
          active
            .getLine(first + i)
            ?.translateToString(true)
            .trimEnd() ?? ""
      )
    )
  }
  const lines = () => from(0)
  const screen = () => lines().join("\n")
  return {
    layer: layer({ input: input as unknown as ReadStream, output: output as unknown as WriteStream, color }),
    type: (text) => void input.emit("data", Buffer.from(text)),
    lines,
    screen,
    visible: () => from(emulator.buffer.active.baseY),
    cursor: () => {
      const { active } = emulator.buffer
      const line = active.getLine(active.baseY + active.cursorY)?.translateToString(true) ?? ""
      return { column: active.cursorX, line }
    },
    until: (holds) =>
      Effect.callback<void>((resume) => {
        const look = () => {
          if (!holds(screen())) return
          watchers.delete(look)
          resume(Effect.void)
        }
        watchers.add(look)
        look()
        return Effect.sync(() => void watchers.delete(look))
      }),
    flushed: Effect.callback<void>((resume) => emulator.write("", () => resume(Effect.void))),
    resize: (toColumns, toRows) => {
      emulator.resize(toColumns, toRows)
      Object.assign(output, { columns: toColumns, rows: toRows })
      output.emit("resize")
    },
    end: () => void input.emit("end"),
    raw: () => raw,
    listeners: () => input.listenerCount("data"),
    written: () => written,
    answered: () => answered
  }
}
