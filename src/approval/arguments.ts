/**
 * The arguments of a call as text. Owns: what two readers could read differently. A JSON object with the same key twice,
 * or ill-formed text, is refused before anybody is asked (SECURITY P3).
 */
import { repeatedKey } from "../domain/RepeatedKeys.ts"

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
  const twice = repeatedKey(json, value)
  if (twice !== undefined) return `the arguments name ${JSON.stringify(twice)} twice`
  return undefined
}
