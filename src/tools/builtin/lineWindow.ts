/**
 * A window of lines over a text that arrives in pieces. Owns: counting, the caps on one line and on the whole.
 * Invariant: memory is bounded by the caps, whatever the file's size or its longest line.
 */
export interface WindowLimits {
  /** First line wanted, from 1. */
  readonly offset: number
  readonly lines: number
  readonly chars: number
  readonly lineChars: number
}

export interface WindowResult {
  readonly text: string
  /** Lines shown; 0 if the file has fewer than `offset`. */
  readonly shown: number
  /** Lines seen so far; all of the file's when it was pushed whole. */
  readonly seen: number
}

const cut = (line: string, length: number, max: number): string => {
  if (length <= max) return line
  const kept = line.slice(0, max).toWellFormed()
  return `${kept} [… ${length - kept.length} more characters in this line]`
}

export const makeLineWindow = (limits: WindowLimits) => {
  const lines: Array<string> = []
  let number = 1
  let chars = 0
  let current = ""
  let length = 0
  let full = false
  let endsWithNewline = false

  const wanted = () => !full && number >= limits.offset
  const add = (piece: string): void => {
    if (wanted() && current.length <= limits.lineChars) current += piece.slice(0, limits.lineChars + 1)
    length += piece.length
  }
  const endLine = (newline: boolean): void => {
    if (wanted()) {
      const isCrlf = newline && length <= limits.lineChars + 1 && current.endsWith("\r")
      const line = isCrlf ? current.slice(0, -1) : cut(current, length, limits.lineChars)
      const fits = lines.length < limits.lines && (lines.length === 0 || chars + line.length < limits.chars)
      if (fits) {
        lines.push(line)
        chars += line.length + 1
        endsWithNewline = newline
      } else full = true
    }
    number += 1
    current = ""
    length = 0
  }
  return {
    push: (text: string): void => {
      let from = 0
      for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", from)) {
        add(text.slice(from, at))
        endLine(true)
        from = at + 1
      }
      add(text.slice(from))
    },
    isFull: (): boolean => full,
    end: (): WindowResult => {
      if (length > 0) endLine(false)
      const text = lines.join("\n") + (endsWithNewline && lines.length > 0 ? "\n" : "")
      return { text, shown: lines.length, seen: number - 1 }
    }
  }
}
