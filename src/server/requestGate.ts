/**
 * What every request and upgrade passes before anything else looks at it (SETTLED 21, SECURITY T9, W001–W011, W025).
 * Pure. Owns: Host, Origin, secrets in the URL, and what a browser is told of pages that the configuration names.
 * Invariant: a page that is not named gets no CORS header and no answer but a refusal; none gets a wildcard.
 */
import type { IncomingMessage } from "node:http"
import { allowedHost, allowedOrigin, type Own } from "./Origins.ts"
import { CALLBACK } from "./oidcLogin.ts"
import type { Refusal } from "./problem.ts"

const SECRET = /token|secret|password|passwd|api[-_]?key|auth|jwt|credential/i

const queryOf = (url: string | undefined): string => {
  const at = (url ?? "").indexOf("?")
  return at === -1 ? "" : (url ?? "").slice(at + 1)
}

export const pathOf = (url: string | undefined): string => (url ?? "").split(/[?#]/, 1)[0] ?? ""

/** URLs end up in logs and histories: nothing secret belongs there. What an issuer sends back has the issuer's names. */
const carriesSecret = (url: string | undefined): boolean =>
  pathOf(url) !== CALLBACK && Array.from(new URLSearchParams(queryOf(url)).keys()).some((name) => SECRET.test(name))

/** `http://host:port/path`: what a proxy is sent, and anybody else may be (RFC 9112 §3.2.2). */
const ABSOLUTE = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)/i

/** A target that names a server names this one. */
const isForUs = (own: Own, url: string | undefined): boolean => {
  const [, scheme = "", authority] = ABSOLUTE.exec(url ?? "") ?? []
  return authority === undefined || (/^https?$/i.test(scheme) && allowedHost(own, authority))
}

/** The target as every route knows it: its path and query. */
export const originForm = (url: string | undefined): string => {
  const rest = (url ?? "").replace(ABSOLUTE, "")
  return rest.startsWith("?") || rest === "" ? `/${rest}` : rest
}

/** Node tells the first one alone. */
const hosts = (rawHeaders: ReadonlyArray<string>): number =>
  rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === "host").length

export const judge = (own: Own, { headers, rawHeaders, url }: IncomingMessage): Refusal | undefined => {
  if (hosts(rawHeaders) !== 1) return { code: "bad_message", detail: "A request has one Host header." }
  if (!allowedHost(own, headers.host) || !isForUs(own, url)) {
    return { code: "forbidden", detail: "This server is not known by that name; see server.allowed_hosts." }
  }
  if (!allowedOrigin(own, headers)) {
    return { code: "forbidden", detail: "Pages of that origin may not connect; see server.allowed_origins." }
  }
  if (carriesSecret(url)) {
    return { code: "bad_message", detail: "A secret does not belong in a URL; send it as a header or in hello." }
  }
  return undefined
}

/** Allowed pages that are not served from here need to be named; cookies are for the server's own pages alone. */
export const corsHeaders = ({ headers: { origin } }: IncomingMessage): Readonly<Record<string, string>> =>
  origin === undefined ? {} : { "access-control-allow-origin": origin, vary: "origin" }

/** The answer to the question that a browser asks before such a page's request. */
export const preflightHeaders: Readonly<Record<string, string>> = {
  "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE",
  "access-control-allow-headers": "authorization, content-type, last-event-id, idempotency-key",
  "access-control-max-age": "600"
}

export const isPreflight = ({ method, headers }: IncomingMessage): boolean =>
  method === "OPTIONS" && headers.origin !== undefined && headers["access-control-request-method"] !== undefined
