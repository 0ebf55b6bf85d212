/**
 * A tool is a record: what a model may ask for, what the asking would do, and the doing (R081).
 * Owns: the shape and its typed constructor. Invariants: nothing in `assess` or `preview` changes anything;
 * `run` happens only behind a spent permit (the registry's business).
 */
import { Effect, Result, Schema } from "effect"
import { createHash } from "node:crypto"
import type { Preview, RiskAssessment } from "../domain/Approval.ts"
import { type CallId, processMark, type TaskId } from "../domain/Ids.ts"
import type { SkipReason, Step } from "../sandbox/Checkpoints.ts"
import type { Visit } from "../sandbox/ProcessRunner.ts"
import type { ToolError } from "./ToolError.ts"

/**
 * May a call be repeated after a crash? `pure`: yes, it changes nothing; `idempotent`: yes, same end state;
 * `probe`: ask the tool whether it happened; `once`: never without a person (DESIGN §4, §7).
 */
export type EffectClass = "pure" | "idempotent" | "probe" | "once"

export type Recorded =
  | Step
  | { readonly skipped: SkipReason }
  /** Hosts that it asked for, for the audit. */
  | { readonly visits: ReadonlyArray<Visit> }

export interface ToolContext {
  readonly task_id: TaskId
  readonly call_id: CallId
  /** Live output for whoever watches; bounded and mergeable, never awaited. */
  readonly emit: (text: string) => void
  /**
   * Journals a child process before it can do anything, so that a crash leaves none behind. Where it fails, the process
   * must not begin.
   */
  readonly processStarted: (pid: number, startTime: string) => Effect.Effect<void, unknown>
  /** What the call did to the files is kept as `step`; or why nothing of it is. Stored together with its result. */
  readonly recorded?: (what: Recorded) => void
}

export interface ToolOutput {
  /** Valid Unicode, already bounded; what the model reads. */
  readonly content: string
  readonly is_error?: boolean
  readonly exit_code?: number
  readonly signal?: string
  readonly truncated?: boolean
  /** The tool ended itself at its own time limit; `content` is what it had by then. */
  readonly timed_out?: boolean
}

/** Names what a call leaves for a moment, so that its next attempt finds it. */
export const markOf = ({ call_id, task_id }: Pick<ToolContext, "call_id" | "task_id">): string =>
  createHash("sha256").update(processMark(task_id, call_id)).digest("hex").slice(0, 16)

/** What a look at the world says of a call that was started and never answered (DESIGN §7). */
export type Probe =
  | { readonly state: "done"; readonly output: ToolOutput }
  | { readonly state: "not_done" }
  | { readonly state: "unknown" }

/** What a call is to make of its file, SHA-256 in hex; `before` absent: there is none yet. */
export interface FileIntent {
  readonly before?: string
  readonly after: string
}

export interface Tool {
  readonly name: string
  readonly description: string
  /** JSON Schema of an object; byte-stable, for prompt caching. */
  readonly parameters: Readonly<Record<string, unknown>>
  readonly effect: EffectClass
  /** Nothing happens in a call before `processStarted` has succeeded: one without that record never began. */
  readonly announced?: boolean
  /** It only waits for calls of its own: it takes no place among those that run at once. */
  readonly placeless?: boolean
  /** Milliseconds; a tool may read a shorter one from its arguments. */
  readonly timeout_ms: number
  /** Decodes and checks arguments; a failure is the schema's complaint, for the model. */
  readonly decode: (args: unknown) => Result.Result<unknown, string>
  readonly assess: (args: unknown) => Effect.Effect<RiskAssessment>
  /** What a person is shown before they decide. */
  readonly preview: (args: unknown) => Effect.Effect<Preview | undefined>
  readonly run: (args: unknown, context: ToolContext) => Effect.Effect<ToolOutput, ToolError>
  /** Of tools with effect `probe`, before a call begins: what it is about to do; absent: it cannot be told. */
  readonly intent?: (args: unknown) => Effect.Effect<FileIntent | undefined>
  /** Of tools with effect `probe`: did the call that began with this intent happen? Absent: it was not stored. Changes nothing. */
  readonly probe?: (args: unknown, intent?: FileIntent) => Effect.Effect<Probe>
}

export interface ToolSpec<A> {
  readonly name: string
  readonly description: string
  readonly parameters: Schema.Codec<A, unknown>
  readonly effect?: EffectClass
  readonly announced?: boolean
  readonly placeless?: boolean
  readonly timeout_ms?: number
  readonly assess: (args: A) => Effect.Effect<RiskAssessment>
  readonly preview?: (args: A) => Effect.Effect<Preview | undefined>
  readonly run: (args: A, context: ToolContext) => Effect.Effect<ToolOutput, ToolError>
  readonly intent?: (args: A) => Effect.Effect<FileIntent | undefined>
  readonly probe?: (args: A, intent?: FileIntent) => Effect.Effect<Probe>
}

export const DEFAULT_TOOL_TIMEOUT_MS = 120_000

const jsonSchema = (schema: Schema.Top): Readonly<Record<string, unknown>> => {
  const { schema: root } = Schema.toJsonSchemaDocument(schema, { onExcessProperty: "error" })
  return root
}

/** Models write `null` for what they leave out. */
const withoutNulls = (args: unknown): unknown =>
  args !== null && typeof args === "object" && !Array.isArray(args)
    ? Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null))
    : args

const decoder = <A>(schema: Schema.Codec<A, unknown>) => {
  const strict = Schema.decodeUnknownResult(schema, { errors: "all", onExcessProperty: "error" })
  return (args: unknown): Result.Result<A, string> => {
    const decoded = strict(args)
    const lenient = Result.isSuccess(decoded) ? decoded : strict(withoutNulls(args))
    return Result.mapError(Result.isSuccess(lenient) ? lenient : decoded, (error) => error.message)
  }
}

interface Parameters {
  readonly parameters: Tool["parameters"]
  readonly decode: Tool["decode"]
}

/** Every session makes its own tools from the same few schemas. */
const known = new WeakMap<object, Parameters>()

const parametersOf = <A>(schema: Schema.Codec<A, unknown>): Parameters => {
  const found = known.get(schema)
  if (found !== undefined) return found
  const made = { parameters: jsonSchema(schema), decode: decoder(schema) }
  known.set(schema, made)
  return made
}

/** Makes a tool from typed parts. An undeclared effect class is `once`. What throws here becomes a defect there. */
export const make = <A>(spec: ToolSpec<A>): Tool => {
  const { intent, preview, probe } = spec
  return {
    name: spec.name,
    description: spec.description,
    ...parametersOf(spec.parameters),
    effect: spec.effect ?? "once",
    ...(spec.announced === undefined ? {} : { announced: spec.announced }),
    ...(spec.placeless === undefined ? {} : { placeless: spec.placeless }),
    timeout_ms: spec.timeout_ms ?? DEFAULT_TOOL_TIMEOUT_MS,
    assess: (args) => Effect.suspend(() => spec.assess(args as A)),
    preview: (args) => Effect.suspend(() => preview?.(args as A) ?? Effect.succeed(undefined)),
    run: (args, context) => Effect.suspend(() => spec.run(args as A, context)),
    ...(intent === undefined ? {} : { intent: (args: unknown) => Effect.suspend(() => intent(args as A)) }),
    ...(probe === undefined
      ? {}
      : { probe: (args: unknown, begun?: FileIntent) => Effect.suspend(() => probe(args as A, begun)) })
  }
}
