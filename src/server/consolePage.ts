/**
 * What a browser is shown at addresses that are no route of the API: the console (issue 6, R242, SECURITY T24).
 * Owns: which file answers which address, what a browser may do with it, the page that says that there is no console.
 * Invariants: an address below a route of the server's own never leads here; scripts come from here alone and none stands
 * in a page; the entry page is never kept, files whose names say what they hold always are.
 */
import type { IncomingMessage } from "node:http"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import type { WireLocale } from "../protocol/WireError.ts"
import { type Coding, type ConsoleFile, type ConsoleFiles, INDEX, make as filesIn } from "./consoleFiles.ts"
import { pathOf } from "./requestGate.ts"

type Response = HttpServerResponse.HttpServerResponse

/** Absent: nothing is shown at this address. */
export type ShowPage = (request: IncomingMessage, locale: WireLocale) => Effect.Effect<Response | undefined>

/** Not the console's, whatever stands behind them. */
const RESERVED = /^\/(?:api|ws|docs|healthz|readyz|metrics|openapi\.json|assets)(?:\/|$)/

/** Somebody looks, rather than a program that asks. */
const wantsPage = ({ headers }: IncomingMessage, path: string): boolean =>
  !RESERVED.test(path) && /\btext\/html\b/i.test(headers.accept ?? "")

/** A browser that takes `'self'` for HTTP alone is told of the WebSocket, too; a name in brackets cannot be. */
const socketsOf = ({ headers: { host = "" } }: IncomingMessage): string =>
  /^[a-z0-9._-]{1,253}(?::\d{1,5})?$/i.test(host) ? ` ws://${host} wss://${host}` : ""

const policyOf = (request: IncomingMessage): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    `connect-src 'self'${socketsOf(request)}`,
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'"
  ].join("; ")

const PERMISSIONS = ["camera", "geolocation", "microphone", "payment", "usb", "serial", "hid"]
  .map((name) => `${name}=()`)
  .join(", ")

const documentHeaders = (request: IncomingMessage) => ({
  "content-security-policy": policyOf(request),
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": PERMISSIONS,
  "cache-control": "no-store"
})

/** A worker has the policy that its own file came with: it loads parts of itself, and nothing else. */
const scriptHeaders = { "content-security-policy": "default-src 'none'; script-src 'self'; frame-ancestors 'none'" }

const ALWAYS = "public, max-age=31536000, immutable"

/** `br;q=0` is a no; `*` is whatever there is. */
const codingFor = ({ headers }: IncomingMessage, { codings }: ConsoleFile): Coding | undefined => {
  const taken = (headers["accept-encoding"] ?? "")
    .toLowerCase()
    .split(",")
    .map((part) => part.trim().split(/\s*;\s*/))
    .filter(([, weight = ""]) => !/^q=0(?:\.0*)?$/.test(weight))
    .map(([name]) => name)
  const wanted = new Set(taken)
  return codings.find((coding) => wanted.has(coding) || wanted.has("*"))
}

const unchanged = (request: IncomingMessage, etag: string): boolean =>
  (request.headers["if-none-match"] ?? "")
    .split(",")
    .map((tag) => tag.trim().replace(/^W\//, ""))
    .some((tag) => tag === etag || tag === "*")

const show = (request: IncomingMessage, file: ConsoleFile) => {
  const coding = codingFor(request, file)
  return Effect.map(file.read(coding), (bytes): Response | undefined => {
    if (bytes === undefined) return undefined
    const { body, etag } = bytes
    const isPage = file.type.startsWith("text/html")
    const isScript = file.type.startsWith("text/javascript")
    const headers = {
      etag,
      ...(file.codings.length === 0 ? {} : { vary: "accept-encoding" }),
      "cache-control": file.hashed ? ALWAYS : "no-cache",
      ...(isPage ? documentHeaders(request) : isScript ? scriptHeaders : {})
    }
    if (unchanged(request, etag)) return HttpServerResponse.empty({ status: 304, headers })
    const packed = coding === undefined ? {} : { "content-encoding": coding }
    return HttpServerResponse.uint8Array(body, { contentType: file.type, headers: { ...headers, ...packed } })
  })
}

const texts = {
  en: {
    title: "There is no console here yet",
    why: "This server runs, but its web console has not been built: run npm run build in the directory of claw, then load this page again.",
    docs: "The HTTP API is described at"
  },
  "zh-CN": {
    title: "此处尚无网页控制台",
    why: "服务器正在运行，但网页控制台尚未构建：请在 claw 的目录中运行 npm run build，然后重新加载此页面。",
    docs: "HTTP API 的说明见"
  }
} satisfies Record<WireLocale, object>

const missing = (request: IncomingMessage, locale: WireLocale): Response => {
  const { title, why, docs } = texts[locale]
  const page =
    `<!doctype html><html lang="${locale}"><meta charset="utf-8"><title>claw</title>` +
    `<h1>${title}</h1><p>${why}</p><p>${docs} <a href="/docs">/docs</a></p></html>\n`
  return HttpServerResponse.html(page).pipe(
    HttpServerResponse.setStatus(404),
    HttpServerResponse.setHeaders(documentHeaders(request))
  )
}

const nameIn = (files: ConsoleFiles, request: IncomingMessage, path: string): string | undefined => {
  if (path === "/") return INDEX
  if (files.has(path)) return path
  return wantsPage(request, path) ? INDEX : undefined
}

/** `root`: where the build puts the console; absent: nowhere. */
export const make = (root: string | undefined): ShowPage => {
  const all = root === undefined ? Effect.succeed<ConsoleFiles>(new Map()) : filesIn(root)
  return (request, locale) => {
    if (request.method !== "GET" && request.method !== "HEAD") return Effect.undefined
    const path = pathOf(request.url)
    return Effect.flatMap(all, (files) => {
      const file = files.get(nameIn(files, request, path) ?? "")
      if (file !== undefined) return show(request, file)
      return Effect.succeed(files.size === 0 && wantsPage(request, path) ? missing(request, locale) : undefined)
    })
  }
}
