/** Whatever is wrong with a request, its answer is one that the description has, status and media type (R208; issue 3). */
import { request } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { claw, SIDE_BY_SIDE, world } from "../support/e2eProgram.ts"
import { served } from "../support/e2eServer.ts"
import { text } from "../support/fakeModelScript.ts"

interface Operation {
  readonly requestBody?: object
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, object>> }>>
}
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>
type Headers = Readonly<Record<string, string>>

const plain = (type: string | undefined): string | undefined => type?.split(";", 1)[0]

const ask = (origin: string, method: string, path: string, headers: Headers, body?: string) =>
  Effect.callback<{ readonly status: number; readonly type: string | undefined; readonly text: string }>((resume) => {
    const sent = request(`${origin}${path}`, { method, headers, agent: false }, (response) => {
      let all = ""
      response.setEncoding("utf8").on("data", (piece: string) => void (all += piece))
      const type = plain(response.headers["content-type"])
      response.on("end", () => resume(Effect.succeed({ status: response.statusCode ?? 0, type, text: all })))
    })
    sent.on("error", (error) => resume(Effect.die(error)))
    sent.end(body)
  })

const json = { "content-type": "application/json" }
const texts = [
  "{}",
  "[]",
  "{",
  '{"content":"x","when_busy":"no"}',
  '{"decision":"allow_once"}',
  '{"name":"compact"}',
  '{"workspace":"/nonexistent"}',
  '{"session_id":"known"}',
  '{"at":99999}',
  `${'{"a":'.repeat(40)}1${"}".repeat(40)}`,
  `{"content":"${"x".repeat(300_000)}"}`
]

type Fault = readonly [headers: Headers, body?: string | undefined, query?: string]

/** What may be wrong: of any request, and of one with a body. */
const faults = (authorized: Headers, takesBody: boolean): ReadonlyArray<Fault> => [
  [authorized],
  [{}],
  [{ authorization: "Bearer wrong" }],
  [{ authorization: "Basic eA==" }],
  [{ ...authorized, host: "evil.example" }],
  [{ ...authorized, origin: "https://evil.example" }],
  [authorized, undefined, "token=x"],
  [authorized, undefined, "limit=0&after=x&cursor=%ff"],
  [{ ...authorized, "last-event-id": "x" }],
  [{ ...authorized, accept: "image/png" }],
  ...(takesBody ? texts.map((body) => [{ ...authorized, ...json }, body] as const) : []),
  ...(takesBody ? ([[{ ...authorized, "content-type": "text/plain" }, "x"]] as const) : [])
]

describe("claw serve", SIDE_BY_SIDE, () => {
  it.live("answers every wrong request as its description says", () =>
    Effect.gen(function* () {
      const at = yield* world()
      at.model.script(text("ok"))
      const made = yield* claw(["token", "create", "--user", "ann", "--role", "admin", "--json"], {
        env: at.env,
        cwd: at.workspace
      })
      const authorized = { authorization: `Bearer ${(JSON.parse(made.stdout) as { readonly token: string }).token}` }
      const { ready } = yield* served(at, [], { CLAW_LIMIT_BAD_TOKENS_PER_MINUTE: "10000" })
      const { url } = ready.http
      const { paths } = JSON.parse((yield* ask(url, "GET", "/openapi.json", {})).text) as { readonly paths: Paths }
      yield* ask(url, "POST", "/api/sessions", { ...authorized, ...json }, '{"session_id":"known"}')
      const judged = Object.entries(paths).flatMap(([template, operations]) =>
        Object.entries(operations).flatMap(([method, { responses, requestBody }]) => {
          const anyOf = template.includes("{session_id}") && method !== "delete"
          return (anyOf ? ["known", "none", "a%20b", "%ff"] : ["none"]).flatMap((id) =>
            faults(authorized, requestBody !== undefined).map(([headers, body, query]) => {
              const path = template.replace("{session_id}", id).replaceAll(/\{\w+\}/g, "zzz")
              // A good request for the stream has no end.
              const accept = path.endsWith("/events") ? { accept: "application/json" } : {}
              const whole = query === undefined ? path : `${path}?${query}`
              return Effect.map(ask(url, method.toUpperCase(), whole, { ...accept, ...headers }, body), (got) => {
                const types = Object.keys(responses[got.status]?.content ?? {}).map(plain)
                const fits = got.type === undefined ? got.text === "" : types.includes(got.type)
                const { authorization: _, ...shown } = headers
                const told = `${method} ${whole} ${JSON.stringify([shown, body?.slice(0, 50)])}: ${got.status} ${got.type}`
                return got.status in responses && fits ? [] : [told]
              })
            })
          )
        })
      )
      assert.isAbove(judged.length, 400)
      assert.deepStrictEqual((yield* Effect.all(judged, { concurrency: 8 })).flat(), [])
    }).pipe(Effect.scoped)
  )
})
