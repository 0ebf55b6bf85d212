/** What `claw serve` says of the token that lets a person in, or of why there is none (SETTLED 21). */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { banner } from "../../src/app/serve.ts"
import { AppConfig, layerWith } from "../../src/config/AppConfig.ts"
import type { ConfigFile } from "../../src/config/Settings.ts"

const said = (token: string | undefined, settings: ConfigFile = {}) =>
  Effect.map(Effect.provide(AppConfig, layerWith(settings)), (config) =>
    banner({ tcp: { host: "127.0.0.1", port: 1 }, url: "http://127.0.0.1:2", token }, config, "m")
  )

it.effect("the start token, or that API tokens are in its place and how to get one", () =>
  Effect.gen(function* () {
    assert.include(yield* said("claw_x"), "\nconsole    http://127.0.0.1:2/#token=claw_x\n")
    const none = yield* said(undefined)
    assert.include(none, "\nconsole    http://127.0.0.1:2/\n")
    assert.include(none, "\ntoken      API tokens exist, so there is none for this start: use one of them, or")
    assert.include(none, "\n           claw token create --user local\n")
    assert.notInclude(yield* said(undefined, { server: { auth: false } }), "claw token create")
    assert.notInclude(yield* said(undefined, { server: { host: "0.0.0.0" } }), "claw token create")
  })
)
