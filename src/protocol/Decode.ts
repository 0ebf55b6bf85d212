/**
 * Text → ClientMessage (PROTOCOL §1, R185–R189). Owns: which complaint a text deserves, and its sentence. Does not own:
 * how bytes become one text (`Framing`), whether the message is allowed now.
 * Invariants: total, never throws; nesting is counted before anything is parsed; a key that stands twice is refused; what
 * comes out holds no `__proto__`, no lone surrogate and no number that overflowed, in unknown fields neither, and can be
 * stored as it is.
 */
import { Result, Schema, SchemaIssue } from "effect"
import { PROTOCOL_VERSION } from "../domain/Event.ts"
import { nearest } from "../domain/Nearest.ts"
import { afterString, repeatsKey } from "../domain/RepeatedKeys.ts"
import { type ClientMessage, type ClientMessageType, Command, Key, messages, Token } from "./ClientMessage.ts"

export interface DecodeLimits {
  /** Objects and arrays within each other, the message itself included. */
  readonly depth: number
}

export type Complaint = {
  readonly code: "bad_json" | "bad_message" | "unknown_type" | "too_deep" | "unsupported_version"
  /** For a person; holds nothing of the text but its type. */
  readonly detail: string
  readonly type?: string
}

type Fields = Readonly<Record<string, unknown>>

const QUOTE = 34

/** Counted on the text, so that nothing is built of what is nested too deeply. */
export const isDeeperThan = (text: string, depth: number): boolean => {
  let open = 0
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (char === QUOTE) at = afterString(text, at + 1) - 1
    else if (char === 0x7b || char === 0x5b) {
      if (++open > depth) return true
    } else if (char === 0x7d || char === 0x5d) open--
  }
  return false
}

export const REPEATED = "It names a key twice."

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** What no message or body may hold anywhere, whether we know the field or not. Depth is bounded by then. */
export const taint = (value: unknown): string | undefined => {
  if (typeof value === "string") return value.isWellFormed() ? undefined : "holds text with a lone surrogate"
  if (typeof value === "number") return Number.isFinite(value) ? undefined : "holds a number that is too large"
  if (typeof value !== "object" || value === null) return undefined
  for (const [key, inner] of Object.entries(value)) {
    if (key === "__proto__") return "has a key __proto__"
    const found = taint(key) ?? taint(inner)
    if (found !== undefined) return found
  }
  return undefined
}

const fail = (code: Complaint["code"], detail: string, type?: unknown): Result.Result<never, Complaint> =>
  Result.fail({ code, detail, ...(typeof type === "string" ? { type } : {}) })

const types = Object.keys(messages)
const isType = (type: string): type is ClientMessageType => Object.hasOwn(messages, type)

const unknownType = (type: string): Result.Result<never, Complaint> => {
  const hint = nearest(type, types)
  const shown = JSON.stringify(type.length > 64 ? `${type.slice(0, 64).toWellFormed()}…` : type)
  return fail(
    "unknown_type",
    `Unknown message type ${shown}${hint === undefined ? "." : `; did you mean "${hint}"?`}`,
    type
  )
}

const format = SchemaIssue.makeFormatterStandardSchemaV1()

const sentence = (error: Schema.SchemaError): string => {
  const issue = format(error.issue).issues[0]
  const path = (issue?.path ?? []).map((part) => String(typeof part === "object" ? part.key : part)).join(".")
  const message = issue?.message ?? "is not valid"
  if (message === "Missing key") return `The field "${path}" is missing.`
  const must = message
    .replace(/^Expected string/, "must be a string")
    .replace(/^Expected object/, "must be an object")
    .replace(/^Expected /, "must be ")
    .replaceAll(" | ", " or ")
    .replace("a value with", "text with")
  return `The field "${path}" ${must}.`
}

type Decoder = (value: unknown) => Result.Result<ClientMessage, Schema.SchemaError>
const decoders = Object.fromEntries(
  Object.entries(messages).map(([type, schema]) => [
    type,
    Schema.decodeUnknownResult(schema as Schema.Decoder<ClientMessage>)
  ])
) as Readonly<Record<ClientMessageType, Decoder>>

/** A command is judged by the one shape that its name has, so that the complaint is about that one. */
const commands: ReadonlyMap<unknown, Decoder> = new Map(
  Command.members.flatMap((member) => {
    const { name } = member.fields
    const decoder: Decoder = Schema.decodeUnknownResult(member as Schema.Decoder<ClientMessage>)
    return ("literals" in name ? name.literals : [name.literal]).map((one) => [one, decoder] as const)
  })
)

const decoderOf = (type: ClientMessageType, fields: Fields): Decoder | undefined =>
  type === "command" ? commands.get(fields["name"]) : decoders[type]

const judged = (type: ClientMessageType, fields: Fields): Result.Result<ClientMessage, Complaint> => {
  const decoder = decoderOf(type, fields)
  if (decoder === undefined) {
    const names = Array.from(commands.keys(), (name) => JSON.stringify(name)).join(" or ")
    return fail("bad_message", `The field "name" must be ${names}.`, type)
  }
  const decoded = decoder(fields)
  return Result.isSuccess(decoded)
    ? Result.succeed(decoded.success)
    : fail("bad_message", sentence(decoded.failure), type)
}

/** The two messages that nearly every message is need no schema; `decode.test.ts` proves that it would say the same. */
const isPlain = (fields: Fields): boolean => {
  const count = Object.keys(fields).length
  if (fields["type"] === "ping") return count === 1
  const content = fields["content"]
  return fields["type"] === "prompt" && count === 2 && typeof content === "string" && content.trim() !== ""
}

export const decode = (text: string, limits: DecodeLimits): Result.Result<ClientMessage, Complaint> => {
  if (isDeeperThan(text, limits.depth)) return fail("too_deep", `The message is nested deeper than ${limits.depth}.`)
  const fields = parse(text)
  if (!isObject(fields)) return fail("bad_json", "That is not a JSON object.")
  if (repeatsKey(text, fields)) return fail("bad_json", REPEATED)
  const type = Object.hasOwn(fields, "type") ? fields["type"] : undefined
  const bad = taint(fields)
  if (bad !== undefined) return fail("bad_message", `The message ${bad}.`, type)
  if (Object.hasOwn(fields, "v") && fields["v"] !== PROTOCOL_VERSION)
    return fail("unsupported_version", `This server speaks version ${PROTOCOL_VERSION} of the protocol.`, type)
  if (type === undefined) return fail("bad_message", 'The field "type" is missing.')
  if (typeof type !== "string") return fail("bad_message", 'The field "type" must be text.')
  if (isPlain(fields)) return Result.succeed(fields as ClientMessage)
  return isType(type) ? judged(type, fields) : unknownType(type)
}

/** A text field of a message that is wrong otherwise. */
const fieldOf = (type: ClientMessageType, name: string, schema: Schema.Schema<string>) => {
  const fits = Schema.is(schema)
  return (text: string, limits: DecodeLimits): string | undefined => {
    const fields = isDeeperThan(text, limits.depth) ? undefined : parse(text)
    if (!isObject(fields) || !Object.hasOwn(fields, name) || fields["type"] !== type) return undefined
    if (repeatsKey(text, fields)) return undefined
    const value = fields[name]
    return fits(value) && taint(value) === undefined ? value : undefined
  }
}

/** By it, who says a wrong `hello` may be told what is wrong with it. */
export const helloToken = fieldOf("hello", "token", Token)
/** Which wrong prompt it is. */
export const promptKey = fieldOf("prompt", "idempotency_key", Key)
