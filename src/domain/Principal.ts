/**
 * Who acts, and whose a session is (R273, PROTOCOL §4, SETTLED 23). Owns: the nouns and what a role may do. Decides
 * nothing about how a principal is recognised; that is the server's.
 * Invariant: a session belongs to one owner for life; an id names a session only within its owner's scope.
 */
import { Schema } from "effect"
import type { SessionId } from "./Ids.ts"

/** Part of an owner: it stands in keys of the store, so it has no separator and no white space. */
export const ScopeName = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9._@+-]{1,128}$/, { expected: "1 to 128 letters, digits and . _ @ + -" })
)

export const Owner = Schema.Struct({ tenant: ScopeName, project: ScopeName, user: ScopeName })
export type Owner = typeof Owner.Type

export const roles = ["viewer", "requester", "approver", "member", "admin"] as const
export const Role = Schema.Literals(roles)
export type Role = typeof Role.Type

/** `read`: events and status. `prompt`: start, stop and steer work. `approve`: answer questions. `manage`: the server's own affairs (tokens, metrics, the audit of everybody). */
export type Permission = "read" | "prompt" | "approve" | "manage"

/** An approver may differ from the requester: neither role includes the other. */
const permissions: Readonly<Record<Role, ReadonlySet<Permission>>> = {
  viewer: new Set<Permission>(["read"]),
  requester: new Set<Permission>(["read", "prompt"]),
  approver: new Set<Permission>(["read", "approve"]),
  member: new Set<Permission>(["read", "prompt", "approve"]),
  admin: new Set<Permission>(["read", "prompt", "approve", "manage"])
}

/** Somebody who was recognised. `name` is what the audit says of an answer: never a secret. */
export const Principal = Schema.Struct({ ...Owner.fields, role: Role, name: Schema.String })
export type Principal = typeof Principal.Type

export const may = (principal: Principal, permission: Permission): boolean =>
  permissions[principal.role].has(permission)

/** Whoever sits at this machine: the terminal, and a server that only this machine reaches. */
export const localOwner: Owner = { tenant: "local", project: "default", user: "local" }
export const localPrincipal: Principal = { ...localOwner, role: "admin", name: "local" }

export const ownerOf = ({ tenant, project, user }: Owner): Owner => ({ tenant, project, user })

/** The journal's name of a session: its id within its owner's scope. The local owner's are the ids themselves. */
export const SessionKey = Schema.NonEmptyString.pipe(Schema.brand("SessionKey"))
export type SessionKey = typeof SessionKey.Type

export const scopeKey = ({ tenant, project, user }: Owner): string =>
  tenant === localOwner.tenant && project === localOwner.project && user === localOwner.user
    ? ""
    : `${tenant}/${project}/${user}/`

/** Whether `scopeKey` made this of an owner in that tenant. */
export const isOfTenant = (scope: string, tenant: string): boolean =>
  scope === "" ? tenant === localOwner.tenant : scope.startsWith(`${tenant}/`)

/** Neither ids nor scope names hold a `/`, so two sessions never share a key. */
export const sessionKey = (owner: Owner, id: SessionId): SessionKey => `${scopeKey(owner)}${id}` as SessionKey

/** What `sessionKey` was made of. */
export const sessionOf = (key: SessionKey): { readonly owner: Owner; readonly session_id: SessionId } => {
  const parts = key.split("/")
  const session_id = (parts.pop() ?? "") as SessionId
  const [tenant, project, user] = parts
  if (tenant === undefined || project === undefined || user === undefined) return { owner: localOwner, session_id }
  return { owner: { tenant, project, user }, session_id }
}
