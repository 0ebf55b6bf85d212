/**
 * Keeps secrets out of whatever is written down. Owns: the masking of known values and of well-known shapes. Pure.
 * Invariants: a value that this process knows as secret never comes out, whole, URL-encoded or inside JSON; ordinary
 * text comes out as it went in; every pattern is linear in the length of the text (R272, SECURITY T6, C021).
 */
import { Context } from "effect"

export const MASK = "[redacted]"

/** Shorter values would blank out ordinary words. */
const SHORTEST_SECRET = 6

/** Shapes that are secret wherever they appear. The first group, where there is one, is text to keep. */
const shapes: ReadonlyArray<RegExp> = [
  /\bsk-[A-Za-z0-9_-]{16,}/g,
  /\bclaw_[A-Za-z0-9_-]{43}/g,
  /\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})/g,
  /\bglpat-[A-Za-z0-9_-]{16,}/g,
  /\bnpm_[A-Za-z0-9]{30,}/g,
  /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\bAIza[A-Za-z0-9_-]{30,}/g,
  /\bhf_[A-Za-z0-9]{30,}/g,
  /\b[0-9a-f]{32}\.[A-Za-z0-9]{16}\b/g,
  /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}/g,
  /-----BEGIN [A-Z ]{0,32}PRIVATE KEY-----(?:(?!-----END)[\s\S]){1,20000}(?:-----END [A-Z ]{0,32}PRIVATE KEY-----)?/g,
  /(\b(?:bearer|basic)\s{1,8})[A-Za-z0-9+/=._~-]{8,}/gi,
  /(\b[a-z][a-z0-9+.-]{0,31}:\/\/[^/\s:@]{0,256}:)[^/\s@]{1,256}(?=@)/gi
]

/** Fields whose value is secret whatever it looks like. */
const secretField =
  /^(?:authorization|proxy-authorization|cookie|set-cookie|(?:x-)?api[-_]?key|password|passwd|secret|.*[-_](?:token|secret|password|key))$/i

const jsonEscaped = (value: string): string => JSON.stringify(value).slice(1, -1)

const spellings = (value: string): ReadonlyArray<string> => [
  value,
  jsonEscaped(value),
  encodeURIComponent(value.toWellFormed()),
  Buffer.from(value).toString("base64")
]

export interface Redactor {
  readonly text: (text: string) => string
  /** The same for every string inside a value of plain data; deeper than eight levels and rings become the mask. */
  readonly value: (value: unknown) => unknown
}

const escapeRegExp = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")

/** Every spelling of every value, the longest first so that a secret inside another hides neither. */
const spelledOut = (secrets: ReadonlyArray<string>): ReadonlyArray<string> => {
  const all = new Set(secrets.filter((secret) => secret.length >= SHORTEST_SECRET).flatMap(spellings))
  return [...all].toSorted((a, b) => b.length - a.length)
}

const knownValues = (secrets: ReadonlyArray<string>): RegExp | undefined => {
  const values = spelledOut(secrets)
  return values.length === 0 ? undefined : new RegExp(values.map(escapeRegExp).join("|"), "g")
}

const MAX_DEPTH = 8

export const make = (secrets: ReadonlyArray<string>): Redactor => {
  const known = knownValues(secrets)
  const text = (input: string): string => {
    const masked = known === undefined ? input : input.replace(known, MASK)
    return shapes.reduce(
      (result, shape) => result.replace(shape, (_, kept) => (typeof kept === "string" ? kept : "") + MASK),
      masked
    )
  }
  const walk = (value: unknown, depth: number): unknown => {
    if (typeof value === "string") return text(value)
    if (typeof value === "bigint" || typeof value === "symbol" || typeof value === "function")
      return text(String(value))
    if (typeof value !== "object" || value === null) return value
    if (depth === MAX_DEPTH) return MASK
    if (value instanceof Error) return text(`${value.name}: ${value.message}`)
    if (Array.isArray(value)) return value.map((item) => walk(item, depth + 1))
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [name, secretField.test(name) ? MASK : walk(item, depth + 1)])
    )
  }
  return { text, value: (value) => walk(value, 0) }
}

/** A text that comes in pieces: an end that may be the beginning of a secret waits for the next piece. */
export interface MaskedStream {
  readonly push: (piece: string) => string
  readonly end: () => string
}

export interface Mask {
  (text: string): string
  readonly stream: () => MaskedStream
}

const unmasked: Mask = Object.assign((text: string) => text, {
  stream: (): MaskedStream => ({ push: (piece: string) => piece, end: () => "" })
})

/**
 * Masks what this process knows to be secret in all that a tool brings back, before it is stored, shown or sent to a
 * model. Values, and claw's own tokens, which are nothing else; any other shape alone may be the very text that a
 * person wants edited.
 */
export const KnownSecrets = Context.Reference<Mask>("claw/observability/KnownSecrets", {
  defaultValue: () => unmasked
})

const OWN_TOKEN = "claw_[A-Za-z0-9_-]{43}"
const BEGUN_TOKEN = /(?:c|cl|cla|claw|claw_[A-Za-z0-9_-]{0,42})$/

/** How much of the end may be the beginning of one of `values`. */
const begun = (text: string, values: ReadonlyArray<string>): number => {
  const last = text.at(-1)
  let longest = BEGUN_TOKEN.exec(text)?.[0].length ?? 0
  for (const value of values) {
    for (let length = Math.min(value.length - 1, text.length); length > longest; length--) {
      if (value[length - 1] === last && text.endsWith(value.slice(0, length))) longest = length
    }
  }
  return longest
}

/** The masking of exactly these values. */
export const maskKnown = (secrets: ReadonlyArray<string>): Mask => {
  const values = spelledOut(secrets)
  const pattern = new RegExp([OWN_TOKEN, ...values.map(escapeRegExp)].join("|"), "g")
  const mask = (text: string) => text.replace(pattern, MASK)
  const stream = (): MaskedStream => {
    let held = ""
    const push = (piece: string): string => {
      const text = held + piece
      let end = text.length - begun(text, values)
      // A secret that reaches into what waits would leave in two halves.
      for (const { index, 0: found } of text.matchAll(pattern))
        if (index < end && index + found.length > end) end = index
      held = text.slice(end)
      return mask(text.slice(0, end))
    }
    return { push, end: () => mask(held) }
  }
  return Object.assign(mask, { stream })
}
