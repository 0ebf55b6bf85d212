/**
 * `claw policy simulate`: over the past calls of a session, what would be decided now beside what was decided then.
 * Owns: the reading of calls and decisions from the journal, and how the comparison is printed. Changes nothing.
 * Invariant: a call is judged with the grants that the session had before it and that were not taken back by then, as of
 * today's files, rules and mode.
 */
import { Effect, Result } from "effect"
import type { Mode } from "../approval/ApprovalGate.ts"
import { GrantStore } from "../approval/GrantStore.ts"
import type { Rule } from "../approval/Rules.ts"
import type { CommandLine } from "../cli/CommandLine.ts"
import { EXIT } from "../cli/Commands.ts"
import { Output } from "../cli/Output.ts"
import { sanitiseLine } from "../cli/Sanitise.ts"
import { cut } from "../cli/Width.ts"
import type { ConfigShape } from "../config/AppConfig.ts"
import { load } from "../config/AppConfig.ts"
import type { Grant } from "../domain/Approval.ts"
import type { Durable } from "../domain/Event.ts"
import type { GrantId, SessionId } from "../domain/Ids.ts"
import { sessionKey } from "../domain/Principal.ts"
import { identityOf } from "../sandbox/WorkspaceIdentity.ts"
import { Journal, type JournalRecord } from "../store/Journal.ts"
import { SessionIndex } from "../store/SessionIndex.ts"
import { Failure } from "./failure.ts"
import { reasonsOf } from "./policyCheck.ts"
import { type Judge, makeJudge } from "./policyJudge.ts"
import { checkedRules, rulesOf } from "./policyRules.ts"

const records = Effect.fnUntraced(function* (id: SessionId) {
  const [index, journal] = [yield* SessionIndex, yield* Journal]
  const meta = yield* index.get(id)
  const all: Array<JournalRecord> = []
  for (let after = 0, more = true; more;) {
    const page = yield* journal.read(sessionKey(meta.owner, id), after)
    all.push(...page.records)
    after = page.records.at(-1)?.pos ?? after
    more = page.more
  }
  return { meta, all }
})

/** What a session's gate would go by now: revoked, expired and unreadable grants are not among it (SECURITY P12, T3). */
export const grantsOfSession = Effect.fnUntraced(function* (id: SessionId) {
  const [index, store] = [yield* SessionIndex, yield* GrantStore]
  const { owner, workspace } = yield* index.get(id)
  const workspace_id = identityOf(workspace)
  const all = yield* store.for(owner).list(id)
  return all.filter((grant) => grant.workspace_id === undefined || grant.workspace_id === workspace_id)
})

interface Past {
  readonly seq: number
  readonly call: Durable<"tool_call">
  readonly was: Durable<"approval_resolved"> | undefined
  readonly grants: ReadonlyArray<Grant>
}

/** When each grant of the journal ended before its time; one that the store cannot show was never in force. */
const endsOf = Effect.fnUntraced(function* (all: ReadonlyArray<JournalRecord>) {
  const { everyone } = yield* GrantStore
  const ends = new Map<GrantId, number>()
  for (const { body } of all) {
    if (body.type !== "approval_resolved" || body.grant === undefined) continue
    const { grant_id } = body.grant
    const kept = yield* everyone.find(grant_id)
    const isKept = kept !== undefined && kept !== "damaged"
    if (!isKept) ends.set(grant_id, 0)
    else if (kept.revoked_at !== undefined) ends.set(grant_id, Date.parse(kept.revoked_at))
  }
  return ends
})

const pastCalls = (all: ReadonlyArray<JournalRecord>, ends: ReadonlyMap<GrantId, number>): ReadonlyArray<Past> => {
  const decided = new Map<string, Durable<"approval_resolved">>()
  for (const { body } of all) if (body.type === "approval_resolved") decided.set(body.call_id, body)
  let given: ReadonlyArray<Grant> = []
  const calls: Array<Past> = []
  for (const { body, seq = 0, ts } of all) {
    if (body.type === "approval_resolved" && body.grant !== undefined) given = given.concat(body.grant)
    if (body.type !== "tool_call") continue
    const at = Date.parse(ts)
    const grants = given.filter(({ grant_id }) => at < (ends.get(grant_id) ?? Number.POSITIVE_INFINITY))
    calls.push({ seq, call: body, was: decided.get(body.call_id), grants })
  }
  return calls
}

const action = ({ decision, rule, via }: Partial<Durable<"approval_resolved">>): string => {
  if (decision === undefined) return "none"
  // Nobody was there to be asked: no rule of the policy refused it.
  if (via === "policy" && decision === "deny" && rule === undefined) return "ask"
  if (via === "user" || via === "timeout" || via === "cancel") return "ask"
  return decision === "allow_once" || decision === "allow_session" ? "allow" : "deny"
}

