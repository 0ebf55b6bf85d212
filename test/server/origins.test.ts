/** Origin, Host and cookie: who may talk to the server (SETTLED 21, SECURITY T9; attacks W001–W009, W025, W027). */
import { assert, describe, it } from "@effect/vitest"
import {
  allowedCookie,
  allowedHost,
  allowedOrigin,
  isLoopback,
  type Listening,
  ownOrigins
} from "../../src/server/Origins.ts"

const nothing = { allowed_hosts: [], allowed_origins: [], behind_proxy: false }
const local: Listening = { addresses: ["127.0.0.1"], port: 8081, tls: false }

const servers = {
  "on loopback": ownOrigins(local, nothing),
  "with a development page": ownOrigins(local, { ...nothing, allowed_origins: ["http://localhost:5173/"] }),
  "with TLS on every address": ownOrigins(
    { addresses: ["0.0.0.0", "192.0.2.7", "2001:db8::7"], port: 443, tls: true },
    nothing
  ),
  "behind a proxy": ownOrigins(local, { ...nothing, allowed_hosts: ["claw.example"], behind_proxy: true }),
  "with odd settings": ownOrigins(local, {
    ...nothing,
    allowed_origins: ["*", "null", "https://*.example", "vscode-webview://panel", "HTTPS://Console.Example:443"],
    allowed_hosts: ["*", "http://claw.example", ""]
  })
}
type Server = keyof typeof servers

/** The name that is asked for is the page's own, where it is not said. */
const origins: ReadonlyArray<readonly [Server, string | undefined, boolean, host?: string]> = [
  ["on loopback", undefined, true],
  ["on loopback", "http://127.0.0.1:8081", true],
  ["on loopback", "http://localhost:8081", true],
  ["on loopback", "http://[::1]:8081", true],
  // Another program may listen on the other addresses of the same port.
  ["on loopback", "http://localhost:8081", false, "127.0.0.1:8081"],
  ["on loopback", "http://[::1]:8081", false, "127.0.0.1:8081"],
  ["on loopback", "http://127.0.0.1:8081", false, "localhost:8081"],
  ["on loopback", "http://localhost:8081", true, "LOCALHOST:8081"],
  ["on loopback", "https://evil.example", false],
  ["on loopback", "http://localhost.evil.example:5173", false],
  ["on loopback", "http://localhost.evil.example:8081", false],
  ["on loopback", "http://localhost:9999", false],
  ["on loopback", "http://localhost", false],
  ["on loopback", "http://rebind.attacker.example:8081", false],
  ["on loopback", "https://localhost:8081", false],
  ["on loopback", "http://localhost:8081/", false],
  ["on loopback", "http://localhost:8081 http://evil.example", false],
  ["on loopback", "http://user@localhost:8081", false],
  ["on loopback", "null", false],
  ["on loopback", "", false],
  ["on loopback", "*", false],
  ["with a development page", "http://localhost:5173", true],
  ["with a development page", "http://localhost:5173", true, "127.0.0.1:8081"],
  ["with a development page", "http://localhost:5174", false],
  ["with TLS on every address", "https://192.0.2.7", true],
  ["with TLS on every address", "https://[2001:db8::7]", true],
  ["with TLS on every address", "http://192.0.2.7", false],
  ["with TLS on every address", "https://0.0.0.0", false],
  ["behind a proxy", "https://claw.example", true],
  ["behind a proxy", "http://claw.example", false],
  ["behind a proxy", "https://claw.example", true, "127.0.0.1:8081"],
  ["behind a proxy", "http://127.0.0.1:8081", true],
  ["behind a proxy", "http://localhost:8081", false, "127.0.0.1:8081"],
  ["with odd settings", "https://evil.example", false],
  ["with odd settings", "null", false],
  ["with odd settings", "vscode-webview://panel", true],
  ["with odd settings", "https://console.example", true]
]

const hosts: ReadonlyArray<readonly [Server, string | undefined, boolean]> = [
  ["on loopback", "127.0.0.1:8081", true],
  ["on loopback", "LOCALHOST:8081", true],
  ["on loopback", "[::1]:8081", true],
  ["on loopback", undefined, false],
  ["on loopback", "", false],
  ["on loopback", "rebind.attacker.example:8081", false],
  ["on loopback", "localhost", false],
  ["on loopback", "localhost:8080", false],
  ["on loopback", "localhost.:8081", false],
  ["on loopback", "localhost:8081@evil.example", false],
  ["on loopback", "localhost:8081, evil.example", false],
  ["on loopback", "evil.example#localhost:8081", false],
  ["with TLS on every address", "192.0.2.7", true],
  ["with TLS on every address", "192.0.2.7:443", true],
  ["with TLS on every address", "192.0.2.8", false],
  ["behind a proxy", "claw.example", true],
  ["behind a proxy", "claw.example:443", true],
  ["behind a proxy", "claw.example:80", false],
  ["behind a proxy", "127.0.0.1:8081", true],
  ["with odd settings", "*", false],
  ["with odd settings", "claw.example", false]
]

describe("a page's origin", () => {
  for (const [server, origin, expected, asked] of origins) {
    const host = asked ?? origin?.replace(/^[a-z]+:\/\//, "") ?? "127.0.0.1:8081"
    it(`${server}: ${origin ?? "(none)"} is ${expected ? "served" : "refused"} at ${host}`, () => {
      assert.strictEqual(
        allowedOrigin(servers[server], { ...(origin === undefined ? {} : { origin }), host }),
        expected
      )
    })
  }
})

describe("the name a request asks for", () => {
  for (const [server, host, expected] of hosts) {
    it(`${server}: ${host ?? "(none)"} is ${expected ? "served" : "refused"}`, () => {
      assert.strictEqual(allowedHost(servers[server], host), expected)
    })
  }
})

describe("a cookie", () => {
  const own = servers["on loopback"]
  it("counts with an allowed origin, or where the browser says that the page is the server's own", () => {
    assert.isTrue(allowedCookie(own, { origin: "http://127.0.0.1:8081", host: "127.0.0.1:8081" }))
    assert.isTrue(allowedCookie(own, { "sec-fetch-site": "same-origin" }))
  })
  for (const headers of [
    {},
    { "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "none" },
    { origin: "http://localhost:9999", "sec-fetch-site": "same-origin" },
    { origin: "null", "sec-fetch-site": "same-origin" },
    { origin: "http://localhost:8081", host: "127.0.0.1:8081", "sec-fetch-site": "same-site" }
  ]) {
    it(`does not count with ${JSON.stringify(headers)}`, () => {
      assert.isFalse(allowedCookie(own, headers))
    })
  }
})

it("knows what loopback is", () => {
  const yes = ["127.0.0.1", "127.8.9.10", "::1", "[::1]", "localhost", "::ffff:127.0.0.1"]
  const no = ["0.0.0.0", "::", "192.0.2.1", "127.0.0.1.evil.example", "localhost.evil.example", ""]
  assert.deepStrictEqual([...yes, ...no].filter(isLoopback), yes)
})
