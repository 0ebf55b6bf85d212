/** JSON of an issuer, within limits: so long, so large, no redirects, and only over TLS or from this machine. */
import { isLoopback } from "./Origins.ts"

export const FETCH_MS = 5_000
const MOST_BYTES = 1_048_576

/** Whether keys may be believed that come from there. */
export const trustworthy = (url: string): boolean => {
  if (!URL.canParse(url)) return false
  const { protocol, hostname, username } = new URL(url)
  return username === "" && (protocol === "https:" || (protocol === "http:" && isLoopback(hostname)))
}

/** The whole body as text; throws a sentence that names no secret. */
const readBody = async (response: Response): Promise<string> => {
  const parts: Array<Uint8Array> = []
  let bytes = 0
  for await (const part of response.body ?? []) {
    bytes += part.byteLength
    if (bytes > MOST_BYTES) throw new Error("the answer is too large")
    parts.push(part)
  }
  return Buffer.concat(parts).toString("utf8")
}

/** What `fetch` would give, its body read already. */
const fetchAt = async (url: string, init: RequestInit): Promise<Response> => {
  const timeout = AbortSignal.timeout(FETCH_MS)
  const signal = init.signal instanceof AbortSignal ? AbortSignal.any([init.signal, timeout]) : timeout
  const response = await fetch(url, { ...init, signal, redirect: "error" })
  const body = await readBody(response)
  return new Response(body, { status: response.status, headers: { "content-type": "application/json" } })
}

export const fetchBounded = (url: string, signal: AbortSignal): Promise<Response> =>
  fetchAt(url, { signal, headers: { accept: "application/json" } })

/** A request as somebody else makes it, to a place that may be believed. */
export const fetchWithin = (url: string, init: RequestInit): Promise<Response> =>
  trustworthy(url) ? fetchAt(url, init) : Promise.reject(new Error("the issuer names no usable place"))
