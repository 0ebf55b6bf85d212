/**
 * The server's HTTP API as the console calls it: one function a request. Owns: addresses, and what comes back as types.
 * Invariants: a refusal is the `ErrorBody` that the server gave, or one that says that nobody answered; the cookie is the
 * only credential, and no request carries a secret in its address.
 */
import type { Answer, ApprovalRequest, Grant } from "../../domain/Approval.ts"
import { type ErrorBody, errorBody } from "../../domain/ErrorCode.ts"
import type { Durable, DurableEvent, StateName } from "../../domain/Event.ts"
import type { GrantId, RequestId, SessionId, TaskId } from "../../domain/Ids.ts"
import type { Told } from "../../protocol/ClientContract.ts"

export type Mode = "ask" | "accept-edits" | "plan" | "never-ask"
export const MODES: ReadonlyArray<Mode> = ["ask", "accept-edits", "plan", "never-ask"]

export interface ListedSession {
  readonly session_id: SessionId
  readonly workspace: string
  readonly title: string
  readonly model?: string
  readonly mode?: string
  readonly created_at: string
  readonly updated_at: string
  readonly state?: StateName
  readonly pending_approvals?: number
  readonly archived?: boolean
}

/** A question with whose session it is. */
export type WaitingApproval = ApprovalRequest & {
  readonly session_id: SessionId
  readonly title: string
  readonly workspace: string
}

export interface NewOptions {
  readonly workspace: string
  readonly workspaces: ReadonlyArray<string>
  readonly any_workspace: boolean
  readonly mode: string
  readonly modes: ReadonlyArray<Mode>
  readonly model?: string
}

/** A task that changed files. */
export interface FileChanges {
  readonly task_id: TaskId
  readonly title: string
  readonly at: string
  readonly steps: number
  readonly uncertain: boolean
  readonly state: "done" | "undone"
}

/** A prompt that somebody gave a name (`commands/*.md`). */
export interface NamedPrompt {
  readonly name: string
  readonly description: string
  readonly argument: string
  readonly of: "user" | "project"
}

export interface Difference {
  readonly text: string
  readonly files: number
  readonly hidden: number
  readonly tasks: number
}

export type Status = Omit<Told<"status">, "type"> & { readonly held_by?: string; readonly archived?: boolean }

export interface Me {
  readonly principal: {
    readonly tenant: string
    readonly project: string
    readonly user: string
    readonly role: string
    readonly name: string
  }
  readonly permissions: ReadonlyArray<string>
}

export type GrantInForce = Grant & { readonly uses: number; readonly last_used_at?: string }

export interface AuditRecord {
  readonly n: number
  readonly kind: string
  readonly session_id: string
  readonly when: string
  readonly tool_name?: string
  readonly shown?: string
  readonly decision?: string
  readonly via?: string
  readonly rule?: string
  readonly reason?: string
  readonly who?: string
}

export interface Spent {
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cached_tokens: number
  readonly reasoning_tokens: number
  readonly cost_usd: number | null
}

export interface UsageReport {
  readonly total: Spent
  readonly sessions: ReadonlyArray<{
    readonly session_id: SessionId
    readonly title: string
    readonly usage: Spent
  }>
  readonly days: ReadonlyArray<{ readonly day: string; readonly usage: Spent }>
  /** The same days by model; `model` is empty where it was not recorded. */
  readonly models: ReadonlyArray<{ readonly day: string; readonly model: string; readonly usage: Spent }>
}

interface HistoryPage {
  readonly events: ReadonlyArray<DurableEvent>
  /** Absent: it begins with the session's first fact. */
  readonly next_before?: number
}

type Query = Readonly<Record<string, string | number | boolean | undefined>>

const addressOf = (path: string, query: Query): string => {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [[name, String(value)] as const]
  )
  return given.length === 0 ? path : `${path}?${new URLSearchParams(Object.fromEntries(given)).toString()}`
}

/** A problem document holds the code and its sentence. */
const refusalOf = async (response: Response): Promise<ErrorBody> => {
  try {
    const problem = (await response.json()) as Partial<ErrorBody> & { readonly detail?: string }
    if (typeof problem.code === "string") {
      const known = errorBody(problem.code, problem.detail ?? problem.message)
      return { ...known, retryable: problem.retryable ?? known.retryable }
    }
  } catch {
    // It was not claw that answered: what follows says so.
  }
  return errorBody(response.status === 401 ? "unauthenticated" : "internal", `HTTP ${response.status}`)
}

/** Without an answer to these nothing is drawn. */
const LONGEST_MS: Readonly<Record<string, number>> = { "/api/me": 8_000, "/api/login": 8_000, "/api/sessions": 30_000 }

const UNREACHED = "The server cannot be reached."

