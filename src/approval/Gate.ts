/**
 * The gate itself: policy, then grant, then a person (R137). Owns: the question, what becomes of the answer, permits.
 * Does not own: the decision by rules (Policy), how a person is reached (Approver), commits (engine).
 * Invariants: a permit is minted for an allow decision only and spends once; interrupting `check` leaves nothing behind;
 * an answer that is not one of the two allow decisions denies.
 */
import { Clock, DateTime, Effect, Layer } from "effect"
import type { ApprovalRequest, Grant, GrantOption, Permit, RiskAssessment } from "../domain/Approval.ts"
import { newGrantId, newRequestId } from "../domain/Ids.ts"
import { KnownSecrets } from "../observability/Redact.ts"
import { ApprovalGate, CHANGED, type Check, type Verdict } from "./ApprovalGate.ts"
import { Approver, type Reply } from "./Approver.ts"
import { contentOf, type Subject } from "./Cover.ts"
import { explain, QUESTION_PARTS } from "./Explain.ts"
import { GateSettings } from "./GateSettings.ts"
import { GrantStore } from "./GrantStore.ts"
import { relativeTo } from "./matching.ts"
import { decide, type Judgement } from "./Policy.ts"

interface Judged {
  readonly subject: Subject
  readonly judgement: Judgement
}

const mint = (check: Check): Permit => {
  let unspent = true
  const spend = () => {
    const first = unspent
    unspent = false
    return first
  }
  return { call_id: check.call.call_id, digest: check.digest, spend }
}

const rfc3339 = (millis: number): string => DateTime.formatIso(DateTime.makeUnsafe(millis))

/** As it is now. */
const anew = (check: Check): Effect.Effect<Check> =>
  check.reassess === undefined
    ? Effect.succeed(check)
    : Effect.map(check.reassess, (assessment) => ({ ...check, assessment }))

const byPolicy = (parts: Parts, check: Check, { action, rule, reason, grant_id }: Judgement): Verdict => {
  if (action !== "allow") return { decision: "deny", via: "policy", rule, reason }
  const now = Effect.flatMap(anew(check), (as) => judge(parts, as))
  const holds = Effect.map(now, ({ judgement }) => judgement.action === "allow")
  const allowed = { decision: "allow_once", rule, reason, permit: mint(check) } as const
  if (grant_id !== undefined) return { ...allowed, via: "grant", grant_id, holds }
  return { ...allowed, via: "policy", ...(check.reassess === undefined ? {} : { holds }) }
}

/** What was allowed after a restart holds as long as what would run is the same, and policy does not deny it. */
const allowedBefore = (parts: Parts, check: Check, judgement: Judgement): Verdict => {
  const { holds: _, ...verdict } = byPolicy(parts, check, { ...judgement, action: "allow" })
  return { ...verdict, ...boundTo(parts, check) }
}

/** While it is asked about and until it begins, the files that say what runs may not change (SECURITY P7, P12). */
const boundTo = (parts: Parts, check: Check): Pick<Verdict, "holds"> => {
  if (check.reassess === undefined) return {}
  const content = contentOf(check.assessment)
  const holds = Effect.flatMap(anew(check), (now) =>
    Effect.map(judge(parts, now), ({ judgement: { action, rule } }) => {
      // That the mode would not let it be asked about by now takes no answer back.
      const denied = action === "deny" && !rule.startsWith("mode: ")
      return !denied && contentOf(now.assessment) === content
    })
  )
  return { holds }
}

const makeRequest = Effect.fnUntraced(function* (check: Check, { judgement, subject }: Judged, timeoutMs: number) {
  const preview = yield* check.preview
  const now = yield* Clock.currentTimeMillis
  const content = contentOf(check.assessment)
  const shown = shownOf(check.assessment, subject.workspace, yield* KnownSecrets)
  const request: ApprovalRequest = {
    request_id: newRequestId(),
    kind: "tool",
    call_id: check.call.call_id,
    tool_name: check.call.tool_name,
    content: check.call.arguments,
    risk: check.assessment.risk,
    reason: check.changed === undefined ? judgement.reason : `${judgement.reason} (${check.changed})`,
    grant_options: judgement.grant_options,
    explanation: explain(subject, judgement, QUESTION_PARTS),
    expires_at: rfc3339(now + timeoutMs),
    ...(content === undefined ? {} : { content_digest: content }),
    ...(shown === undefined ? {} : { shown }),
    ...(check.subagent === undefined ? {} : { subagent: check.subagent.title }),
    ...(preview === undefined ? {} : { preview })
  }
  return request
})

