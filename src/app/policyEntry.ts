/**
 * One line of `claw policy check` as data: the corpus's own shape, read leniently where a field is absent and strictly
 * where it is wrong. Owns: the shape and its placeholders. Decides nothing.
 */
import { dirname } from "node:path"
import { Result, Schema } from "effect"
import { ruleMistake } from "../config/RuleForm.ts"
import type { ErrorCode } from "../domain/ErrorCode.ts"

const optional = Schema.optionalKey
const Argv = Schema.NonEmptyArray(Schema.String)

const GivenGrant = Schema.Struct({
  match: Schema.String,
  tool: optional(Schema.String),
  argv: optional(Argv),
  glob: optional(Schema.String)
})
export type GivenGrant = typeof GivenGrant.Type

const GivenRule = Schema.Struct({
  tool: optional(Schema.String),
  match: optional(Schema.String),
  argv: optional(Argv),
  glob: optional(Schema.String)
})
export type GivenRule = typeof GivenRule.Type

const Fixture = Schema.Struct({ changed_after_grant: optional(Schema.Boolean) })

const Context = Schema.Struct({
  /** Default: the current directory. Fixtures stand there already. */
  workspace: optional(Schema.String),
  mode: optional(Schema.Literals(["ask", "accept-edits", "plan", "never-ask", "bypass"])),
  tool: optional(Schema.String),
  grants: optional(Schema.Array(GivenGrant)),
  deny_rules: optional(Schema.Array(GivenRule)),
  fixture: optional(Schema.Array(Fixture)),
  /** The input is the arguments, as JSON text. */
  raw_args: optional(Schema.Boolean),
  shell_state: optional(Schema.Struct({ PATH: optional(Schema.String) })),
  /** Exchanged while the call runs: the second is what the first may be by then. */
  race: optional(Schema.Struct({ exchange: Schema.Array(Schema.String) })),
  where: optional(Schema.String),
  trust: optional(Schema.String)
})
export type Context = typeof Context.Type

const Entry = Schema.Struct({
  id: Schema.Union([Schema.String, Schema.Number]),
  kind: Schema.String,
  input: Schema.String,
  context: optional(Context),
  expand: optional(Schema.Record(Schema.String, Schema.Struct({ repeat: Schema.String, times: Schema.Int })))
})

export interface Line {
  readonly id: string | number
  readonly kind: string
  readonly input: string
  readonly context: Context
  /** Absolute. */
  readonly workspace: string
}

export interface Unread {
  readonly id: string | number | null
  readonly code: ErrorCode
  readonly message: string
}

const MAX_EXPANDED = 8 * 1024 * 1024

/** `{{WS}}`, `{{OUTSIDE}}` and the line's own marks. */
const expanded = (text: string, workspace: string, own: (typeof Entry.Type)["expand"] = {}): string | undefined => {
  let full = text.replaceAll("{{WS}}", workspace).replaceAll("{{OUTSIDE}}", dirname(workspace))
  for (const [mark, { repeat, times }] of Object.entries(own)) {
    if (times < 0 || repeat.length * times > MAX_EXPANDED) return undefined
    full = full.replaceAll(mark, () => repeat.repeat(times))
  }
  return full
}

const decode = Schema.decodeUnknownResult(Entry)

const mistakeIn = (rules: ReadonlyArray<GivenRule> = []): string | undefined => {
  for (const [at, { argv, glob, tool }] of rules.entries()) {
    const named = { ...(argv === undefined ? {} : { argv }), ...(tool === undefined ? {} : { tool }) }
    const mistake = ruleMistake({ ...named, ...(glob === undefined ? {} : { path: glob }) })
    if (mistake !== undefined) return `the rule context.deny_rules[${at}] ${mistake}.`
  }
  return undefined
}

const idOf = (value: unknown): Unread["id"] => {
  const id = value !== null && typeof value === "object" && "id" in value ? value.id : null
  return typeof id === "string" || typeof id === "number" ? id : null
}

export const readLine = (text: string, cwd: string): Result.Result<Line, Unread> => {
  const parsed = Result.try(() => JSON.parse(text) as unknown)
  if (Result.isFailure(parsed)) return Result.fail({ id: null, code: "bad_json", message: "The line is not JSON." })
  const decoded = decode(parsed.success)
  const bad = (message: string) => Result.fail<Unread>({ id: idOf(parsed.success), code: "bad_message", message })
  if (Result.isFailure(decoded)) return bad(decoded.failure.message)
  const { id, kind, input, context = {}, expand } = decoded.success
  const mistake = mistakeIn(context.deny_rules)
  if (mistake !== undefined) return bad(mistake)
  const workspace = context.workspace ?? cwd
  const full = expanded(input, workspace, expand)
  return full === undefined
    ? bad("expand makes more than 8 MiB.")
    : Result.succeed({ id, kind, input: full, context, workspace })
}

export const place = (text: string, workspace: string): string => expanded(text, workspace) ?? text
