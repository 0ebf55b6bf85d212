/**
 * Lines of standard input for a program that answers each (`claw policy check`). Owns: where a line ends, its cap, its
 * UTF-8. Invariant: a line that cannot be read costs itself only; the last one needs no end.
 */
export type InputLine =
  | { readonly kind: "line"; readonly text: string }
  | { readonly kind: "broken"; readonly code: "too_large" | "bad_utf8" }

/** Bytes of one line. */
export const MAX_LINE_BYTES = 16 * 1024 * 1024

const LF = 10

const decode = (bytes: Buffer): InputLine => {
  try {
    return { kind: "line", text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) }
  } catch {
    return { kind: "broken", code: "bad_utf8" }
  }
}

/** Blank lines are none. */
export async function* inputLines(input: AsyncIterable<Uint8Array>, cap = MAX_LINE_BYTES): AsyncGenerator<InputLine> {
  let held: Array<Buffer> = []
  let size = 0
  const take = (): InputLine | undefined => {
    const line: InputLine = size > cap ? { kind: "broken", code: "too_large" } : decode(Buffer.concat(held))
    held = []
    size = 0
    return line.kind === "line" && line.text.trim() === "" ? undefined : line
  }
  const hold = (bytes: Buffer) => {
    size += bytes.length
    if (size <= cap) held.push(bytes)
    else held = []
  }
  for await (const chunk of input) {
    let rest = Buffer.from(chunk)
    for (let end = rest.indexOf(LF); end >= 0; end = rest.indexOf(LF)) {
      hold(rest.subarray(0, end))
      const line = take()
      if (line !== undefined) yield line
      rest = rest.subarray(end + 1)
    }
    hold(rest)
  }
  const last = take()
  if (last !== undefined) yield last
}
