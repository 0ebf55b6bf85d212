/**
 * The gate itself: policy, then grant, then a person (R137). Owns: the question, what becomes of the answer, permits.
 * Does not own: the decision by rules (Policy), how a person is reached (Approver), commits (engine).
 * Invariants: a permit is minted for an allow decision only and spends once; interrupting `check` leaves nothing behind;
 * an answer that is not one of the two allow decisions denies.
 */
import { Clock, DateTime, Effect, Layer } from "effect"
import type { ApprovalRequest, Grant, GrantOption, Permit } from "../domain/Approval.ts"
import { newGrantId, newRequestId } from "../domain/Ids.ts"
import { ApprovalGate, type Check, type Verdict } from "./ApprovalGate.ts"
import { Approver, type Reply } from "./Approver.ts"
import { GateSettings } from "./GateSettings.ts"
import { GrantStore } from "./GrantStore.ts"
import { contentOf, decide, type Judgement } from "./Policy.ts"

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

const byPolicy = (check: Check, { action, rule, reason, grant_id }: Judgement): Verdict =>
  action === "allow"
    ? {
        decision: "allow_once",
        via: grant_id === undefined ? "policy" : "grant",
        rule,
        reason,
        permit: mint(check),
        ...(grant_id === undefined ? {} : { grant_id })
      }
    : { decision: "deny", via: "policy", rule, reason }

const makeRequest = Effect.fnUntraced(function* (check: Check, judgement: Judgement, timeoutMs: number) {
  const preview = yield* check.preview
  const now = yield* Clock.currentTimeMillis
  const request: ApprovalRequest = {
    request_id: newRequestId(),
    kind: "tool",
    call_id: check.call.call_id,
    tool_name: check.call.tool_name,
    content: check.call.arguments,
    risk: check.assessment.risk,
    reason: judgement.reason,
    grant_options: judgement.grant_options,
    expires_at: rfc3339(now + timeoutMs),
    ...(preview === undefined ? {} : { preview })
  }
  return request
})

const make = Effect.gen(function* () {
  const settings = yield* GateSettings
  const store = yield* GrantStore
  const approver = yield* Approver

  const question = (check: Check, request: ApprovalRequest) =>
    approver.ask({ task_id: check.task_id, turn: check.turn, request }).pipe(
      Effect.timeoutOrElse({
        duration: settings.approvalTimeoutMs,
        orElse: () => Effect.succeed<Reply>({ decision: "deny", via: "timeout", reason: "nobody answered in time" })
      })
    )

  const makeGrant = (check: Check, request: ApprovalRequest, option: GrantOption, by: string | undefined) =>
    Effect.map(Clock.currentTimeMillis, (now): Grant => {
      const content = contentOf(check.assessment)
      return {
        grant_id: newGrantId(),
        tool_name: check.call.tool_name,
        matcher: option.matcher,
        workspace: settings.workspace,
        created_at: rfc3339(now),
        expires_at: rfc3339(now + settings.grantTtlMs),
        request_id: request.request_id,
        ...(by === undefined ? {} : { by }),
        ...(content === undefined ? {} : { content })
      }
    })

  /** A grant that cannot be kept is worth this one call (LESSONS 31). */
  const remember = Effect.fnUntraced(function* (
    check: Check,
    request: ApprovalRequest,
    option: GrantOption,
    base: Verdict
  ) {
    const grant = yield* makeGrant(check, request, option, base.by)
    return yield* store.save(check.session_id, grant).pipe(
      Effect.as<Verdict>({ ...base, decision: "allow_session", grant, permit: mint(check) }),
      Effect.catch(() =>
        Effect.succeed<Verdict>({
          ...base,
          decision: "allow_once",
          reason: "the grant could not be saved, so it counts only this once",
          permit: mint(check)
        })
      )
    )
  })

  const answered = (
    check: Check,
    judgement: Judgement,
    request: ApprovalRequest,
    reply: Reply
  ): Effect.Effect<Verdict> => {
    const base = {
      via: reply.via === "timeout" ? ("timeout" as const) : ("user" as const),
      rule: judgement.rule,
      request_id: request.request_id,
      ...(reply.by === undefined ? {} : { by: reply.by })
    }
    const deny = (reason: string) => Effect.succeed<Verdict>({ ...base, decision: "deny", reason })
    const reason = reply.reason ?? judgement.reason
    if (reply.via !== "user") return deny(reply.reason ?? "nobody answered in time")
    if (reply.decision === "allow_once")
      return Effect.succeed({ ...base, decision: "allow_once", reason, permit: mint(check) })
    if (reply.decision !== "allow_session")
      return deny(reply.decision === "deny" ? (reply.reason ?? "refused") : "the answer was not understood")
    const [first] = request.grant_options
    if (first === undefined) {
      const once = "it is asked about every time, so it counts only this once"
      return Effect.succeed({ ...base, decision: "allow_once", reason: once, permit: mint(check) })
    }
    const option =
      reply.grant_option === undefined ? first : request.grant_options.find(({ id }) => id === reply.grant_option)
    if (option === undefined) return deny("the answer names a grant that was not offered")
    return remember(check, request, option, { ...base, decision: "allow_session", reason })
  }

  const check = Effect.fn("ApprovalGate.check")(function* (asked: Check) {
    const mode = yield* settings.mode
    // A store that cannot be read has no grants to give: the person is asked.
    const grants = yield* store.active(asked.session_id, asked.call.tool_name).pipe(Effect.orElseSucceed(() => []))
    const { rules, workspace } = settings
    const { assessment, call, digest } = asked
    const judgement = decide({ call, digest, assessment, mode, rules, grants, workspace })
    if (judgement.action !== "ask") return byPolicy(asked, judgement)
    const request = yield* makeRequest(asked, judgement, settings.approvalTimeoutMs)
    const reply = yield* question(asked, request)
    return yield* answered(asked, judgement, request, reply)
  })

  return ApprovalGate.of({ check })
})

/** Needs an Approver, a GrantStore and GateSettings. */
export const layer = Layer.effect(ApprovalGate, make)
