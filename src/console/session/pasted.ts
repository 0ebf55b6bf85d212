/** Files that are pasted or dropped, as text that a model can read. Invariant: what is no text, or too long, is refused. */
const MOST_BYTES = 200_000

export type Pasted = { readonly text: string } | { readonly refused: "binary" | "large"; readonly name: string }

/** A fence that the text does not hold. */
const fenceFor = (text: string): string => {
  const longest = Math.max(2, ...(text.match(/`{3,}/g) ?? []).map(({ length }) => length))
  return "`".repeat(longest + 1)
}

export const asText = async (file: File): Promise<Pasted> => {
  const { name, size } = file
  if (size > MOST_BYTES) return { refused: "large", name }
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer())
    if (text.includes("\0")) return { refused: "binary", name }
    const fence = fenceFor(text)
    const ending = /\.([A-Za-z0-9]+)$/.exec(name)?.[1] ?? ""
    return { text: `${name}:\n${fence}${ending}\n${text.replace(/\n$/, "")}\n${fence}\n` }
  } catch {
    return { refused: "binary", name }
  }
}
