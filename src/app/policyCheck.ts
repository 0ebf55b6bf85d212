/**
 * `claw policy check`: one line in, one verdict out, by the decision code of the gate (DESIGN §9, SECURITY §2).
 * Owns: how a line's grants and rules become real ones, and which kind is judged by what.
 * Invariant: every line gets an answer with its id, a line that cannot be judged is refused with a stable code, and the
 * rest goes on.
 */
import { realpathSync } from "node:fs"
import { Effect, Result } from "effect"
import { commandLine } from "../approval/Cover.ts"
import { explain } from "../approval/Explain.ts"
import type { Rule } from "../approval/Rules.ts"
import { commandText, display } from "../cli/PolicyDisplay.ts"
import { sanitise } from "../cli/Sanitise.ts"
import type { ConfigShape } from "../config/AppConfig.ts"
import type { Grant } from "../domain/Approval.ts"
import { type ErrorCode, table } from "../domain/ErrorCode.ts"
import { newGrantId } from "../domain/Ids.ts"
import { checkConfig, type Inside } from "./policyCheckConfig.ts"
import { type GivenGrant, type GivenRule, type Line, place, readLine } from "./policyEntry.ts"
import { type Around, type Judge, type Judged, makeJudge } from "./policyJudge.ts"
import { rulesOf } from "./policyRules.ts"

export interface Checked {
  readonly id: string | number | null
  readonly verdict: "allow" | "ask" | "deny"
  readonly reasons: ReadonlyArray<string>
  readonly shown: string
  readonly sanitised?: true
  readonly error?: { readonly code: ErrorCode; readonly message: string }
}

export const unreadable = (id: Checked["id"], code: ErrorCode, message: string = table[code].en): Checked => ({
  id,
  verdict: "deny",
  reasons: [message],
  shown: "",
  error: { code, message }
})

/** The arguments that a tool takes for a command or a path. */
export const argumentsFor = (tool: string, text: string): string => {
  if (tool === "bash") return JSON.stringify({ command: text })
  if (tool === "write_file") return JSON.stringify({ path: text, content: "" })
  if (tool === "edit_file") return JSON.stringify({ path: text, old_text: "a", new_text: "b" })
  if (tool === "glob" || tool === "grep") return JSON.stringify({ pattern: "*", path: text })
  return JSON.stringify({ path: text })
}

const LATER = "9999-12-31T00:00:00.000Z"

const matcherOf = Effect.fnUntraced(function* ({ match, argv, glob }: GivenGrant, tool: string, judge: Judge) {
  if (match === "path" && glob !== undefined) return { matcher: { kind: "path", glob } as const }
  if (argv === undefined) return undefined
  const { digest, content } = yield* judge.digest(tool, argumentsFor(tool, commandLine(argv)))
  const bound = content === undefined ? {} : { content }
  if (match === "prefix") return { matcher: { kind: "command", argv } as const, ...bound }
  return match === "exact" ? { matcher: { kind: "exact", digest } as const, ...bound } : undefined
})

const grantsOf = Effect.fnUntraced(function* ({ context }: Line, workspace: string, judge: Judge) {
  const grants: Array<Grant> = []
  const changed = context.fixture?.some((file) => file.changed_after_grant === true) === true
  for (const given of context.grants ?? []) {
    const tool_name = given.tool ?? "bash"
    const found = yield* matcherOf(given, tool_name, judge)
    if (found === undefined) continue
    // What it was bound to is gone: no digest of now is the one of then.
    const { content, ...rest } = { content: undefined, ...found }
    const bound = content === undefined ? {} : { content: changed ? "as it was when it was granted" : content }
    grants.push({
      grant_id: newGrantId(),
      tool_name,
      workspace,
      created_at: LATER,
      expires_at: LATER,
      ...rest,
      ...bound
    })
  }
  return grants
})

const denyRule = ({ tool, argv, glob }: GivenRule): ReadonlyArray<Rule> => {
  const named = { tool: tool ?? "*", action: "deny" } as const
  if (argv !== undefined) return [{ ...named, name: `no ${argv.join(" ")}`, matcher: { kind: "command", argv } }]
  if (glob !== undefined) return [{ ...named, name: `no ${glob}`, matcher: { kind: "path", glob } }]
  return [{ ...named, name: `no ${named.tool}`, matcher: { kind: "tool" } }]
}

