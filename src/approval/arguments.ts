/**
 * The arguments of a call as text. Owns: what two readers could read differently. A JSON object with the same key twice,
 * or ill-formed text, is refused before anybody is asked (SECURITY P3).
 */
const STRING = /"(?:[^"\\]|\\.)*"/y
const COLON = /\s*:/y

/** First key that stands twice in one object of this JSON text, spelled as its reader sees it. */
export const duplicateKey = (json: string): string | undefined => {
  const open: Array<Set<string> | undefined> = []
  for (let at = 0; at < json.length; at += 1) {
    const char = json[at]
    if (char === "{") open.push(new Set())
    else if (char === "[") open.push(undefined)
    else if (char === "}" || char === "]") open.pop()
    else if (char === '"') {
      STRING.lastIndex = at
      const text = STRING.exec(json)?.[0]
      if (text === undefined) return undefined
      at += text.length - 1
      const keys = open.at(-1)
      COLON.lastIndex = at + 1
      if (keys === undefined || !COLON.test(json)) continue
      const key = JSON.parse(text) as string
      if (keys.has(key)) return key
      keys.add(key)
    }
  }
  return undefined
}

/** The arguments as a value; undefined where they are no JSON. */
export const parseArguments = (json: string): unknown => {
  try {
    return JSON.parse(json) as unknown
  } catch {
    return undefined
  }
}

/** Why these arguments may not run; undefined: they may be judged. */
export const argumentsRefusal = (json: string): string | undefined => {
  if (!json.isWellFormed()) return "the arguments are not valid Unicode"
  const value = parseArguments(json)
  if (value === undefined) return "the arguments are not valid JSON"
  const twice = duplicateKey(json)
  if (twice !== undefined) return `the arguments name ${JSON.stringify(twice)} twice`
  return undefined
}
