/** The front end builds into files that a strict policy lets run, small enough; its development server forwards (R250, R258, R309). */
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { socketAddress } from "../../src/console/net/api.ts"
import config from "../../src/console/vite.config.ts"

const built = (name: string) => fileURLToPath(new URL(`../../dist/console/${name}`, import.meta.url))
const page = () => readFileSync(built("index.html"), "utf8")
/** What the first screen waits for. */
const first = () => Array.from(page().matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/g), ([, name = ""]) => name)

describe("the built console", () => {
  it("has a page without a script or a style in it, and names nothing of another server", () => {
    const html = page()
    assert.notMatch(html, /<style|\sstyle=|\son[a-z]+=|<script(?![^>]*\ssrc=)/)
    for (const [, to = ""] of html.matchAll(/(?:src|href)="([^"]+)"/g)) assert.match(to, /^\/[^/]/)
  })

  it("begins with less than 250 kB of script, packed", () => {
    const names = first()
    assert.isAbove(names.length, 1)
    const bytes = names.map((name) => gzipSync(readFileSync(built(name)), { level: 9 }).length)
    assert.isBelow(
      bytes.reduce((sum, size) => sum + size, 0),
      250_000
    )
  })

  it("draws its first screen without what opens a session, and loads no schema at all", () => {
    const names = first()
    assert.isAtMost(names.length, 4)
    const bytes = names.map((name) => gzipSync(readFileSync(built(name)), { level: 9 }).length)
    assert.isBelow(
      bytes.reduce((sum, size) => sum + size, 0),
      110_000
    )
    const all = readdirSync(built("assets")).filter((name) => name.endsWith(".js"))
    assert.deepStrictEqual(
      all.filter((name) => readFileSync(built(`assets/${name}`), "utf8").includes("~effect/")),
      []
    )
  })

  it("names what a file holds in its name, so that it can be kept for ever", () => {
    for (const name of readdirSync(built("assets"))) assert.match(name, /-[\w-]{8}\.(?:js|css)(?:\.(?:br|gz))?$/)
  })
})

describe("while it is worked on", () => {
  it("port 5173 forwards the API and the socket as the server's own page would ask", () => {
    const { port, proxy } = config.server ?? {}
    assert.strictEqual(port, 5173)
    const own = { target: "http://127.0.0.1:8081", changeOrigin: true, headers: { origin: "http://127.0.0.1:8081" } }
    assert.deepStrictEqual(proxy, { "/api": own, "/ws": { ...own, ws: true, rewriteWsOrigin: true } })
  })

  it("the socket is encrypted where the page is", () => {
    assert.strictEqual(socketAddress("http://127.0.0.1:8081"), "ws://127.0.0.1:8081/ws")
    assert.strictEqual(socketAddress("https://claw.example"), "wss://claw.example/ws")
  })
})
