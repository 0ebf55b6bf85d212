/**
 * The audit chain: one entry for each decision about a call, allowed and refused, asked or not, and for what ends
 * authority (R158, R168, R271; SETTLED 8; SECURITY T23). Owns: the form of an entry, how one is chained to the last,
 * what a reader of the chain can find. Pure; storing it is the store's. Invariant: an entry is one line of JSON, and its
 * hash covers the whole line and the hash before it.
 *
 * What a chain can and cannot show: an entry that was changed, cut out, put in or moved is found, and which one. The
 * tail is held by the head, which is counted up in the same transaction; whoever rewrites the head too, and every hash
 * behind the change, leaves a chain that is whole. Against that helps only what is kept elsewhere: an anchor (number
 * and hash) that was written down, and the journals, whose decisions must all stand in the chain.
 */
import { createHash, hash as digest } from "node:crypto"
import type { Durable, PrivateBody } from "../domain/Event.ts"
import * as Canonical from "../domain/Canonical.ts"
import type { SessionId } from "../domain/Ids.ts"
import type { ToolCall } from "../domain/Message.ts"
import { type Owner, ownerOf } from "../domain/Principal.ts"
import { parseArguments } from "./arguments.ts"
import { digestOf } from "./matching.ts"

export const kinds = ["decision", "grant_revoked", "session_removed", "session_copied", "network"] as const
export type Kind = (typeof kinds)[number]

/** Fields of a decision are those of its `approval_resolved`; absent `who`: nobody was asked. */
export interface AuditEntry extends Owner {
  /** 1, 2, 3 … over the whole store. */
  readonly n: number
  readonly kind: Kind
  readonly session_id: SessionId
  /** RFC 3339. */
  readonly when: string
  /** Of the decision in its session; of a copy or a removal: how far the session went. */
  readonly seq?: number
  readonly call_id?: string
  readonly tool_name?: string
  /** Of tool name and canonical arguments: what was decided about, without its content. */
  readonly digest?: string
  /** For people: the command, or the path within the workspace, masked and cut short. Entries of old have none. */
  readonly shown?: string
  readonly decision?: string
  readonly via?: string
  readonly rule?: string
  readonly reason?: string
  readonly request_id?: string
  readonly grant_id?: string
  readonly who?: string
}

/** What is chained: the number comes with its place. */
export type Unchained = Omit<AuditEntry, "n">

export interface Place {
  readonly owner: Owner
  readonly session_id: SessionId
}

/** A lone surrogate would not come back from a database as it went in. */
const wellFormed = (fields: Readonly<Record<string, string | number | undefined>>) =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([key, value]) =>
      value === undefined ? [] : [[key, typeof value === "string" ? value.toWellFormed() : value]]
    )
  )

const entry = (
  { owner, session_id }: Place,
  kind: Kind,
  when: string,
  fields: Partial<Omit<AuditEntry, "n" | "kind" | "when">>
): Unchained => ({ ...wellFormed(fields), ...ownerOf(owner), kind, session_id, when })

/** `call` where the event does not say what it is about. */
export const decision = (
  place: Place,
  { seq, ts }: { readonly seq?: number; readonly ts: string },
  event: Durable<"approval_resolved">,
  call: ToolCall | undefined
): Unchained => {
  const { call_id, decision: decided, via, rule, reason, request_id, by: who } = event
  const about = {
    tool_name: event.tool_name ?? call?.tool_name,
    shown: event.shown,
    digest:
      event.digest ?? (call === undefined ? undefined : digestOf(call.tool_name, parseArguments(call.arguments) ?? {}))
  }
  const grant_id = event.grant_id ?? event.grant?.grant_id
  return entry(place, "decision", ts, {
    ...(seq === undefined ? {} : { seq }),
    ...wellFormed({ call_id, ...about, decision: decided, via, rule, reason, request_id, grant_id, who })
  })
}

export const revoked = (place: Place, when: string, grant_id: string, tool_name: string, who: string): Unchained =>
  entry(place, "grant_revoked", when, { grant_id, tool_name, who })

/** A host that a command asked for. */
export const visited = (
  place: Place,
  when: string,
  event: Extract<PrivateBody, { type: "host_visited" }>
): Unchained => {
  const { call_id, host, port, refused, times } = event
  const allowed = refused === undefined
  return entry(place, "network", when, {
    call_id,
    tool_name: "network",
    shown: `${host}:${port}${times === 1 ? "" : ` (${times} times)`}`,
    decision: allowed ? "allow_once" : "deny",
    via: "policy",
    rule: "isolation.hosts",
    ...(allowed ? {} : { reason: refused })
  })
}

/** The tombstone of a session; what was decided in it stays in the chain. */
export const removed = (place: Place, when: string, seq: number): Unchained =>
  entry(place, "session_removed", when, { seq })

/** A session whose facts up to `seq` are another's: their decisions stand in the chain already, with that one. */
export const copied = (place: Place, when: string, seq: number): Unchained =>
  entry(place, "session_copied", when, { seq })

/** Where a chain stands. `n` 0: it is empty, and `hash` is what makes this chain itself and no other. */
export interface Head {
  readonly n: number
  readonly hash: string
}

/** An entry as it is stored: one line (corpus C023) and what chains it. */
export interface Link extends Head {
  readonly text: string
}

export const begin = (random: Uint8Array): Head => ({ n: 0, hash: createHash("sha256").update(random).digest("hex") })

export const hashOf = (before: string, text: string): string => digest("sha256", `${before}\n${text}`, "hex")

export const chain = (head: Head, unchained: Unchained): Link => {
  const n = head.n + 1
  const text = Canonical.stringify({ ...unchained, n })
  return { n, text, hash: hashOf(head.hash, text) }
}

/** The entry of a stored line; undefined: it is none. */
export const read = (text: string): AuditEntry | undefined => {
  const value = parseArguments(text) as Partial<AuditEntry> | null | undefined
  if (typeof value !== "object" || value === null || !Number.isSafeInteger(value.n)) return undefined
  const texts = [value.session_id, value.when, value.tenant, value.project, value.user]
  return kinds.some((kind) => kind === value.kind) && texts.every((one) => typeof one === "string")
    ? (value as AuditEntry)
    : undefined
}
