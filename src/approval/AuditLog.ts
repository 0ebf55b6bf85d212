/**
 * The audit as it is read (R158, R168, R271). Owns: the contract, and the proof that a chain is whole. Entries are
 * written by the store itself, in the append of the decision (SETTLED 8): there is no way to write, change or delete one
 * from here (SECURITY T23). Invariant: a query that names an owner gives this owner's entries only (R161).
 */
import { Context, type Effect, Schema } from "effect"
import type { SessionId } from "../domain/Ids.ts"
import type { Owner } from "../domain/Principal.ts"
import { type AuditEntry, type Head, hashOf, type Link, read } from "./Audit.ts"

export class AuditError extends Schema.TaggedError<AuditError>()("AuditError", {
  detail: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {
  get code() {
    return "storage_unavailable" as const
  }
  override get message(): string {
    return this.detail
  }
}

export interface AuditQuery {
  /** Absent: everybody's, for whoever sits at the machine of the store. */
  readonly owner?: Owner
  readonly session?: SessionId
  readonly tool?: string
  readonly decision?: string
  /** RFC 3339 in UTC; at or behind it. */
  readonly since?: string
  /** Default: the oldest first. */
  readonly order?: "oldest" | "newest"
  /** Entries behind this number, in that order. */
  readonly after?: number
  /** Default 100. */
  readonly limit?: number
}

export interface AuditPage {
  readonly entries: ReadonlyArray<AuditEntry & { readonly hash: string }>
  /** Numbers of stored lines that are no entries; `verify` says more. */
  readonly damaged: ReadonlyArray<number>
  /** Read on behind this number; absent: this is the last page. */
  readonly next?: number
}

/**
 * `changed`: the line, its columns or its hash are not what was chained; `missing`: nothing stands at these numbers;
 * `moved`: a line of another number stands here; `extra`: it stands behind the head; `unaudited`: a journal holds a
 * decision that the chain does not; `anchor`: the chain does not hold what was written down.
 */
export interface Fault {
  readonly kind: "changed" | "missing" | "moved" | "extra" | "unaudited" | "anchor"
  /** The entry, or the first of several. */
  readonly n?: number
  readonly to?: number
  readonly session_id?: string
  readonly detail: string
}

export interface Proof {
  readonly entries: number
  /** To be written down elsewhere: against it a later chain can be held. */
  readonly head: Head
  readonly faults: ReadonlyArray<Fault>
}

export class AuditLog extends Context.Service<
  AuditLog,
  {
    readonly page: (query: AuditQuery) => Effect.Effect<AuditPage, AuditError>
    /** Reads the whole chain. `anchor`: a head of an earlier time. */
    readonly verify: (anchor?: Head) => Effect.Effect<Proof, AuditError>
  }
>()("claw/approval/AuditLog") {}

const MOST_FAULTS = 100

/** Looks at a chain link by link, in the order of their numbers. `sameColumns`: what is stored beside the line. */
export const makeVerifier = (first: string, anchor: Head | undefined) => {
  const faults: Array<Fault> = []
  let [last, before, entries]: [number, string | undefined, number] = [0, first, 0]
  let anchored = anchor === undefined || (anchor.n === 0 && anchor.hash === first)
  const say = (fault: Fault) => void (faults.length < MOST_FAULTS && faults.push(fault))
  const gap = (to: number, where: string) => {
    if (to <= last) return
    say({
      kind: "missing",
      n: last + 1,
      to,
      detail: `${last + 1 === to ? to : `${last + 1} to ${to}`} cut out ${where}`
    })
    before = undefined
  }
  return {
    say,
    take: ({ n, text, hash }: Link, sameColumns: (entry: AuditEntry) => boolean): void => {
      gap(n - 1, "of the middle")
      const found = read(text)
      if (found === undefined) say({ kind: "changed", n, detail: "its line cannot be read" })
      else if (found.n !== n) say({ kind: "moved", n, detail: `the line of ${found.n} stands here` })
      else if (!sameColumns(found)) say({ kind: "changed", n, detail: "its columns are not those of its line" })
      else if (before !== undefined && hashOf(before, text) !== hash)
        say({
          kind: "changed",
          n,
          detail: `it does not follow ${n - 1}: its line, or the hash of ${n - 1}, was changed`
        })
      anchored ||= anchor?.n === n && anchor.hash === hash
      ;[last, before, entries] = [n, hash, entries + 1]
    },
    end: (head: Head | undefined): Proof => {
      if (head === undefined) say({ kind: "anchor", detail: "the store has lost the head of its chain" })
      else if (head.n < last) say({ kind: "extra", n: head.n + 1, to: last, detail: "behind the head of the chain" })
      else if (head.n > last) gap(head.n, "of the end")
      else if (head.hash !== before) say({ kind: "changed", n: last, detail: "the last hash is not the head's" })
      if (!anchored) say({ kind: "anchor", n: anchor?.n ?? 0, detail: "the chain does not hold the given anchor" })
      return { entries, head: head ?? { n: last, hash: before ?? "" }, faults }
    }
  }
}
