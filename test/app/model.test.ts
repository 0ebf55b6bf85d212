/** A setting that is wrong is named as it was given: who reads of it looks there. */
import { assert, describe, it } from "@effect/vitest"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Result } from "effect"
import { choose } from "../../src/app/model.ts"
import { type ConfigInput, load } from "../../src/config/AppConfig.ts"

const home = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "claw-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

const complaint = (input: ConfigInput): string => {
  const chosen = choose(Result.getOrThrow(load(input)))
  return Result.isFailure(chosen) ? chosen.failure.detail : "chosen"
}

describe("a provider that there is not", () => {
  it.effect("is told by the flag, the variable or the file that named it", () =>
    Effect.gen(function* () {
      const HOME = yield* home
      const env = { HOME, XDG_CONFIG_HOME: join(HOME, "config") }
      const { files } = Result.getOrThrow(load({ workspace: HOME, env }))
      mkdirSync(join(files.user, ".."), { recursive: true })
      writeFileSync(files.user, '{"provider":"filed"}')
      const tail = "which is no provider. Known: openai,"
      const inFile = complaint({ workspace: HOME, env })
      assert.include(inFile, `"provider" in ${files.user} is "filed", ${tail}`)
      const variable = { ...env, CLAW_PROVIDER: "varied" }
      assert.include(complaint({ workspace: HOME, env: variable }), `CLAW_PROVIDER is "varied", ${tail}`)
      const flags = { provider: "nonsense" }
      assert.include(complaint({ workspace: HOME, env: variable, flags }), `--provider is "nonsense", ${tail}`)
    }).pipe(Effect.scoped)
  )

  it.effect("and one that there is, is told likewise", () =>
    Effect.sync(() => {
      const env = { HOME: "/nonexistent", OPENAI_BASE_URL: "http://127.0.0.1:1/v1", CLAW_MODEL: "m" }
      const sourceOf = (input: ConfigInput) => {
        const choice = Result.getOrThrow(choose(Result.getOrThrow(load({ workspace: "/nonexistent", ...input }))))
        return choice.kind === "openai" ? choice.source : ""
      }
      assert.strictEqual(sourceOf({ env }), "OPENAI_BASE_URL")
      assert.strictEqual(sourceOf({ env, flags: { provider: "ollama" } }), "--provider")
      assert.strictEqual(sourceOf({ env: { ...env, CLAW_PROVIDER: "ollama" } }), "CLAW_PROVIDER")
      assert.strictEqual(sourceOf({ env, flags: { base_url: "http://127.0.0.1:2/v1" } }), "--base-url")
    })
  )
})