export interface Compared {
  readonly seq: number
  readonly call_id: string
  readonly tool_name: string
  readonly input: string
  /** `was.action` is what the policy said: `ask` where a person answered `decision`. */
  readonly was: { readonly action: string; readonly decision?: string; readonly via?: string; readonly rule?: string }
  readonly now: { readonly action: string; readonly rule?: string; readonly reasons: ReadonlyArray<string> }
  readonly changed: boolean
}

const compare = Effect.fnUntraced(function* (judge: Judge, past: Past, rules: ReadonlyArray<Rule>, mode: Mode) {
  const { call, was } = past
  const judged = yield* judge.judge(call.tool_name, call.content, { rules, grants: past.grants, mode })
  const now = judged.kind === "refused" ? { action: "deny" } : judged.judgement
  const before = action(was ?? {})
  return {
    seq: past.seq,
    call_id: call.call_id,
    tool_name: call.tool_name,
    input: call.content,
    was: {
      action: before,
      ...(was === undefined ? {} : { decision: was.decision, via: was.via }),
      ...(was?.rule === undefined ? {} : { rule: was.rule })
    },
    now: { action: now.action, ...("rule" in now ? { rule: now.rule } : {}), reasons: reasonsOf(judged) },
    // What was never decided cannot be decided otherwise: it never came to a decision, or the task ended before.
    changed: was !== undefined && now.action !== before
  } satisfies Compared
})

const withoutUsers = ({ allow, ask, deny }: ConfigShape["rules"]): ConfigShape["rules"] => {
  const others = (rules: ConfigShape["rules"]["deny"]) => rules.filter(({ tier }) => tier !== "user")
  return { allow: others(allow), ask: others(ask), deny: others(deny) }
}

/** Rules of a file in the place of the user's; the operator's stay. */
const rulesFrom = (line: CommandLine, config: ConfigShape): Result.Result<ReadonlyArray<Rule>, Failure> => {
  const file = line.values["rules"]
  if (file === undefined) return Result.succeed(rulesOf(config))
  if (file === "/dev/null") return Result.succeed(rulesOf({ rules: withoutUsers(config.rules) }))
  const loaded = Result.flatMap(load({ workspace: config.workspace, user: file }), (other) => checkedRules(other))
  return Result.mapError(loaded, ({ message }) => new Failure({ exit: EXIT.usage, detail: message }))
}

const row = ({ changed, input, now, seq, was, tool_name }: Compared, columns: number): string => {
  const head = `${changed ? "*" : " "} ${String(seq).padStart(5)}  ${was.action.padEnd(5)} → ${now.action.padEnd(5)}  ${tool_name}  `
  const why = `${now.rule ?? ""}: ${now.reasons[0] ?? ""}`
  return `${head}${cut(sanitiseLine(input), Math.max(20, columns - head.length))}\n         ${cut(sanitiseLine(why), Math.max(20, columns - 9))}\n`
}

const summary = (all: ReadonlyArray<Compared>, locale: ConfigShape["locale"]): string => {
  const changed = all.filter((one) => one.changed).length
  const asked = (of: "was" | "now") => all.filter((one) => one[of].action === "ask").length
  return locale === "en"
    ? `${all.length} calls, ${changed} decided otherwise now (*); questions then ${asked("was")}, now ${asked("now")}\n`
    : `${all.length} 个调用，${changed} 个现在决定不同（*）；询问：当时 ${asked("was")}，现在 ${asked("now")}\n`
}

export const simulate = Effect.fnUntraced(function* (id: SessionId, line: CommandLine, config: ConfigShape) {
  const output = yield* Output
  const rules = yield* Effect.fromResult(rulesFrom(line, config))
  const { meta, all } = yield* records(id)
  const { PATH: path, HOME: home } = config.childEnvironment
  const place = {
    workspace: meta.workspace,
    own: [config.state_dir],
    moved: config.movedSecrets,
    ...(path === undefined ? {} : { path })
  }
  const judge = yield* makeJudge({ ...place, ...(home === undefined ? {} : { home }) })
  const calls = pastCalls(all, yield* endsOf(all))
  const compared = yield* Effect.forEach(calls, (past) => compare(judge, past, rules, config.mode))
  const json = line.switches.has("json")
  const lines = compared.map((one) =>
    json ? `${JSON.stringify(one)}\n` : row(one, output.isTerminal ? output.columns() : Number.MAX_SAFE_INTEGER)
  )
  yield* output.out(lines.join("") + (json ? "" : summary(compared, config.locale)))
  return EXIT.done
})
