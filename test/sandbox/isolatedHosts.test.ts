/** A command without network reaches the hosts that a person listed, and nothing else (SECURITY T7; corpus C025). */
import { createServer as createHttpServer } from "node:http"
import { type AddressInfo, connect, createServer, type Server } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Outside } from "../../src/sandbox/bubblewrap/reach.ts"
import { isolatedRunnerOf, oddSleep, processesWith, script } from "../support/processes.ts"

const listening = (server: Server) =>
  Effect.acquireRelease(
    Effect.callback<number>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed((server.address() as AddressInfo).port)))
    }),
    () => Effect.sync(() => void server.close())
  )

/** Everything public is this server. */
const leadingTo = (port: number, addresses: Readonly<Record<string, string>> = {}): Outside => ({
  lookup: async (host) => [{ address: addresses[host] ?? "93.184.215.14", family: 4 }],
  dial: () => connect({ host: "127.0.0.1", port }),
  own: () => new Set()
})

const hosts = ["good.example", "*.wide.example", "inner.example"]

/** Says this to the proxy, and prints what comes back. */
const ask = (...lines: ReadonlyArray<string>): string => {
  const text = `${lines.join("\\r\\n")}\\r\\n\\r\\n`
  return `exec 9<>"/dev/tcp/127.0.0.1/\${http_proxy##*:}"; printf '${text}' >&9; timeout 10 cat <&9`
}
const connectTo = (target: string): string => ask(`CONNECT ${target} HTTP/1.1`, `Host: ${target}`)

describe("listed hosts", () => {
  it.live(
    "are reached by plain requests; what belongs to the connection stays behind, and the host is the one judged",
    () =>
      Effect.gen(function* () {
        const seen: Array<unknown> = []
        const server = createHttpServer((request, answer) => {
          const { host, "proxy-authorization": secret, "x-own": own } = request.headers
          seen.push([request.method, request.url, host, own, secret])
          answer.end("hello from outside")
        })
        const port = yield* listening(server)
        const { run } = yield* isolatedRunnerOf({ settings: { hosts }, outside: leadingTo(port) })
        const { output, visits } = yield* run(
          script(
            ask(
              "GET http://GOOD.example/path?q=1 HTTP/1.1",
              "Host: evil.test",
              "Proxy-Authorization: x",
              "X-Own: 1",
              "Connection: close"
            )
          )
        )
        assert.match(output.text, /^HTTP\/1\.1 200 OK\r\n[^]*hello from outside/)
        assert.deepStrictEqual(seen, [["GET", "/path?q=1", "good.example", "1", undefined]])
        assert.deepStrictEqual(visits, [{ host: "good.example", port: 80, times: 1 }])
      })
  )

  it.live("are reached by CONNECT, whole and in both directions; a half-closed connection ends in order", () =>
    Effect.gen(function* () {
      const server = createServer({ allowHalfOpen: true }, (socket) => void socket.on("error", () => {}).pipe(socket))
      const port = yield* listening(server)
      const { run } = yield* isolatedRunnerOf({ settings: { hosts }, outside: leadingTo(port) })
      const text = `perl -e 'use Socket; $| = 1; socket(my $s, PF_INET, SOCK_STREAM, 0);
        connect($s, pack_sockaddr_in(3128, INADDR_LOOPBACK)) or die; syswrite $s, "CONNECT a.wide.example:443 HTTP/1.1\\r\\n\\r\\n";
        my $head = ""; until ($head =~ /\\r\\n\\r\\n$/) { sysread $s, $head, 1, length $head } print $head =~ /^HTTP.1.1 200/ ? "open " : $head;
        my $sent = join "", map { "$_," } 1 .. 700000;
        if (!fork) { my $at = 0; while ($at < length $sent) { $at += syswrite $s, $sent, 65536, $at } shutdown($s, 1); exit }
        my $got = ""; 1 while sysread $s, $got, 65536, length $got; print $got eq $sent ? "same" : "other " . length $got'`
      assert.strictEqual((yield* run(script(text))).output.text, "open same")
    })
  )

  it.live("are the only ones: what is not listed, or leads inside, is refused by name, and nothing is connected", () =>
    Effect.gen(function* () {
      let connections = 0
      const port = yield* listening(createServer(() => (connections += 1)))
      const outside = leadingTo(port, { "inner.example": "169.254.169.254" })
      const { run } = yield* isolatedRunnerOf({ settings: { hosts }, outside })
      const rows: ReadonlyArray<readonly [string, RegExp]> = [
        [connectTo("evil.test:443"), /403 Forbidden[^]*evil\.test:443 is not listed in isolation\.hosts/],
        [connectTo("good.example:22"), /403 Forbidden[^]*is not listed/],
        [connectTo("inner.example:443"), /403 Forbidden[^]*has an address that is not public/],
        [connectTo(`127.0.0.1:${port}`), /400 Bad Request/],
        [connectTo("[::1]:80"), /400 Bad Request/],
        [ask("GET http://169.254.169.254/latest HTTP/1.1", "Host: x"), /400 Bad Request/],
        [ask("GET http://evil.test/ HTTP/1.1", "Host: good.example"), /403 Forbidden[^]*evil\.test:80 is not listed/],
        [ask("GET https://good.example/ HTTP/1.1", "Host: good.example"), /400 Bad Request/],
        [ask("GET / HTTP/1.1", "Host: good.example"), /400 Bad Request/]
      ]
      for (const [text, said] of rows) assert.match((yield* run(script(text))).output.text, said)
      const { visits } = yield* run(script(`(${connectTo("evil.test:443")}); (${connectTo("inner.example:443")})`))
      assert.deepStrictEqual(visits, [
        { host: "evil.test", port: 443, times: 1, refused: "not_listed" },
        { host: "inner.example", port: 443, times: 1, refused: "private_address" }
      ])
      const direct = yield* run(script(`(exec 9<>/dev/tcp/127.0.0.1/${port}) 2>&1; (exec 9<>/dev/tcp/1.1.1.1/80) 2>&1`))
      assert.match(direct.output.text, /Connection refused[^]*Network is unreachable/)
      assert.strictEqual(connections, 0)
    })
  )

  it.live("an empty list is no network, and with the whole network there is no list (C025)", () =>
    Effect.gen(function* () {
      for (const settings of [{ hosts: [] }, { hosts, network: true }]) {
        const { run } = yield* isolatedRunnerOf({ settings })
        const { output, visits } = yield* run(script("echo ${http_proxy-none}; ls /run/claw-proxy 2>&1"))
        assert.match(output.text, /^none\n.*No such file/)
        assert.isUndefined(visits)
      }
    })
  )

  it.live("do not keep a call alive, nor what it left behind; its end is still the program's own", () =>
    Effect.gen(function* () {
      const { run } = yield* isolatedRunnerOf({ settings: { hosts }, outside: leadingTo(1) })
      const sleep = oddSleep()
      const ended = yield* run(script(`(setsid sleep ${sleep} &) ; exit 7`))
      assert.deepStrictEqual([ended.exit_code, ended.timed_out, processesWith(sleep)], [7, false, []])
      const killed = yield* run(script("kill -9 $$"))
      assert.deepStrictEqual([killed.signal, killed.timed_out], ["SIGKILL", false])
    })
  )

  it.live("whoever ends the way out ends his own: the call goes on without", () =>
    Effect.gen(function* () {
      const { run } = yield* isolatedRunnerOf({ settings: { hosts }, outside: leadingTo(1) })
      const text = `kill -9 2; ${connectTo("good.example:443")} 2>&1; echo alive`
      assert.match((yield* run(script(text))).output.text, /alive\n$/)
    })
  )
})
