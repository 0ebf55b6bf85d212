/**
 * What a hook's program said, read as strictly as a guard needs. Pure. Owns: the form of its answer, and what counts as
 * none. Invariant: what is not understood as a whole is an error and never "no objection", a misspelt key included.
 */
import { Result, Schema } from "effect"
import { hookName } from "../domain/HookName.ts"
import type { HookEvent, TieredHook } from "../config/HookSettings.ts"
import type { ProcessResult } from "../sandbox/ProcessRunner.ts"

const Reply = Schema.Struct({
  /** Guards only; `allow` and absent: no objection, and no permission either. */
  decision: Schema.optionalKey(Schema.Literals(["allow", "ask", "deny"])),
  reason: Schema.optionalKey(Schema.String),
  /** For the model. */
  context: Schema.optionalKey(Schema.String)
})
export type Reply = typeof Reply.Type

const MAX_REASON = 500
const MAX_CONTEXT = 10_000

const decode = Schema.decodeUnknownResult(Schema.fromJsonString(Reply), { onExcessProperty: "error" })

const guards: ReadonlySet<HookEvent> = new Set<HookEvent>(["before_tool", "before_prompt"])
export const isGuard = (event: HookEvent): boolean => guards.has(event)

/** As people and models are told of it. */
export const nameOf = ({ command, key, tier }: TieredHook): string => {
  const program = command[0]
    .slice(command[0].lastIndexOf("/") + 1)
    .replaceAll(/[^\w.+-]/g, "?")
    .slice(0, 40)
  return hookName({ tier, key, program })
}

/** The shell that starts it speaks of a program that is not there, or is none. */
const NOT_STARTED = /^(?:bash|sh): line \d+: (.*)$/

const oneLine = (text: string, most: number): string =>
  Array.from(text.replaceAll(/[\s\p{C}]+/gu, " ").trim())
    .slice(0, most)
    .join("")
    .replace(/[.\s]+$/, "")

const cut = (text: string): string =>
  text.length <= MAX_CONTEXT ? text.toWellFormed() : `${text.slice(0, MAX_CONTEXT).toWellFormed()}\n[cut]`

const bounded = ({ context, reason, ...rest }: Reply): Reply => ({
  ...rest,
  ...(reason === undefined ? {} : { reason: oneLine(reason, MAX_REASON) }),
  ...(context === undefined || context.trim() === "" ? {} : { context: cut(context.trim()) })
})

/** Fails with what was wrong with it. Exit code 2 is a refusal, with its reason on standard error. */
export const replyOf = (result: ProcessResult, timeout_ms: number): Result.Result<Reply, string> => {
  const { errors, exit_code, output, signal, timed_out } = result
  if (timed_out) return Result.fail(`took longer than ${timeout_ms} ms`)
  const said = oneLine(errors.text, 200)
  if (exit_code === 2) return Result.succeed({ decision: "deny", reason: said === "" ? "it gave no reason" : said })
  const how = exit_code === undefined ? `ended by ${signal ?? "a signal"}` : `ended with ${exit_code}`
  const [, shell] = NOT_STARTED.exec(said) ?? []
  if ((exit_code === 127 || exit_code === 126) && shell !== undefined)
    return Result.fail(`could not be started: ${shell}`)
  if (exit_code !== 0) return Result.fail(said === "" ? how : `${how}: ${said}`)
  if (output.text.trim() === "") return Result.succeed({})
  return Result.mapBoth(decode(output.text), {
    onSuccess: bounded,
    onFailure: (error) => `did not answer as a hook does: ${oneLine(error.message, 200)}`
  })
}

/** Whether a hook is for this tool. */
export const isFor = ({ match }: Pick<TieredHook, "match">, tool: string | undefined): boolean =>
  match === undefined ||
  tool === undefined ||
  match.split("|").some((one) => new RegExp(`^${one.replaceAll("*", ".*")}$`).test(tool))
