/**
 * What every driver of the session index does alike. Owns: the change, the order, the refusals, which mode is kept, and
 * the well-formed text (a lone surrogate in a title becomes U+FFFD before it is stored, because a database would do it
 * after). Does not own: where sessions are kept.
 */
import type { SessionId } from "../domain/Ids.ts"
import { type Owner, ownerOf } from "../domain/Principal.ts"
import type { SessionMeta } from "./SessionIndex.ts"
import { StoreError } from "./StoreError.ts"

export type SessionChange = Partial<Pick<SessionMeta, "title" | "model" | "mode" | "archived" | "updated_at">>

export const notFound = (operation: string, id: SessionId) =>
  new StoreError({ code: "session_not_found", operation, detail: `There is no session ${id}.` })

export const alreadyThere = (id: SessionId) =>
  new StoreError({ code: "session_exists", operation: "create", detail: `Session ${id} exists already.` })

/**
 * The mode as it is kept: `bypass` is of the process that was given it and of nobody who comes later, so it is never
 * written, and where an older claw wrote it, it is not read (R273).
 */
export const keptMode = (mode: string | null | undefined): Pick<SessionMeta, "mode"> =>
  mode === undefined || mode === null || mode === "bypass" ? {} : { mode }

export const wellFormed = (meta: Omit<SessionMeta, "owner">, owner: Owner): SessionMeta => ({
  session_id: meta.session_id,
  owner: ownerOf(owner),
  workspace: meta.workspace.toWellFormed(),
  ...(meta.workspace_id === undefined ? {} : { workspace_id: meta.workspace_id.toWellFormed() }),
  title: meta.title.toWellFormed(),
  ...(meta.model === undefined ? {} : { model: meta.model.toWellFormed() }),
  ...keptMode(meta.mode?.toWellFormed()),
  ...(meta.archived === true ? { archived: true } : {}),
  created_at: meta.created_at,
  updated_at: meta.updated_at
})

export const changed = (meta: SessionMeta, change: SessionChange): SessionMeta => {
  const given = Object.entries(change).filter(([, value]) => value !== undefined)
  return wellFormed({ ...meta, ...(Object.fromEntries(given) as SessionChange) }, meta.owner)
}

type Placed = Pick<SessionMeta, "updated_at" | "session_id">

const descending = (a: string, b: string) => (a === b ? 0 : a < b ? 1 : -1)

/** By `updated_at`, then by id, so that equal times keep one order. */
export const newestFirst = (a: Placed, b: Placed): number =>
  descending(a.updated_at, b.updated_at) || descending(a.session_id, b.session_id)
