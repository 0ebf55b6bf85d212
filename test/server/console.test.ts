/** The built console on the server's port (issue 6; R242, SECURITY T24): what is shown where, packed, kept, and allowed to do. */
import { rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { brotliCompressSync, gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { directoryWith, writeFiles } from "../support/directories.ts"
import { answer, turns } from "../support/engineKit.ts"
import { type Asked, layer, serve } from "../support/httpKit.ts"

const quick = () => layer({ script: () => turns(answer("hello")) })
const PAGE = '<!doctype html><script type="module" src="/assets/index-1a2b.js"></script>'
const page = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" }

const files = {
  "console/index.html": PAGE,
  "console/assets/index-1a2b.js": "export const one = 1",
  "console/assets/plain-3c4d.js": "export const two = 2",
  "console/assets/font-5e6f.woff2": "font",
  "console/favicon.svg": "<svg/>",
  "console/.vite/manifest.secret": "not for anybody",
  "outside.js": "secret"
}

const served = Effect.gen(function* () {
  const root = yield* directoryWith(files)
  const built = join(root, "console")
  writeFileSync(join(built, "assets/index-1a2b.js.br"), brotliCompressSync("export const one = 1"))
  writeFileSync(join(built, "assets/index-1a2b.js.gz"), gzipSync("export const one = 1"))
  symlinkSync(join(root, "outside.js"), join(built, "assets/link.js"))
  const http = yield* serve({ console: built })
  const get = (path: string, headers: NonNullable<Asked["headers"]> = {}) => http.ask("GET", path, { headers })
  return { built, http, get }
})

describe("the console", () => {
  it.live("is shown at / and at the addresses of its views, and nowhere below the server's own routes", () =>
    Effect.gen(function* () {
      const { http, get } = yield* served
      for (const path of ["/", "/index.html", "/s/http-channel-session-1", "/s/a.b:c?x=1", "/usage", "/apis"]) {
        const got = yield* get(path, page)
        assert.deepStrictEqual([got.status, got.text], [200, PAGE], path)
        assert.strictEqual(got.headers["content-type"], "text/html; charset=utf-8")
        assert.strictEqual(got.headers["cache-control"], "no-store")
      }
      assert.strictEqual((yield* get("/", { accept: "*/*" })).text, PAGE)
      const none = [
        ["GET", "/s/x", { accept: "application/json" }],
        ["GET", "/s/x", {}],
        ["GET", "/assets/gone-1.js", page],
        ["GET", "/assets/link.js", page],
        ["GET", "/.vite/manifest.secret", {}],
        ["GET", "/assets/../../outside.js", {}],
        ["GET", "/assets/..%2f..%2foutside.js", {}],
        ["GET", "//etc/passwd", {}],
        ["GET", "/api", page],
        ["GET", "/api/nothing", page],
        ["GET", "/ws", page],
        ["GET", "/docs/x", page],
        ["GET", "/metrics/x", page],
        ["POST", "/", page],
        ["DELETE", "/s/x", page]
      ] as const
      for (const [method, path, headers] of none) {
        const got = yield* http.ask(method, path, { headers })
        assert.deepStrictEqual([got.status, got.json.code], [404, "not_found"], `${method} ${path}`)
      }
    }).pipe(Effect.scoped, Effect.provide(quick()))
  )

  it.live("packs what it sends, and is asked once for what never changes", () =>
    Effect.gen(function* () {
      const { http, get } = yield* served
      const script = "/assets/index-1a2b.js"
      const table: ReadonlyArray<readonly [path: string, accepts: string, coding: string | undefined]> = [
        [script, "gzip, deflate, br", "br"],
        [script, "gzip;q=1.0, br;q=0", "gzip"],
        [script, "identity", undefined],
        ["/assets/plain-3c4d.js", "gzip, br", "gzip"],
        ["/assets/font-5e6f.woff2", "gzip, br", undefined]
      ]
      for (const [path, accepts, coding] of table) {
        const got = yield* get(path, { "accept-encoding": accepts })
        const headers = [got.status, got.headers["content-encoding"], got.headers["cache-control"]]
        assert.deepStrictEqual(headers, [200, coding, "public, max-age=31536000, immutable"], `${path} ${accepts}`)
        const { etag = "" } = got.headers
        assert.match(etag, /^"[A-Za-z0-9_-]{27}"$/)
        const again = yield* get(path, { "accept-encoding": accepts, "if-none-match": `W/${etag}` })
        assert.deepStrictEqual([again.status, again.text, again.headers["etag"]], [304, "", etag])
      }
      const plain = yield* get(script)
      assert.deepStrictEqual([plain.text, plain.headers["vary"]], ["export const one = 1", "accept-encoding"])
      assert.strictEqual(plain.headers["content-type"], "text/javascript; charset=utf-8")
      const icon = yield* get("/favicon.svg")
      assert.deepStrictEqual(
        [icon.headers["content-type"], icon.headers["cache-control"]],
        ["image/svg+xml", "no-cache"]
      )
      const head = yield* http.ask("HEAD", script)
      assert.deepStrictEqual([head.status, head.text, head.headers["content-length"]], [200, "", "20"])
      const response = yield* Effect.promise(() => fetch(`${http.origin}/assets/plain-3c4d.js`))
      assert.strictEqual(yield* Effect.promise(() => response.text()), "export const two = 2")
    }).pipe(Effect.scoped, Effect.provide(quick()))
  )

  it.live("may run its own scripts and talk to its own server, and is shown in no other page", () =>
    Effect.gen(function* () {
      const { http, get } = yield* served
      const { headers } = yield* get("/s/x", page)
      const host = http.origin.replace("http://", "")
      assert.strictEqual(
        headers["content-security-policy"],
        "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; " +
          "img-src 'self' data: blob:; font-src 'self'; " +
          `connect-src 'self' ws://${host} wss://${host}; ` +
          "manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
      )
      const told = ["x-content-type-options", "referrer-policy", "cross-origin-opener-policy", "x-frame-options"]
      assert.deepStrictEqual(
        told.map((name) => headers[name]),
        ["nosniff", "no-referrer", "same-origin", "DENY"]
      )
      assert.include(headers["permissions-policy"], "camera=(), geolocation=(), microphone=()")
      const odd = yield* get("/", { host: "[::1]:1; script-src *" })
      assert.include(odd.headers["content-security-policy"], "connect-src 'self'; manifest-src")
      const worker = yield* get("/assets/plain-3c4d.js")
      assert.strictEqual(
        worker.headers["content-security-policy"],
        "default-src 'none'; script-src 'self'; frame-ancestors 'none'"
      )
    }).pipe(Effect.scoped, Effect.provide(quick()))
  )

  it.live("is found when it is built while the server runs, and the page says so where it is not", () =>
    Effect.gen(function* () {
      const root = yield* directoryWith({})
      const built = join(root, "console")
      const http = yield* serve({ console: built })
      const get = (path: string, headers: NonNullable<Asked["headers"]>) => http.ask("GET", path, { headers })
      const none = yield* get("/", page)
      assert.deepStrictEqual([none.status, none.headers["content-type"]], [404, "text/html"])
      assert.include(none.text, "npm run build")
      assert.include(none.text, 'href="/docs"')
      assert.include((yield* get("/s/x", { ...page, "accept-language": "zh-CN" })).text, "尚无网页控制台")
      assert.strictEqual((yield* get("/", {})).json.code, "not_found")
      writeFiles(built, { "index.html": "one", "assets/a-1.js": "a" })
      assert.strictEqual((yield* get("/", page)).text, "one")
      rmSync(join(built, "assets/a-1.js"))
      assert.strictEqual((yield* get("/assets/a-1.js", {})).json.code, "not_found")
      writeFiles(built, { "index.html": "two", "assets/b-2.js": "b" })
      utimesSync(join(built, "index.html"), 1, 1)
      assert.deepStrictEqual([(yield* get("/", page)).text, (yield* get("/assets/b-2.js", {})).text], ["two", "b"])
    }).pipe(Effect.scoped, Effect.provide(quick()))
  )
})
