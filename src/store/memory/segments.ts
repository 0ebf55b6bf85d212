/**
 * The records of one session in little room: JSON lines, the last ones as text, the older ones deflated outside the
 * heap. Owns: the representation. Does not own: whether a record may be added. Invariant: record n is line n, and a
 * sealed segment never changes. Figures: see `SEGMENT_CHARS`.
 */
import { deflateRawSync, inflateRawSync } from "node:zlib"

/**
 * Text is sealed at this length. Measured over a session of 1,000 messages (3,993 records): 405 bytes of JSON a record,
 * 900 to 1,000 bytes of heap as plain objects, 86 bytes outside the heap when sealed; 4 to 5 µs a record to seal.
 */
export const SEGMENT_CHARS = 32_768

interface Sealed {
  readonly lines: number
  readonly bytes: Uint8Array
}

const unseal = (sealed: Sealed): ReadonlyArray<string> => inflateRawSync(sealed.bytes).toString("utf8").split("\n")

export interface Segments {
  readonly length: () => number
  readonly push: (line: string) => void
  /** Lines from index `from` on, as long as `visit` gives true. */
  readonly walk: (from: number, visit: (line: string) => boolean) => void
  /** From the last line back, as long as `visit` gives true. */
  readonly walkBack: (visit: (line: string) => boolean) => void
}

export const make = (): Segments => {
  const sealed: Array<Sealed> = []
  let open: Array<string> = []
  let sealedLines = 0
  let chars = 0
  return {
    length: () => sealedLines + open.length,
    push: (line) => {
      open.push(line)
      chars += line.length
      if (chars < SEGMENT_CHARS) return
      // Copied, since zlib's own buffer is larger than what it holds.
      sealed.push({ lines: open.length, bytes: new Uint8Array(deflateRawSync(open.join("\n"), { level: 1 })) })
      sealedLines += open.length
      open = []
      chars = 0
    },
    walk: (from, visit) => {
      let first = 0
      for (const segment of sealed) {
        const next = first + segment.lines
        if (next > from) {
          for (const line of unseal(segment).slice(Math.max(0, from - first))) if (!visit(line)) return
        }
        first = next
      }
      for (const line of open.slice(Math.max(0, from - first))) if (!visit(line)) return
    },
    walkBack: (visit) => {
      for (const line of open.toReversed()) if (!visit(line)) return
      for (const segment of sealed.toReversed()) {
        for (const line of unseal(segment).toReversed()) if (!visit(line)) return
      }
    }
  }
}
