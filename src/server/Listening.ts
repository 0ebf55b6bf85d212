/**
 * Sockets that listen (R239, LESSONS 43). Owns: starting one, and the sentence where it cannot start.
 * Invariant: a server that began to listen does not outlive its scope, and its end waits for no peer.
 */
import type { AddressInfo, Server } from "node:net"
import { Effect, Schema, type Scope } from "effect"

/** The program ends with this sentence. */
export class ListenError extends Schema.TaggedError<ListenError>()("ListenError", { detail: Schema.String }) {
  override get message(): string {
    return this.detail
  }
}

export interface Where {
  readonly host: string
  readonly port: number
  /** What it is for, in the sentence. */
  readonly what: "TCP" | "HTTP"
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: "another program listens there",
  EACCES: "this user may not listen there",
  EADDRNOTAVAIL: "this machine has no such address",
  ENOTFOUND: "there is no such host"
}

const why = (error: NodeJS.ErrnoException, { host, port, what }: Where): string =>
  `claw cannot listen for ${what} on ${host} port ${port}: ${reasons[error.code ?? ""] ?? error.message}.`

/** Many clients may come back at once. */
const BACKLOG = 1024

export const listen = (server: Server, where: Where): Effect.Effect<AddressInfo, ListenError, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<AddressInfo, ListenError>((resume) => {
      const failed = (error: NodeJS.ErrnoException) =>
        resume(Effect.fail(new ListenError({ detail: why(error, where) })))
      server.once("error", failed)
      server.listen({ host: where.host, port: where.port, backlog: BACKLOG }, () => {
        server.off("error", failed)
        // Errors of accepting (no descriptor left) pass; the listener stays.
        server.on("error", () => undefined)
        resume(Effect.succeed(server.address() as AddressInfo))
      })
    }),
    () => Effect.sync(() => void (server.listening && server.close()))
  )

/** As other parts of the program write it: an IPv4 peer of a socket for both families is an IPv4 peer. */
export const plainAddress = (address: string | undefined): string => (address ?? "").replace(/^::ffff:(?=\d)/i, "")
