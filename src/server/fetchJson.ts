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
export const fetchBounded = async (url: string, signal: AbortSignal): Promise<Response> => {
  const response = await fetch(url, {
    signal: AbortSignal.any([signal, AbortSignal.timeout(FETCH_MS)]),
    redirect: "error",
    headers: { accept: "application/json" }
  })
  const body = await readBody(response)
  return new Response(body, { status: response.status, headers: { "content-type": "application/json" } })
}
