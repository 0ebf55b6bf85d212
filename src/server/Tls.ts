/**
 * The certificate of this server (R236). Owns: reading its files, and following them: a renewed certificate counts
 * without a restart. Invariants: servers keep what they have until the new files are a certificate and its key; a bad
 * pair at the start is one sentence. Connections that are open keep theirs.
 */
import { readFileSync, unwatchFile, watchFile } from "node:fs"
import { createSecureContext, Server as TlsServer } from "node:tls"
import { Context, Effect, FiberSet, Layer, type Scope } from "effect"
import { AppConfig } from "../config/AppConfig.ts"
import { ListenError } from "./Listening.ts"

export interface Pair {
  readonly cert: Buffer
  readonly key: Buffer
}

export class Tls extends Context.Service<
  Tls,
  {
    /** Absent: this server does not end TLS. */
    readonly current: () => Pair | undefined
    /** This server, if it speaks TLS, is given every later certificate. */
    readonly follow: (server: object) => Effect.Effect<void, never, Scope.Scope>
  }
>()("claw/server/Tls") {}

/** Files are looked at this often; a notification would miss links that are exchanged. */
const LOOK_MS = 1000

interface Files {
  readonly tls_cert?: string
  readonly tls_key?: string
}

const why = (error: unknown): string => (error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error))

/** Both files, of which OpenSSL says that they belong together. */
const read = (cert: string, key: string) =>
  Effect.try({
    try: (): Pair => {
      const pair = { cert: readFileSync(cert), key: readFileSync(key) }
      createSecureContext(pair)
      return pair
    },
    catch: (error) =>
      new ListenError({ detail: `The certificate ${cert} and key ${key} cannot be used: ${why(error)}.` })
  })

const following = Effect.fnUntraced(function* (cert: string, key: string, lookMs: number) {
  let pair = yield* read(cert, key)
  const servers = new Set<TlsServer>()
  const run = yield* FiberSet.makeRuntime()
  const reload = read(cert, key).pipe(
    Effect.flatMap((next) => {
      if (next.cert.equals(pair.cert) && next.key.equals(pair.key)) return Effect.void
      pair = next
      for (const server of servers) server.setSecureContext(next)
      return Effect.logInfo("The certificate was read again.")
    }),
    Effect.catch((error) => Effect.logWarning("The certificate in use is kept.", { detail: error.detail }))
  )
  const changed = () => void run(reload)
  yield* Effect.acquireRelease(
    Effect.sync(() => [cert, key].forEach((file) => watchFile(file, { interval: lookMs, persistent: false }, changed))),
    () => Effect.sync(() => [cert, key].forEach((file) => unwatchFile(file, changed)))
  )
  return Tls.of({
    current: () => pair,
    follow: (server) =>
      server instanceof TlsServer
        ? Effect.asVoid(
            Effect.acquireRelease(
              Effect.sync(() => servers.add(server)),
              () => Effect.sync(() => servers.delete(server))
            )
          )
        : Effect.void
  })
})

const none = Tls.of({ current: () => undefined, follow: () => Effect.void })

export const make = ({ tls_cert, tls_key }: Files, lookMs: number = LOOK_MS) => {
  if (tls_cert === undefined && tls_key === undefined) return Effect.succeed(none)
  if (tls_cert === undefined || tls_key === undefined) {
    const [has, lacks] = tls_cert === undefined ? ["tls_key", "tls_cert"] : ["tls_cert", "tls_key"]
    return Effect.fail(new ListenError({ detail: `server.${has} needs server.${lacks}: both or neither.` }))
  }
  return following(tls_cert, tls_key, lookMs)
}

export const layer = Layer.effect(
  Tls,
  Effect.flatMap(AppConfig, ({ server }) => make(server))
)
/** Without TLS. */
export const layerNone = Layer.succeed(Tls, none)
