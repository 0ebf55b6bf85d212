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
  | {
      readonly kind: "key"
      readonly name: string
      readonly text: string
      /** It came in one read with others: nobody presses keys so, and it answers no question (SECURITY P16). */
      readonly together?: true
    }
  | { readonly kind: "paste"; readonly text: string }

export interface Decoder {
  readonly push: (chunk: string) => void
  readonly close: () => void
}

/** Milliseconds after which a lone escape is the escape key. */
const ESCAPE_MS = 25

const isPrintable = (text: string): boolean => text !== "" && !/[\p{Cc}]/u.test(text)

/** Of tmux, screen, PuTTY, rxvt and the Linux console, which pi-tui does not know. */
const others: Readonly<Record<string, string>> = {
  "\x1b[1~": "home",
  "\x1b[4~": "end",
  "\x1b[7~": "home",
  "\x1b[8~": "end"
}

const keyOf = (sequence: string): Input => {
  const text = isPrintable(sequence) ? sequence : (decodePrintableKey(sequence) ?? "")
  if (sequence === "\n") return { kind: "key", name: "ctrl+j", text: "" }
  return { kind: "key", name: others[sequence] ?? parseKey(sequence) ?? text, text }
}

const PASTE_MARK = "\x1b[200~"

/** Where the text ends in a part of a paste's mark, cut on its way; -1: it does not. */
const cutMark = (text: string): number => {
  const at = text.lastIndexOf("\x1b")
  const part = at === -1 ? "" : text.slice(at)
  // The escape alone is left to the buffer: it may be the key.
  return part.length > 1 && part.length < PASTE_MARK.length && PASTE_MARK.startsWith(part) ? at : -1
}

/** Milliseconds after which such a beginning is what it looks like. */
const CUT_MS = 500

export const makeDecoder = (emit: (input: Input) => void): Decoder => {
  const buffer = new StdinBuffer({ timeout: ESCAPE_MS })
  let read: Array<Input> | undefined
  const take = (input: Input) => void (read === undefined ? emit(input) : read.push(input))
  buffer.on("data", (sequence: string) => take(keyOf(sequence)))
  buffer.on("paste", (text: string) =>
    take({ kind: "paste", text: text.replaceAll("\r\n", "\n").replaceAll("\r", "\n") })
  )
  let held = ""
  let timer: NodeJS.Timeout | undefined
  const release = (text: string) => {
    if (text === "") return
    const inputs: Array<Input> = []
    read = inputs
    buffer.process(text)
    read = undefined
    for (const input of inputs) emit(inputs.length > 1 && input.kind === "key" ? { ...input, together: true } : input)
  }
  return {
    push: (chunk) => {
      clearTimeout(timer)
      const text = held + chunk
      const end = cutMark(text)
      held = end === -1 ? "" : text.slice(end)
      release(end === -1 ? text : text.slice(0, end))
      if (held === "") return
      timer = setTimeout(() => {
        release(held)
        held = ""
      }, CUT_MS)
    },
    close: () => {
      clearTimeout(timer)
      buffer.destroy()
    }
  }
}