const request = async <A>(method: string, path: string, body?: object, query: Query = {}): Promise<A> => {
  const response = await fetch(addressOf(path, query), {
    method,
    headers: { accept: "application/json", ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(LONGEST_MS[path] === undefined ? {} : { signal: AbortSignal.timeout(LONGEST_MS[path]) })
  }).catch(() => Promise.reject({ ...errorBody("internal", UNREACHED), retryable: true }))
  if (!response.ok) return Promise.reject(await refusalOf(response))
  if (response.status === 204) return undefined as A
  return (await response.json().catch(() => Promise.reject(errorBody("internal", UNREACHED)))) as A
}

/** Somebody else may answer in the server's place, with something else. */
const meOf = (given: Partial<Me> | null): Me => {
  if (typeof given?.principal?.name === "string" && Array.isArray(given.permissions)) return given as Me
  throw errorBody("internal", UNREACHED)
}

const of = (id: SessionId, rest = ""): string => `/api/sessions/${encodeURIComponent(id)}${rest}`

export const api = {
  /** `oidc`: where a browser goes to sign in at the issuer. */
  waysIn: () => request<{ readonly needed: boolean; readonly oidc?: string }>("GET", "/api/login"),
  login: (token: string) => request<void>("POST", "/api/login", { token }),
  logout: () => request<void>("POST", "/api/logout"),
  me: async () => meOf(await request<Partial<Me> | null>("GET", "/api/me")),

  sessions: (query: { readonly q?: string; readonly cursor?: string; readonly archived?: "only" } = {}) =>
    request<{ readonly sessions: ReadonlyArray<ListedSession>; readonly next_cursor?: string }>(
      "GET",
      "/api/sessions",
      undefined,
      { limit: 100, ...query }
    ),
  options: () => request<NewOptions>("GET", "/api/options"),
  create: (options: { readonly workspace?: string; readonly mode?: Mode; readonly title?: string }) =>
    request<Status & { readonly session_id: SessionId }>("POST", "/api/sessions", options),
  show: (id: SessionId) => request<Status>("GET", of(id)),
  change: (id: SessionId, change: { readonly title?: string; readonly archived?: boolean }) =>
    request<void>("PATCH", of(id), change),
  remove: (id: SessionId) => request<void>("DELETE", of(id)),
  fork: (id: SessionId, at?: number) =>
    request<Status & { readonly session_id: SessionId }>("POST", of(id, "/fork"), at === undefined ? {} : { at }),

  /** Facts in order: the newest in front of `before`, or the newest. */
  history: (id: SessionId, limit: number, before?: number) =>
    request<HistoryPage>("GET", of(id, "/history"), undefined, { before, limit }),
  waiting: () => request<{ readonly approvals: ReadonlyArray<WaitingApproval> }>("GET", "/api/approvals"),
  answer: (
    id: SessionId,
    request_id: RequestId,
    answer: { readonly decision: Answer; readonly grant_option?: string; readonly reason?: string }
  ) => request<void>("POST", of(id, `/approvals/${encodeURIComponent(request_id)}`), answer),

  grants: (id: SessionId) =>
    request<{ readonly grants: ReadonlyArray<GrantInForce> }>("GET", of(id, "/grants"), undefined, { limit: 1000 }),
  revoke: (id: SessionId, grant: GrantId) => request<void>("DELETE", of(id, `/grants/${encodeURIComponent(grant)}`)),
  checkpoints: (id: SessionId) =>
    request<{ readonly checkpoints: ReadonlyArray<FileChanges> }>("GET", of(id, "/checkpoints")),
  diff: (id: SessionId, which: { readonly all?: true; readonly task?: TaskId } = {}) =>
    request<Difference>("GET", of(id, "/diff"), undefined, which),
  restore: (
    id: SessionId,
    direction: "undo" | "redo",
    options: { readonly to?: TaskId; readonly uncertain?: boolean } = {}
  ) =>
    request<{ readonly restored: ReadonlyArray<Durable<"files_restored">> }>("POST", of(id, `/${direction}`), options),
  prompts: async (id: SessionId) =>
    (await request<{ readonly prompts: ReadonlyArray<NamedPrompt> }>("GET", of(id, "/prompts"))).prompts,
  fillPrompt: async (id: SessionId, name: string, words: string) =>
    (await request<{ readonly content: string }>("POST", of(id, `/prompts/${encodeURIComponent(name)}`), { words }))
      .content,
  audit: (query: { readonly session?: SessionId; readonly cursor?: string; readonly decision?: string }) =>
    request<{ readonly records: ReadonlyArray<AuditRecord>; readonly next_cursor?: string }>(
      "GET",
      "/api/audit",
      undefined,
      { limit: 200, order: "newest", ...query }
    ),
  usage: () => request<UsageReport>("GET", "/api/usage", undefined, { limit: 1000 })
}

/** Where a session's events come from: the server that the page came from, encrypted where the page was (R258). */
export const socketAddress = (origin: string): string => `${origin.replace(/^http/, "ws")}/ws`