interface Parts {
  readonly settings: GateSettings["Service"]
  readonly store: GrantStore["Service"]
  readonly approver: Approver["Service"]
}

const below = ({ subagent }: Check) => (subagent === undefined ? {} : { parent_call_id: subagent.call_id })

const ask = ({ settings, approver }: Parts, check: Check, request: ApprovalRequest) =>
  approver.ask({ task_id: check.task_id, turn: check.turn, ...below(check), request }).pipe(
    Effect.timeoutOrElse({
      duration: settings.approvalTimeoutMs,
      orElse: () => Effect.succeed<Reply>({ decision: "deny", via: "timeout", reason: "nobody answered in time" })
    })
  )

const SHOWN_CHARS = 200

/** For people who look at the decision or its grant later: the command, or the file. */
const shownOf = (assessment: RiskAssessment, workspace: string, mask: (text: string) => string) => {
  const [path] = assessment.paths
  const text = assessment.command?.source ?? (path === undefined ? undefined : (relativeTo(workspace, path) ?? path))
  if (text === undefined) return undefined
  const masked = mask(text).toWellFormed()
  return masked.length <= SHOWN_CHARS ? masked : `${masked.slice(0, SHOWN_CHARS - 1).toWellFormed()}…`
}

const makeGrant = (parts: Parts, check: Check, option: GrantOption, base: Verdict) =>
  Effect.gen(function* () {
    const [now, workspace_id] = [yield* Clock.currentTimeMillis, yield* parts.settings.workspaceId]
    const content = contentOf(check.assessment)
    const shown = shownOf(check.assessment, parts.settings.workspace, yield* KnownSecrets)
    return {
      grant_id: newGrantId(),
      tool_name: check.call.tool_name,
      matcher: option.matcher,
      workspace: parts.settings.workspace,
      created_at: rfc3339(now),
      expires_at: rfc3339(now + parts.settings.grantTtlMs),
      ...(base.request_id === undefined ? {} : { request_id: base.request_id }),
      ...(base.by === undefined ? {} : { by: base.by }),
      ...(content === undefined ? {} : { content }),
      ...(workspace_id === undefined ? {} : { workspace_id }),
      ...(shown === undefined ? {} : { shown })
    } satisfies Grant
  })

/** A grant that cannot be kept is worth this one call (LESSONS 31). */
const remember = Effect.fnUntraced(function* (parts: Parts, check: Check, option: GrantOption, base: Verdict) {
  const grant = yield* makeGrant(parts, check, option, base)
  const once: Verdict = {
    ...base,
    decision: "allow_once",
    reason: "the grant could not be saved, so it counts only this once",
    permit: mint(check)
  }
  return yield* parts.store.save(check.session_id, grant).pipe(
    Effect.as<Verdict>({ ...base, decision: "allow_session", grant, permit: mint(check) }),
    Effect.orElseSucceed(() => once)
  )
})

const baseOf = (request: ApprovalRequest, judgement: Judgement, reply: Reply): Verdict => ({
  decision: "deny",
  via: reply.via === "timeout" || reply.via === "cancel" ? reply.via : "user",
  rule: judgement.rule,
  reason: reply.reason ?? judgement.reason,
  request_id: request.request_id,
  ...(reply.by === undefined ? {} : { by: reply.by })
})

const forSession = (
  parts: Parts,
  check: Check,
  request: ApprovalRequest,
  wanted: string | undefined,
  base: Verdict
) => {
  const [first] = request.grant_options
  if (first === undefined) {
    const reason = "it is asked about every time, so it counts only this once"
    return Effect.succeed<Verdict>({ ...base, decision: "allow_once", reason, permit: mint(check) })
  }
  const option = wanted === undefined ? first : request.grant_options.find(({ id }) => id === wanted)
  if (option === undefined) {
    return Effect.succeed<Verdict>({ ...base, reason: "the answer names a grant that was not offered" })
  }
  return remember(parts, check, option, base)
}

