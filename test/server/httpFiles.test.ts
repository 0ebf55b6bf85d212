/** What tasks did to the files, over HTTP, with the real tools and the real store (issue 6, R257; issue 5). */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import * as FakeModel from "../support/fakeModel.ts"
import { calls, text } from "../support/fakeModelScript.ts"
import { type Http, type Json, over, serve } from "../support/httpKit.ts"
import { folder, layer, repository } from "../support/realSession.ts"

const as = { as: "admin" }
const write = (content: string, id: string) => ({
  id,
  name: "write_file",
  arguments: JSON.stringify({ path: "a", content })
})

const prompt = Effect.fnUntraced(function* (http: Http, content: string) {
  const events = yield* http.events("/api/sessions/s/events", as)
  const { json } = yield* http.ask("POST", "/api/sessions/s/prompt", { ...as, body: { content } })
  yield* events.until(({ type, task_id }) => type === "task_completed" && task_id === json.task_id)
  return String(json.task_id)
})

const world = Effect.gen(function* () {
  const model = yield* FakeModel.make()
  const workspace = yield* repository({ a: "0\n" })
  const state = yield* folder("claw-state-")
  const flags = { isolation: { mode: "off" as const }, mode: "accept-edits" as const }
  const sessions = layer({ base_url: model.base_url, workspace, state, flags })
  return { model, workspace, sessions, file: join(workspace, "a") }
})

describe("files over HTTP", () => {
  it.live(
    "are shown, taken back and given back task by task, and never while one runs",
    () =>
      Effect.gen(function* () {
        const { model, workspace, sessions, file } = yield* world
        const read = () => readFileSync(file, "utf8")
        for (const n of [1, 2, 3]) model.script(calls([write(`${n}\n`, `c${n}`)]), text("Done."))
        yield* Effect.gen(function* () {
          const http = yield* serve()
          const ask = (method: string, path: string, body?: object, who = as) =>
            http.ask(method, `/api/sessions/s/${path}`, { ...who, ...(body === undefined ? {} : { body }) })
          yield* http.ask("POST", "/api/sessions", { ...as, body: { session_id: "s", workspace } })
          assert.deepStrictEqual((yield* ask("GET", "checkpoints")).json, { checkpoints: [] })
          const none = [yield* ask("GET", "diff"), yield* ask("POST", "undo", {}), yield* ask("POST", "redo", {})]
          for (const { status, json } of none) assert.deepStrictEqual([status, json.code], [409, "nothing_to_restore"])
          const tasks = [yield* prompt(http, "one"), yield* prompt(http, "two"), yield* prompt(http, "three")]
          const states = Effect.map(ask("GET", "checkpoints"), ({ json }) =>
            json.checkpoints.map(({ task_id, title, steps, uncertain, state }: Json) => [
              task_id,
              title,
              steps,
              uncertain,
              state
            ])
          )
          const row = (n: number, state: string) => [tasks[n], ["one", "two", "three"][n], 1, false, state]
          assert.deepStrictEqual(yield* states, [row(0, "done"), row(1, "done"), row(2, "done")])
          const diff = (yield* ask("GET", "diff")).json
          assert.match(diff.text, /^-2\n\+3$/m)
          assert.deepStrictEqual([diff.files, diff.hidden, diff.tasks], [1, 0, 1])
          assert.match((yield* ask("GET", "diff?all=true")).json.text, /^-0\n\+3$/m)
          assert.match((yield* ask("GET", `diff?task=${tasks[0]}`)).json.text, /^-0\n\+1$/m)
          const both = yield* ask("GET", `diff?all=true&task=${tasks[0]}`)
          assert.deepStrictEqual([both.status, both.json.code], [400, "bad_message"])

          const undone = yield* ask("POST", "undo", { to: tasks[1] })
          assert.deepStrictEqual(
            undone.json.restored.map(({ type, direction, restored_task_id, files, kept }: Json) => [
              [type, direction, restored_task_id],
              [files, kept]
            ]),
            [tasks[2], tasks[1]].map((task) => [
              ["files_restored", "undo", task],
              [["a"], []]
            ])
          )
          assert.strictEqual(read(), "1\n")
          assert.deepStrictEqual(yield* states, [row(0, "done"), row(1, "undone"), row(2, "undone")])
          assert.match((yield* ask("GET", `diff?task=${tasks[2]}`)).json.text, /^-2\n\+3$/m)
          assert.strictEqual((yield* ask("POST", "undo", { to: tasks[2] })).json.code, "nothing_to_restore")
          yield* ask("POST", "redo", { to: tasks[2] })
          assert.strictEqual(read(), "3\n")

          const command = (body: object) => ask("POST", "command", body)
          assert.strictEqual((yield* command({ name: "undo", to: tasks[0] })).status, 204)
          assert.strictEqual(read(), "0\n")
          assert.strictEqual((yield* command({ name: "redo", to: tasks[2] })).status, 204)
          assert.strictEqual(read(), "3\n")
          assert.strictEqual((yield* command({ name: "diff" })).json.code, "bad_message")

          writeFileSync(file, "mine\n")
          const kept = (yield* ask("POST", "undo", { to: tasks[0] })).json.restored
          assert.deepStrictEqual(
            kept.map((one: Json) => [one.restored_task_id, one.count, one.kept]),
            [[tasks[2], 0, [{ path: "a", reason: "changed" }]]]
          )
          assert.strictEqual(read(), "mine\n")
          assert.deepStrictEqual(yield* states, [row(0, "done"), row(1, "done"), row(2, "done")])

          const wrong = [
            [yield* ask("POST", "undo", {}, { as: "viewer" }), 403, "forbidden"],
            [yield* ask("POST", "undo", {}, { as: "eve" }), 404, "session_not_found"],
            [yield* ask("GET", "diff", undefined, { as: "eve" }), 404, "session_not_found"],
            [yield* ask("POST", "undo", { too: 1 }), 400, "bad_message"]
          ] as const
          for (const [{ status, json }, code, name] of wrong) assert.deepStrictEqual([status, json.code], [code, name])
          assert.strictEqual((yield* ask("GET", "checkpoints", undefined, { as: "viewer" })).status, 200)

          model.script(calls([{ id: "c9", name: "bash", arguments: JSON.stringify({ command: "touch b" }) }]))
          const events = yield* http.events("/api/sessions/s/events", as)
          yield* ask("POST", "prompt", { content: "ask me" })
          yield* events.until(({ type }) => type === "approval_request")
          for (const body of [{}, { to: tasks[0] }]) {
            const busy = yield* ask("POST", "undo", body)
            assert.deepStrictEqual([busy.status, busy.json.code], [409, "session_busy"])
          }
          yield* ask("POST", "interrupt", {})
        }).pipe(Effect.scoped, Effect.provide(over(sessions)), Effect.provide(Logger.layer([])))
      }).pipe(Effect.scoped),
    60_000
  )
})
