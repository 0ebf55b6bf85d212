/**
 * A terminal on two streams of this process: raw mode, bracketed paste, keys. Everything it changes is changed back
 * when its scope ends, whatever ended it. Invariant: it is the only listener of the input while it lives.
 */
import { StringDecoder } from "node:string_decoder"
import type { ReadStream, WriteStream } from "node:tty"
import { Effect, Layer, Queue } from "effect"
import { makeDecoder } from "../Keyboard.ts"
import { makeStandby } from "./standby.ts"
import { makeScreen, type Screen, Terminal, type TerminalInput } from "../Terminal.ts"

export interface Streams {
  readonly input: ReadStream
  readonly output: WriteStream
  readonly color: boolean
}

const PASTE_ON = "\x1b[?2004h"
const PASTE_OFF = "\x1b[?2004l"

type Both = Pick<Streams, "input" | "output">

const standingBy = ({ input, output }: Both, screen: Screen, emit: (event: TerminalInput) => void) =>
  makeStandby({
    leave: () => {
      output.write(`${screen.leave()}${PASTE_OFF}`)
      input.setRawMode(false)
    },
    comeBack: () => {
      // Node remembers the mode that it set, not the one that a shell left.
      input.setRawMode(false)
      input.setRawMode(true)
      output.write(PASTE_ON)
      emit({ kind: "resize" })
    }
  })

const sizeOf = ({ rows, columns }: WriteStream) => ({ rows: rows || 24, columns: columns || 80 })

/** Keys that are the terminal's own mean the same in every state, and nobody else hears of them. */
const decoderOf = (
  output: WriteStream,
  { screen, stop, emit }: { screen: Screen; stop: () => void; emit: (event: TerminalInput) => void }
) =>
  makeDecoder((event) => {
    const name = event.kind === "key" ? event.name : ""
    if (name === "ctrl+z") return stop()
    if (name !== "ctrl+l") return emit(event)
    output.write(screen.clear(sizeOf(output)))
    emit({ kind: "resize" })
  })

const acquire = ({ input, output, color }: Streams) =>
  Effect.gen(function* () {
    const inputs = yield* Queue.unbounded<TerminalInput>()
    const screen = makeScreen()
    const utf8 = new StringDecoder("utf8")
    const emit = (event: TerminalInput) => void Queue.offerUnsafe(inputs, event)
    const standby = standingBy({ input, output }, screen, emit)
    const decoder = decoderOf(output, { screen, stop: standby.stop, emit })
    const onData = (bytes: Buffer) => decoder.push(utf8.write(bytes))
    const onEnd = () => emit({ kind: "end" })
    const onResize = () => emit({ kind: "resize" })
    yield* Effect.acquireRelease(
      Effect.sync(() => {
        input.setRawMode(true)
        input.on("data", onData).once("end", onEnd).once("error", onEnd)
        input.resume()
        output.on("resize", onResize)
        output.on("error", onEnd)
        output.write(PASTE_ON)
      }),
      () =>
        Effect.sync(() => {
          input.off("data", onData).off("end", onEnd).off("error", onEnd)
          output.off("resize", onResize).off("error", onEnd)
          decoder.close()
          standby.close()
          if (!output.destroyed) output.write(`${screen.leave()}${PASTE_OFF}`)
          if (!input.destroyed) input.setRawMode(false)
          input.pause()
        })
    )
    return Terminal.of({
      read: Queue.take(inputs),
      draw: (frame) => {
        const text = screen.frame(frame, sizeOf(output))
        if (text !== "") output.write(text)
      },
      columns: () => sizeOf(output).columns,
      rows: () => sizeOf(output).rows,
      color
    })
  })

export const layer = (streams: Streams) => Layer.effect(Terminal, acquire(streams))
