/**
 * A key that stands twice in one object of a JSON text: two readers could take it for two different messages (SECURITY P3).
 * Owns: whether there is one, and which. Pure. The text is valid JSON, and the value is what it says. Invariant: neither
 * depth nor length of a text ends this early.
 */
const QUOTE = 34
const BACKSLASH = 92
const COLON = 58

/** Where the string that began before `from` ends: behind its closing quote. */
export const afterString = (text: string, from: number): number => {
  let end = text.indexOf('"', from)
  while (end !== -1) {
    let slashes = 0
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH && end - 1 - slashes >= from) slashes++
    if (slashes % 2 === 0) return end + 1
    end = text.indexOf('"', end + 1)
  }
  return text.length
}

const keysIn = (value: unknown): number => {
  let count = 0
  const open: Array<unknown> = [value]
  while (open.length > 0) {
    const one = open.pop()
    if (typeof one !== "object" || one === null) continue
    if (!Array.isArray(one)) count += Object.keys(one).length
    for (const inner of Object.values(one)) if (typeof inner === "object") open.push(inner)
  }
  return count
}

/** Then the text has more colons than its value has keys, however each key is spelled. */
export const repeatsKey = (text: string, value: unknown): boolean => {
  let colons = 0
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (char === QUOTE) at = afterString(text, at + 1) - 1
    else if (char === COLON) colons++
  }
  return colons !== keysIn(value)
}

const BEHIND = /\s*:/y

/** The first that stands twice, as a reader sees it; undefined: none does. */
export const repeatedKey = (text: string, value: unknown): string | undefined => {
  if (!repeatsKey(text, value)) return undefined
  const open: Array<Set<string> | undefined> = []
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (char === "{") open.push(new Set())
    else if (char === "[") open.push(undefined)
    else if (char === "}" || char === "]") open.pop()
    else if (char === '"') {
      const end = afterString(text, at + 1)
      const keys = open.at(-1)
      BEHIND.lastIndex = end
      if (keys !== undefined && BEHIND.test(text)) {
        const key = JSON.parse(text.slice(at, end)) as string
        if (keys.has(key)) return key
        keys.add(key)
      }
      at = end - 1
    }
  }
  return ""
}
