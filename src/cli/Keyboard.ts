/**
 * From what a terminal sends to keys and pastes. Owns: the pairing of names and texts. The splitting of sequences and
 * their names come from pi-tui, two modules of it; its editor was tried and left: it turns tabs into spaces and
 * long pastes into marks, so that what is submitted is not what was typed (case H15).
 * Invariant: a bracketed paste is one event, however it was cut on its way (LESSONS 49).
 */
import { decodePrintableKey, parseKey } from "@mariozechner/pi-tui/dist/keys.js"
import { StdinBuffer } from "@mariozechner/pi-tui/dist/stdin-buffer.js"

export type Input =
  /** `name`: `a`, `enter`, `ctrl+c`, `alt+left` …; `text`: what it types, empty for a control key. */
  | { readonly kind: "key"; readonly name: string; readonly text: string }
  | { readonly kind: "paste"; readonly text: string }

export interface Decoder {
  readonly push: (chunk: string) => void
  readonly close: () => void
}

/** Milliseconds after which a lone escape is the escape key. */
const ESCAPE_MS = 25

const isPrintable = (text: string): boolean => text !== "" && !/[\p{Cc}]/u.test(text)

const keyOf = (sequence: string): Input => {
  const text = isPrintable(sequence) ? sequence : (decodePrintableKey(sequence) ?? "")
  if (sequence === "\n") return { kind: "key", name: "ctrl+j", text: "" }
  return { kind: "key", name: parseKey(sequence) ?? text, text }
}

export const makeDecoder = (emit: (input: Input) => void): Decoder => {
  const buffer = new StdinBuffer({ timeout: ESCAPE_MS })
  buffer.on("data", (sequence: string) => emit(keyOf(sequence)))
  buffer.on("paste", (text: string) =>
    emit({ kind: "paste", text: text.replaceAll("\r\n", "\n").replaceAll("\r", "\n") })
  )
  return { push: (chunk) => buffer.process(chunk), close: () => buffer.destroy() }
}