/** Everything that is known against the call: the deciding reason first. */
export const reasonsOf = (judged: Judged): ReadonlyArray<string> => {
  if (judged.kind === "refused") return [judged.why]
  const { subject, judgement } = judged
  const { line, parts } = explain(subject, judgement)
  if (judgement.action === "allow") return [judgement.reason]
  const whose = (words: ReadonlyArray<string>) => (parts.length > 1 ? `${commandLine(words)}: ` : "")
  const why = parts.flatMap(({ state, words, why: own }) => {
    if (state === "covered") return []
    return own.length > 0
      ? own.map((one) => `${whose(words)}${one}`)
      : [`${commandLine(words)}: no rule or grant covers it`]
  })
  return [...new Set([judgement.reason, ...line, ...why])].slice(0, 20)
}

const MAX_SHOWN = 65_536

const shownOf = (text: string): string =>
  text.length <= MAX_SHOWN
    ? text
    : `${text.slice(0, MAX_SHOWN).toWellFormed()}… ${text.length - MAX_SHOWN} more characters`

const answerOf = (line: Line, judged: Judged, shown: string): Checked => ({
  id: line.id,
  verdict: judged.kind === "refused" ? "deny" : judged.judgement.action,
  reasons: reasonsOf(judged),
  shown: shownOf(shown)
})

const STRICTNESS = { allow: 0, ask: 1, deny: 2 } as const

type Judging = Pick<ConfigShape, "childEnvironment" | "movedSecrets" | "state_dir" | "mode" | "rules">

/** A line of kind `bash` or `path`: the call itself, and what a race may make of it. */
const checkCall = Effect.fnUntraced(function* (line: Line, workspace: string, config: Judging) {
  const { PATH: path, HOME: home } = config.childEnvironment
  const search = line.context.shell_state?.PATH
  const judge = yield* makeJudge({
    workspace,
    own: [config.state_dir],
    moved: config.movedSecrets,
    ...(home === undefined ? {} : { home }),
    ...(search !== undefined ? { path: place(search, workspace) } : path === undefined ? {} : { path })
  })
  const around: Around = {
    rules: [...(line.context.deny_rules ?? []).flatMap(denyRule), ...rulesOf(config)],
    grants: yield* grantsOf(line, workspace, judge),
    mode: line.context.mode ?? config.mode
  }
  const tool = line.kind === "bash" ? "bash" : (line.context.tool ?? "read_file")
  const texts = [line.input, ...(line.context.race?.exchange.slice(1).map((one) => place(one, workspace)) ?? [])]
  const answers: Array<Checked> = []
  for (const text of texts) {
    const raw = line.context.raw_args === true ? text : argumentsFor(tool, text)
    const judged = yield* judge.judge(tool, raw, around)
    answers.push(answerOf(line, judged, tool === "bash" ? commandText(line.input) : sanitise(line.input)))
  }
  return answers.toSorted((a, b) => STRICTNESS[b.verdict] - STRICTNESS[a.verdict])[0]!
})

const checkRead = (line: Line, config: ConfigShape): Effect.Effect<Checked> => {
  const { id, input, kind } = line
  if (kind === "terminal") return Effect.sync(() => ({ id, ...display(input, line.context.where ?? "") }))
  const workspace = Result.try(() => realpathSync(line.workspace))
  if (Result.isFailure(workspace)) return Effect.succeed(unreadable(id, "workspace_unreadable"))
  const inside: Inside = (command, rules = config.rules) =>
    checkCall({ ...line, kind: "bash", input: command }, workspace.success, { ...config, rules })
  const checked =
    kind === "bash" || kind === "path"
      ? checkCall(line, workspace.success, config)
      : kind === "config"
        ? checkConfig(line, inside)
        : Effect.succeed(
            unreadable(
              id,
              "bad_message",
              `The policy decides nothing of kind ${JSON.stringify(kind.slice(0, 40))}; kinds are bash, path, config and terminal.`
            )
          )
  return Effect.catch(checked, () => Effect.succeed(unreadable(id, "workspace_unreadable")))
}

/** Total: a defect of one line is its own refusal. */
export const checkLine = (text: string, config: ConfigShape): Effect.Effect<Checked> => {
  const read = readLine(text, config.workspace)
  if (Result.isFailure(read))
    return Effect.succeed(unreadable(read.failure.id, read.failure.code, read.failure.message))
  return Effect.catchCause(checkRead(read.success, config), () =>
    Effect.succeed(unreadable(read.success.id, "internal"))
  )
}