/** Only the two allow decisions of a person allow (LESSONS 30). */
const answered = (parts: Parts, check: Check, request: ApprovalRequest, judgement: Judgement, reply: Reply) => {
  const base = { ...baseOf(request, judgement, reply), ...(reply.decision === "deny" ? {} : boundTo(parts, check)) }
  const deny = (reason: string) => Effect.succeed<Verdict>({ ...base, reason })
  if (reply.via !== "user") return deny(reply.reason ?? "nobody answered in time")
  switch (reply.decision) {
    case "allow_once":
      return Effect.succeed<Verdict>({ ...base, decision: "allow_once", permit: mint(check) })
    case "allow_session":
      return forSession(parts, check, request, reply.grant_option, base)
    case "deny":
      return deny(reply.reason ?? "")
    default:
      return deny("the answer was not understood")
  }
}

/** Read anew for each decision, so that a revocation by whatever process is seen (SECURITY P12). */
const grantsFor = Effect.fnUntraced(function* ({ settings, store }: Parts, { session_id, call }: Check) {
  // A store that cannot be read has no grants to give: the person is asked.
  const active = yield* store.active(session_id, call.tool_name).pipe(Effect.orElseSucceed(() => []))
  if (active.length === 0) return active
  const workspaceId = yield* settings.workspaceId
  return active.filter((grant) => grant.workspace_id === workspaceId)
})

const judge = Effect.fnUntraced(function* (parts: Parts, asked: Check) {
  const { rules, workspace } = parts.settings
  const mode = yield* parts.settings.mode
  const { assessment, call, digest } = asked
  const subject: Subject = { call, digest, assessment, mode, rules, grants: [], workspace }
  const bare: Judged = { subject, judgement: decide(subject) }
  // What needs no grant is not worth a look at the store.
  if (bare.judgement.action === "allow") return bare
  const grants = yield* grantsFor(parts, asked)
  if (grants.length === 0) return bare
  const granted = { ...subject, grants }
  return { subject: granted, judgement: decide(granted) } satisfies Judged
})

/** The person's word was for what they were asked about. */
const unlessChanged = Effect.fnUntraced(function* (
  parts: Parts,
  asked: Check,
  request: ApprovalRequest,
  judgement: Judgement,
  reply: Reply
) {
  const now = yield* anew(asked)
  if (reply.via === "user" && reply.decision !== "deny" && contentOf(now.assessment) !== request.content_digest) {
    const { rule: _rule, ...base } = baseOf(request, judgement, reply)
    return { ...base, via: "policy", rule: "content", reason: CHANGED, again: now.assessment } satisfies Verdict
  }
  return yield* answered(parts, asked, request, judgement, reply)
})

const unaskedPlan: Judgement = {
  action: "deny",
  rule: "mode: plan",
  reason: "it would need an approval and nobody can be asked; the tools that only look need none",
  grant_options: []
}

const idOf = (request: ApprovalRequest | undefined) => (request === undefined ? {} : { request_id: request.request_id })

export const make = Effect.gen(function* () {
  const parts: Parts = { settings: yield* GateSettings, store: yield* GrantStore, approver: yield* Approver }
  const check = Effect.fnUntraced(function* (asked: Check) {
    const judged = yield* judge(parts, asked)
    const { judgement } = judged
    const { open, allowed } = asked
    if (judgement.action === "deny") return { ...byPolicy(parts, asked, judgement), ...idOf(open) }
    if (allowed === true) return allowedBefore(parts, asked, judgement)
    // An open question stays the person's to answer, also where policy would allow by now.
    if (judgement.action === "allow" && open === undefined) return byPolicy(parts, asked, judgement)
    const request = open ?? (yield* makeRequest(asked, judged, parts.settings.approvalTimeoutMs))
    const { mode } = judged.subject
    // Mode `plan` is for looking, and there are tools that only look: what nobody can be asked about is left undone.
    const reply = yield* Effect.catchTag(ask(parts, asked, request), "ApprovalRequired", (error) =>
      mode === "plan" ? Effect.succeed("nobody" as const) : Effect.fail(error)
    )
    if (reply === "nobody") return byPolicy(parts, asked, unaskedPlan)
    return yield* unlessChanged(parts, asked, request, judgement, reply)
  })
  return ApprovalGate.of({
    check,
    ask: parts.approver.ask,
    shown: (assessment, mask) => shownOf(assessment, parts.settings.workspace, mask)
  })
})

/** Needs an Approver, a GrantStore and GateSettings. */
export const layer = Layer.effect(ApprovalGate, make)
