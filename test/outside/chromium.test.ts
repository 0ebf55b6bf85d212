/** A real browser: pages of this server may connect, pages of others may neither connect nor read (SETTLED 21, R225). */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { browser } from "../support/browser.ts"
import { demo, OUTSIDE, served } from "../support/servedProgram.ts"

const newPage = Effect.gen(function* () {
  const chromium = yield* browser
  // Its own pages forbid scripts of others; what is asked here is what the server itself lets in.
  return yield* Effect.promise(() => chromium.newPage({ bypassCSP: true }))
})

/** A page of somebody else, on an origin of its own. */
const elsewhere = Effect.map(
  Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const server = createServer((_request, response) => response.setHeader("content-type", "text/html").end("<p>hi"))
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  ),
  (server) => (server.address() as AddressInfo).port
)

/** What the page gets: `pong`, or how it ended. */
const tryFrom = (page: Page, from: string, url: string, hello: object | null = null) =>
  Effect.promise(async () => {
    await page.goto(from)
    return page.evaluate(
      ([to, first]) =>
        new Promise<string>((done) => {
          const socket = new WebSocket(to)
          socket.addEventListener("open", () => {
            if (first !== null) socket.send(JSON.stringify(first))
            socket.send(JSON.stringify({ type: "ping" }))
          })
          socket.addEventListener("message", ({ data }) => {
            const { type } = JSON.parse(String(data)) as { readonly type: string }
            if (type === "pong" || type === "error") done(type)
          })
          socket.addEventListener("error", () => done("refused"))
          socket.addEventListener("close", ({ code }) => done(`closed ${code}`))
        }),
      [url, hello] as const
    )
  })

const fetchFrom = (page: Page, url: string) =>
  Effect.promise(() =>
    page.evaluate(
      (to) =>
        fetch(to, { credentials: "include" }).then(
          ({ status }) => `read ${status}`,
          () => "not read"
        ),
      url
    )
  )

const signInFrom = (page: Page, from: string, token: string) =>
  Effect.promise(async () => {
    await page.goto(from)
    return page.evaluate(async (secret) => {
      const body = JSON.stringify({ token: secret })
      const { status } = await fetch("/api/login", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body
      })
      // What a script of the page can see of it.
      const { cookie } = (globalThis as unknown as { readonly document: { readonly cookie: string } }).document
      return cookie === "" ? String(status) : cookie
    }, token)
  })

describe("Chromium", OUTSIDE, () => {
  it.live("a page of the server's own origin is served; one of another port, or another name for it, is refused", () =>
    Effect.gen(function* () {
      const [server, port, page] = [yield* demo(), yield* elsewhere, yield* newPage]
      const own = `http://${server.http.host}:${server.http.port}`
      const ws = `ws://${server.http.host}:${server.http.port}/ws`
      assert.strictEqual(yield* tryFrom(page, `${own}/healthz`, ws), "pong")
      assert.strictEqual(yield* tryFrom(page, `http://127.0.0.1:${port}/`, ws), "refused")
      assert.strictEqual(yield* fetchFrom(page, `${own}/api/sessions`), "not read")
      assert.strictEqual(yield* tryFrom(page, `http://localhost:${port}/`, ws), "refused")
      assert.strictEqual(yield* tryFrom(page, "data:text/html,hi", ws), "refused")
    })
  )

  it.live("with a start token the own page needs it, and the token does not help another page", () =>
    Effect.gen(function* () {
      const server = yield* served({ args: ["--provider", "demo"] })
      const [port, page] = [yield* elsewhere, yield* newPage]
      const own = `http://${server.http.host}:${server.http.port}`
      const ws = `ws://${server.http.host}:${server.http.port}/ws`
      const hello = { type: "hello", token: server.ready.token }
      assert.isString(server.ready.token)
      const ownPage = `${own}/healthz`
      assert.strictEqual(yield* tryFrom(page, ownPage, ws, hello), "pong")
      assert.notStrictEqual(yield* tryFrom(page, ownPage, ws), "pong")
      assert.strictEqual(yield* tryFrom(page, `http://127.0.0.1:${port}/`, ws, hello), "refused")
      // What the console does with the printed address: the token becomes a cookie that no script sees.
      assert.strictEqual(yield* signInFrom(page, ownPage, String(server.ready.token)), "204")
      assert.strictEqual(yield* fetchFrom(page, `${own}/api/me`), "read 200")
      assert.strictEqual(yield* tryFrom(page, ownPage, ws), "pong")
      assert.strictEqual(yield* signInFrom(page, ownPage, String(server.ready.token)), "401")
      assert.strictEqual(yield* tryFrom(page, `http://127.0.0.1:${port}/`, ws), "refused")
    })
  )
})
