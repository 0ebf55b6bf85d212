/**
 * A refusal in HTTP before any route is known, or of an upgrade (RFC 9457, PROTOCOL §3). Owns: its bytes.
 * Invariants: the connection ends with it, and nothing that was sent is repeated in it; its status is the code's own, unless
 * HTTP has one for it.
 */
import type { ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import { type ErrorCode, table } from "../domain/ErrorCode.ts"
import { httpStatus } from "../protocol/WireError.ts"

export interface Refusal {
  readonly code: ErrorCode
  /** More than the code's own sentence says; never a secret, never what was sent. */
  readonly detail?: string
  readonly retry_after_ms?: number
  /** Where HTTP has one of its own for what is wrong. */
  readonly status?: 417 | 431
}

const phrases: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  408: "Request Timeout",
  413: "Content Too Large",
  417: "Expectation Failed",
  426: "Upgrade Required",
  429: "Too Many Requests",
  431: "Request Header Fields Too Large",
  503: "Service Unavailable"
}

const bodyOf = (refusal: Refusal, status: number) => {
  const { code, detail, retry_after_ms } = refusal
  const { en, retryable } = table[code]
  return JSON.stringify({
    type: `urn:claw:error:${code}`,
    title: en,
    status,
    detail: detail ?? en,
    code,
    retryable,
    ...(retry_after_ms === undefined ? {} : { retry_after_ms })
  })
}

const headersOf = (refusal: Refusal, body: string): Readonly<Record<string, string>> => ({
  "content-type": "application/problem+json",
  "content-length": String(Buffer.byteLength(body)),
  "cache-control": "no-store",
  connection: "close",
  ...(refusal.code === "unauthenticated" ? { "www-authenticate": 'Bearer realm="claw"' } : {}),
  ...(refusal.retry_after_ms === undefined ? {} : { "retry-after": String(Math.ceil(refusal.retry_after_ms / 1000)) })
})

export const answer = (response: ServerResponse, refusal: Refusal): void => {
  const status = refusal.status ?? httpStatus(refusal.code)
  const body = bodyOf(refusal, status)
  response.writeHead(status, headersOf(refusal, body))
  response.end(body)
}

/** On the socket of an upgrade that does not happen. */
export const refuseUpgrade = (socket: Duplex, refusal: Refusal): void => {
  if (!socket.writable) return void socket.destroy()
  const status = refusal.status ?? httpStatus(refusal.code)
  const body = bodyOf(refusal, status)
  const headers = Object.entries(headersOf(refusal, body)).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.once("finish", () => socket.destroy())
  socket.end(`HTTP/1.1 ${status} ${phrases[status] ?? "Error"}\r\n${headers.join("")}\r\n${body}`)
}
