/** What the doctor says of isolation's exceptions: those in force, and those that name nothing (R274). */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { exceptions } from "../../src/app/doctor.ts"
import { AppConfig, layerWith } from "../../src/config/AppConfig.ts"
import type { ConfigFile } from "../../src/config/Settings.ts"
import { directoryWith } from "../support/directories.ts"

const told = (isolation: NonNullable<ConfigFile["isolation"]>) =>
  Effect.map(Effect.provide(AppConfig, layerWith({ isolation })), (config) =>
    exceptions(config).map(({ status, detail }) => `${status}: ${detail}`)
  )

it.effect("names what is open by the person's own word, and what is not there", () =>
  Effect.gen(function* () {
    const there = yield* directoryWith()
    assert.deepStrictEqual(yield* told({}), [])
    assert.deepStrictEqual(yield* told({ network: true, write: [there, "/nowhere/cache"] }), [
      `note: commands also have: network, writes ${there}`,
      "problem: isolation.write or .read names /nowhere/cache, which is not there: make it, or mend it"
    ])
    assert.deepStrictEqual(yield* told({ mode: "off", write: ["/nowhere/cache"] }), [])
  })
)
