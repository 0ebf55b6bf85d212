/**
 * Bytes of a stream → lines (PROTOCOL, head; SETTLED 22; LESSONS 38). Owns: where a line ends, its cap, its UTF-8.
 * Does not own: what a line says (`Decode`), or for how long it may take to arrive: `pending` shows that one has begun.
 * Invariants: each byte is looked at once for the end of its line and never kept beyond the cap; how the bytes were cut
 * changes nothing; once the framing is lost nothing more comes out; a last line without its end is never a message.
 */

export type Framed =
  | { readonly kind: "line"; readonly text: string }
  | { readonly kind: "broken"; readonly code: "too_large" | "bad_utf8" | "bad_json" }

export interface FramingLimits {
  /** Bytes of one line, without its LF or CR LF. */
  readonly bytes: number
}

export interface Framing {
  /** What these bytes complete, in order; after a `broken` always nothing. */
  readonly push: (bytes: Uint8Array) => ReadonlyArray<Framed>
  /** The peer sends no more: a line that has begun is `bad_json`. */
  readonly end: () => ReadonlyArray<Framed>
  /** Bytes of a line that has begun to arrive; 0: between lines. */
  readonly pending: () => number
}

const LF = 10
const CR = 13
const none: Uint8Array = new Uint8Array(0)

/** Bytes of the line that has begun, in one block that grows with it and goes with it. */
const makeHeld = () => {
  let block = none
  let used = 0
  return {
    used: () => used,
    add: (bytes: Uint8Array): void => {
      if (used + bytes.length > block.length) {
        const grown = new Uint8Array(Math.max(256, block.length * 2, used + bytes.length))
        grown.set(block.subarray(0, used))
        block = grown
      }
      block.set(bytes, used)
      used += bytes.length
    },
    take: (): Uint8Array => {
      const taken = block.subarray(0, used)
      block = none
      used = 0
      return taken
    }
  }
}

/** An optional CR before the end does not belong to the line. */
const lengthOf = (line: Uint8Array): number => line.length - (line[line.length - 1] === CR ? 1 : 0)

const broken = (code: "too_large" | "bad_utf8" | "bad_json"): Framed => ({ kind: "broken", code })

/** A whole line → its text; `undefined`: an empty one. */
const framed = (line: Uint8Array, cap: number, utf8: InstanceType<typeof TextDecoder>): Framed | undefined => {
  const length = lengthOf(line)
  if (length > cap) return broken("too_large")
  if (length === 0) return undefined
  try {
    return { kind: "line", text: utf8.decode(line.subarray(0, length)) }
  } catch {
    return broken("bad_utf8")
  }
}

export const make = ({ bytes: cap }: FramingLimits): Framing => {
  // A byte order mark stays in the text, where it is no JSON.
  const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
  const held = makeHeld()
  let lost = false

  /** The line whose last bytes these are; too large ones are not put together first. */
  const ended = (last: Uint8Array): Framed | undefined => {
    if (held.used() + last.length > cap + 1) return broken("too_large")
    if (held.used() === 0) return framed(last, cap, utf8)
    held.add(last)
    return framed(held.take(), cap, utf8)
  }

  /** What is left of a packet begins or goes on with a line. One byte beyond the cap may still be the CR of its end. */
  const begun = (rest: Uint8Array): Framed | undefined => {
    const size = held.used() + rest.length
    if (size > cap + 1 || (size > cap && rest[rest.length - 1] !== CR)) return broken("too_large")
    held.add(rest)
    return undefined
  }

  return {
    push: (bytes) => {
      const out: Array<Framed> = []
      if (lost) return out
      for (let from = 0; from < bytes.length;) {
        const end = bytes.indexOf(LF, from)
        const one = end === -1 ? begun(bytes.subarray(from)) : ended(bytes.subarray(from, end))
        if (one !== undefined) out.push(one)
        lost = one?.kind === "broken"
        if (lost) break
        from = end === -1 ? bytes.length : end + 1
      }
      if (lost) held.take()
      return out
    },
    end: () => {
      const cut = !lost && lengthOf(held.take()) > 0
      lost = true
      return cut ? [broken("bad_json")] : []
    },
    pending: () => held.used()
  }
}
