/** HTTP by programs that know HTTP and nothing of us: autocannon, promtool, a Prometheus that scrapes (R264–R269). */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { demo, outside, OUTSIDE, outsideRun, type Served } from "../support/servedProgram.ts"

const AUTOCANNON = fileURLToPath(new URL("../../node_modules/autocannon/autocannon.js", import.meta.url))

const at = ({ http }: Served, path: string): string => `http://${http.host}:${http.port}${path}`

const get = (server: Served, path: string) =>
  Effect.promise(async () => {
    const answer = await fetch(at(server, path))
    return { status: answer.status, text: await answer.text() }
  })

interface Cannon {
  readonly errors: number
  readonly timeouts: number
  readonly non2xx: number
  readonly "2xx": number
}

const cannon = Effect.fnUntraced(function* (url: string) {
  const ended = yield* outsideRun(process.execPath, [AUTOCANNON, "-j", "-c", "20", "-a", "2000", url])
  assert.strictEqual(ended.code, 0, ended.stderr)
  const { errors, timeouts, non2xx, ...rest } = JSON.parse(ended.stdout) as Cannon
  return { errors, timeouts, non2xx, answered: rest["2xx"] }
})

describe("autocannon", OUTSIDE, () => {
  it.live("two thousand requests on twenty connections, none of them in error", () =>
    Effect.gen(function* () {
      const server = yield* demo()
      const good = { errors: 0, timeouts: 0, non2xx: 0, answered: 2000 }
      assert.deepStrictEqual(yield* cannon(at(server, "/healthz")), good)
      assert.deepStrictEqual(yield* cannon(at(server, "/api/sessions")), good)
    })
  )
})

const directory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "claw-prometheus-"))),
  (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
)

/** Prometheus takes no port 0: one that was free a moment ago. */
const freePort = Effect.callback<number>((resume) => {
  const probe = createServer().listen(0, "127.0.0.1", () => {
    const { port } = probe.address() as AddressInfo
    probe.close(() => resume(Effect.succeed(port)))
  })
})

/** One task, so that there is something to count. */
const oneTask = (server: Served) =>
  outsideRun("nc", ["-N", server.tcp.host, String(server.tcp.port)], '{"type":"prompt","content":"hello"}\n')

interface Answer {
  readonly data: { readonly result: ReadonlyArray<{ readonly value: readonly [number, string] }> }
}

describe("Prometheus", OUTSIDE, () => {
  it.live("promtool finds nothing to complain of in /metrics", () =>
    Effect.gen(function* () {
      const server = yield* demo()
      yield* oneTask(server)
      const page = yield* get(server, "/metrics")
      assert.strictEqual(page.status, 200)
      const { code, stdout, stderr } = yield* outsideRun("promtool", ["check", "metrics"], page.text)
      assert.deepStrictEqual({ code, stdout, stderr }, { code: 0, stdout: "", stderr: "" })
    })
  )

  it.live("a server scrapes it and answers a query", () =>
    Effect.gen(function* () {
      const [server, made, port] = [yield* demo(), yield* directory, yield* freePort]
      yield* oneTask(server)
      const config = join(made, "prometheus.yml")
      const target = `${server.http.host}:${server.http.port}`
      writeFileSync(
        config,
        `scrape_configs:\n  - job_name: claw\n    scrape_interval: 1s\n    static_configs:\n      - targets: ["${target}"]\n`
      )
      const where = [`--web.listen-address=127.0.0.1:${port}`, `--storage.tsdb.path=${join(made, "data")}`]
      yield* outside("prometheus", `--config.file=${config}`, ...where)
      const query = async (): Promise<string | undefined> => {
        const answer = await fetch(
          `http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent('up{job="claw"}')}`
        )
        return ((await answer.json()) as Answer).data.result[0]?.value[1]
      }
      const up = yield* Effect.tryPromise(query).pipe(
        Effect.flatMap((value) => (value === "1" ? Effect.succeed(value) : Effect.fail(value))),
        Effect.retry(Schedule.spaced("200 millis")),
        Effect.timeout("60 seconds")
      )
      assert.strictEqual(up, "1")
    })
  )
})
