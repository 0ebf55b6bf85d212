/** Prompts that have a name, over HTTP: of a trusted workspace and of the person's own (R272; issue 7). */
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Stream } from "effect"
import { promptsIn } from "../../src/app/told.ts"
import { load } from "../../src/config/AppConfig.ts"
import { writeFiles } from "../support/directories.ts"
import { layer, serve } from "../support/httpKit.ts"
import { folder } from "../support/realSession.ts"
import { trusted } from "../support/trust.ts"

const REVIEW = "---\ndescription: Looks twice.\nargument-hint: FILE\n---\nReview $1 with care.\n"

const place = Effect.gen(function* () {
  const [home, workspace] = yield* Effect.all([folder("claw-home-"), folder("claw-ws-")])
  writeFiles(home, { ".config/claw/commands/mine.md": "Mine.\n" })
  writeFiles(workspace, { ".claw/commands/review.md": REVIEW, ".claw/commands/clear.md": "no\n" })
  const state_dir = join(home, "claw")
  const env = { HOME: home, CLAW_MODEL: "m" }
  const config = Result.getOrThrow(load({ workspace: home, env, flags: { state_dir } }))
  return { config, state_dir, workspace }
})

describe("named prompts over HTTP", () => {
  it.live("are the person's own, and a workspace's as soon as it is trusted; they are filled and start nothing", () =>
    Effect.gen(function* () {
      const { config, state_dir, workspace } = yield* place
      const http = yield* serve({ prompts: (path) => promptsIn(config, path) })
      const ask = (method: string, path: string, body?: object, as = "admin") =>
        http.ask(method, path, { as, ...(body === undefined ? {} : { body }) })
      yield* ask("POST", "/api/sessions", { session_id: "s", workspace })
      const list = "/api/sessions/s/prompts"
      const mine = { name: "mine", description: "Mine.", argument: "", of: "user" }
      assert.deepStrictEqual((yield* ask("GET", list)).json, { prompts: [mine] })
      const early = yield* ask("POST", `${list}/review`, { words: "a.ts" })
      assert.deepStrictEqual([early.status, early.json.code], [404, "not_found"])
      yield* trusted(state_dir, workspace)
      const review = { name: "review", description: "Looks twice.", argument: "FILE", of: "project" }
      assert.deepStrictEqual((yield* ask("GET", list, undefined, "viewer")).json, { prompts: [mine, review] })

      const table = [
        ["review", { words: " a.ts b " }, "admin", 200, "Review a.ts with care."],
        ["mine", {}, "admin", 200, "Mine."],
        ["mine", { words: "and this" }, "admin", 200, "Mine.\n\nand this"],
        ["clear", {}, "admin", 404, "not_found"],
        ["mine", { word: "x" }, "admin", 400, "bad_message"],
        ["mine", {}, "viewer", 403, "forbidden"],
        ["mine", {}, "eve", 404, "session_not_found"]
      ] as const
      for (const [name, body, as, status, said] of table) {
        const { json, ...answer } = yield* ask("POST", `${list}/${name}`, body, as)
        assert.deepStrictEqual([answer.status, json.content ?? json.code], [status, said], `${name} ${as}`)
      }
      assert.strictEqual((yield* ask("GET", list, undefined, "eve")).json.code, "session_not_found")
      assert.strictEqual((yield* ask("GET", "/api/sessions/s")).json.counters.tasks, 0)
    }).pipe(Effect.scoped, Effect.provide(layer({ script: () => () => Stream.empty })))
  )
})
