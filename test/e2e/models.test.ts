/** What a person is told of models: what they cost, who stands in for whom, and through whom they are asked (R113, R119). */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { claw, SIDE_BY_SIDE, world } from "../support/e2eProgram.ts"
import { scripts } from "../support/dialectScripts.ts"
import { refusal } from "../support/fakeModelScript.ts"

const configured = (home: string, config: object) => {
  mkdirSync(join(home, ".config", "claw"), { recursive: true })
  writeFileSync(join(home, ".config", "claw", "config.json"), JSON.stringify(config))
}

const costs = (stdout: string) =>
  stdout
    .split("\n")
    .filter((line) => line.includes('"type":"usage"'))
    .map((line) => (JSON.parse(line) as { usage: { cost_usd?: number } }).usage.cost_usd)

describe("models", SIDE_BY_SIDE, () => {
  it.live("the cost of an answer is told where the price is known, and only there", () =>
    Effect.gen(function* () {
      const { env, home, model, workspace } = yield* world()
      const before = yield* claw(["run", "--json", "hi"], { env, cwd: workspace })
      assert.deepStrictEqual(costs(before.stdout), [undefined])
      // Ten tokens in, five out.
      configured(home, { models: { "fake-*": { context_window_tokens: 65_536, prices: { input: 1, output: 2 } } } })
      const after = yield* claw(["run", "--json", "hi"], { env, cwd: workspace })
      assert.deepStrictEqual(costs(after.stdout), [0.000_02])
      const doctor = yield* claw(["doctor"], { env, cwd: workspace })
      assert.include(
        doctor.stdout,
        "65,536 tokens of context, 8,192 of output; US$ 1 in, 1 cached, 2 out for a million tokens (your configuration)"
      )
      assert.deepStrictEqual(model.violations(), [])
    })
  )

  it.live("a model that keeps failing is replaced, which is said", () =>
    Effect.gen(function* () {
      const { env, model, workspace } = yield* world()
      model.script(refusal(503, "down"), refusal(503, "down"))
      const ended = yield* claw(["run", "--fallback-model", "small", "hi"], {
        env: { ...env, CLAW_RETRY_MAX_ATTEMPTS: "2" },
        cwd: workspace
      })
      assert.deepStrictEqual([ended.code, ended.stdout], [0, "OK\n"])
      assert.include(
        ended.stderr,
        "claw: The model server has a problem. small goes on in its place for the rest of this task.\n"
      )
      const asked = model.requests().map(({ body }) => (JSON.parse(body) as { model: string }).model)
      assert.deepStrictEqual(asked, ["fake-model", "fake-model", "small"])
    })
  )

  it.live("a server elsewhere is asked through the proxy, in the dialect that is set", () =>
    Effect.gen(function* () {
      const { env, model, workspace } = yield* world()
      const [, responses] = scripts
      if (responses !== undefined) model.script(responses.whole({ text: "Through." }))
      const proxied = { ...env, OPENAI_BASE_URL: "http://model.invalid/v1", HTTP_PROXY: new URL(model.base_url).origin }
      const ended = yield* claw(["run", "hi"], { env: { ...proxied, CLAW_API: "responses" }, cwd: workspace })
      assert.deepStrictEqual([ended.code, ended.stdout, ended.stderr], [0, "Through.\n", ""])
      assert.deepStrictEqual(
        model.requests().map(({ path }) => path),
        ["http://model.invalid/v1/responses"]
      )
      const refused = yield* claw(["run", "hi"], {
        env: { ...proxied, HTTP_PROXY: "socks5://127.0.0.1:1" },
        cwd: workspace
      })
      assert.deepStrictEqual(
        [refused.code, refused.stderr],
        [2, "claw: HTTP_PROXY names a socks5 proxy; claw uses http:// and https:// proxies only.\n"]
      )
    })
  )
})
