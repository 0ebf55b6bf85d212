/** Sessions of two owners, and decisions in their journals, for tests of what an append projects. */
import { Effect } from "effect"
import type { AuditQuery } from "../../src/approval/AuditLog.ts"
import { AuditLog } from "../../src/approval/AuditLog.ts"
import type { Grant } from "../../src/domain/Approval.ts"
import type { Durable } from "../../src/domain/Event.ts"
import type { CallId, EventId, GrantId, RequestId, SessionId, TaskId } from "../../src/domain/Ids.ts"
import { type Owner, sessionKey } from "../../src/domain/Principal.ts"
import { Journal, type JournalRecord } from "../../src/store/Journal.ts"

export const ada: Owner = { tenant: "acme", project: "web", user: "ada" }
export const eve: Owner = { tenant: "acme", project: "web", user: "eve" }
export const s = "s" as SessionId

const turn = { task_id: "task_1" as TaskId, turn: 1 }

export const grant = (id: string, more: Partial<Grant> = {}): Grant => ({
  grant_id: id as GrantId,
  tool_name: "bash",
  matcher: { kind: "command", argv: ["npm", "test"] },
  workspace: "/home/ada/web",
  workspace_id: "1:2:3",
  content: "c0ffee",
  request_id: "req_1" as RequestId,
  by: "ada",
  created_at: "1970-01-01T00:00:00.000Z",
  expires_at: "1970-01-01T08:00:00.000Z",
  ...more
})

export const called = (call_id: string, args: object): Durable<"tool_call"> => ({
  type: "tool_call",
  ...turn,
  call_id: call_id as CallId,
  tool_name: "bash",
  content: JSON.stringify(args),
  risk: "dangerous"
})

export const resolved = (more: Partial<Durable<"approval_resolved">> = {}): Durable<"approval_resolved"> => ({
  type: "approval_resolved",
  ...turn,
  call_id: "call_1" as CallId,
  decision: "allow_once",
  via: "policy",
  tool_name: "bash",
  digest: "d1",
  ...more
})

export const granted = (given: Grant) => resolved({ decision: "allow_session", via: "user", grant: given, by: "ada" })
export const used = (id: string) => resolved({ via: "grant", grant_id: id as GrantId })

/** Each call is one append behind the last, as a runtime would write it. */
export const writer = (owner: Owner, session: SessionId = s) =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const key = sessionKey(owner, session)
    const tail = yield* journal.claim(key, "writer")
    let pos = tail.pos
    return (...bodies: ReadonlyArray<Durable<"approval_resolved"> | Durable<"tool_call">>) =>
      Effect.suspend(() => {
        const records = bodies.map((body, i): JournalRecord => ({
          pos: pos + i + 1,
          seq: pos + i + 1,
          event_id: `evt_${pos + i + 1}` as EventId,
          ts: `1970-01-01T00:00:0${(pos + i) % 10}.000Z`,
          body
        }))
        return Effect.tap(journal.append(key, tail.epoch, records), () =>
          Effect.sync(() => void (pos += bodies.length))
        )
      })
  })

/** What the audit tells of each entry: its number, kind, user and decision. */
export const audited = (query: AuditQuery = {}) =>
  Effect.flatMap(AuditLog, (audit) =>
    Effect.map(audit.page(query), ({ entries }) =>
      entries.map(({ n, kind, user, decision = "" }) => [n, kind, user, decision].join(" ").trim())
    )
  )
