/**
 * All conversations of this process, on whatever transport (DESIGN §2). Owns: the contract between sockets and
 * sessions: a server hands in a Connection and hears when its conversation is over.
 * Invariant: a connection that is served ends closed, its session left by the disconnect rule, on every path.
 */
import { Context, type Effect, type Scope } from "effect"
import type { Owner } from "../domain/Principal.ts"
import type { SessionId } from "../domain/Ids.ts"
import type { Connection } from "./Connection.ts"

/** Somebody who listens without being a Connection (an event stream over HTTP). Both are called at most once. */
export interface Guest {
  /** The server ends: as connections are told. Epoch milliseconds. */
  readonly draining: (deadline: number) => void
  /** Lets what was sent go out, and goes: the scope it attends in ends. */
  readonly close: () => void
}

export class Channels extends Context.Service<
  Channels,
  {
    /** Holds the conversation until it is over; never fails. Interruption closes the connection as the server's own. */
    readonly serve: (connection: Connection) => Effect.Effect<void>
    /** Connections that are being served. */
    readonly count: Effect.Effect<number>
    /** Connections attached to a session. */
    readonly attached: (owner: Owner, session: SessionId) => Effect.Effect<number>
    /**
     * No new prompts (`server_draining`), every client is told the deadline (epoch milliseconds). Returns at once; the
     * connections stay readable until `closeAll`.
     */
    readonly drain: (deadline: number) => Effect.Effect<void>
    /** Until the scope ends, is told of the drain and waited for by `closeAll`; at once where it has begun. */
    readonly attend: (guest: Guest) => Effect.Effect<void, never, Scope.Scope>
    /** What was sent goes out; then every connection is closed with `server_draining` (1001), and every guest goes. */
    readonly closeAll: Effect.Effect<void>
  }
>()("claw/channel/Channels") {}
