/**
 * Where a server may listen, and with which limits (R236, SECURITY T9, LESSONS 42). Pure.
 * Invariants: whoever can be reached from outside needs authentication and encryption; what nobody chose is generous
 * on loopback, where one person is served, and strict beyond it; its two ports are two, or free ones.
 */
import { Result } from "effect"
import type { ConfigShape } from "../config/AppConfig.ts"
import { strict } from "../config/ServerSettings.ts"
import { isLoopback } from "./Origins.ts"

const outside = (host: string): string => `claw serve listens beyond this machine on ${host}, and that needs `

/** The sentence that ends the program; nothing: it may listen. */
const forbidden = ({ server }: ConfigShape): string | undefined => {
  const { host, auth, behind_proxy, tls_cert, tls_key } = server
  if (isLoopback(host)) return undefined
  if (!auth) return `${outside(host)}authentication: leave server.auth on, or listen on 127.0.0.1.`
  if (behind_proxy || (tls_cert !== undefined && tls_key !== undefined)) return undefined
  return `${outside(host)}TLS: set server.tls_cert and server.tls_key, or server.behind_proxy where a proxy ends TLS.`
}

/** Two listeners of one process: no other program is in the way (LESSONS 43). */
const shared = ({ server: { tcp_port, http_port } }: ConfigShape): string | undefined =>
  tcp_port === 0 || tcp_port !== http_port
    ? undefined
    : `claw serve cannot listen for TCP and for HTTP on one port, and both would be ${tcp_port}: choose two ` +
      "(--tcp-port, --http-port; server.tcp_port, server.http_port)."

/** The configuration that the server runs with. */
export const judge = (config: ConfigShape): Result.Result<ConfigShape, string> => {
  const sentence = forbidden(config) ?? shared(config)
  if (sentence !== undefined) return Result.fail(sentence)
  if (isLoopback(config.server.host)) return Result.succeed(config)
  // Whoever can be reached from outside runs commands for others: without isolation only where somebody chose so.
  const mode = config.sources.has("isolation.mode") ? config.isolation.mode : "required"
  const isolation = { ...config.isolation, mode }
  return Result.succeed({ ...config, isolation, limit: { ...config.limit, ...strict, ...config.chosen("limit") } })
}
