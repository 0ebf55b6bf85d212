/** Who decides a setting: flags, then environment, then the user's file, then defaults (DESIGN §9). */
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as AppConfig from "../../src/config/AppConfig.ts"
import { type ConfigFile, defaults } from "../../src/config/Settings.ts"
import { directoryWith } from "../support/directories.ts"
import { trusted } from "../support/trust.ts"

interface Case {
  readonly flags?: ConfigFile
  readonly env?: Readonly<Record<string, string>>
  readonly user?: ConfigFile
  readonly workspace?: ConfigFile
}

const resolved = Effect.fnUntraced(function* ({ flags = {}, env = {}, user = {}, workspace = {} }: Case) {
  const root = yield* directoryWith({
    "home/.config/claw/config.json": JSON.stringify(user),
    "project/.claw/config.json": JSON.stringify(workspace)
  })
  const input = { workspace: join(root, "project"), flags, env: { HOME: join(root, "home"), ...env } }
  yield* trusted(join(root, "home/.local/state/claw"), join(root, "project"))
  return yield* AppConfig.AppConfig.pipe(Effect.provide(AppConfig.layer(input)))
})

describe("precedence", () => {
  it.effect("flags beat environment beats user file beats default", () =>
    Effect.gen(function* () {
      const user: ConfigFile = { model: "of-file", limits: { max_turns: 7 } }
      const env = { CLAW_MODEL: "of-environment" }
      const flags: ConfigFile = { model: "of-flag" }
      const models = yield* Effect.all([
        resolved({}),
        resolved({ user }),
        resolved({ user, env }),
        resolved({ user, env, flags })
      ])
      assert.deepStrictEqual(
        models.map((config) => [config.model, config.sources.get("model"), config.limits.max_turns]),
        [
          [undefined, undefined, defaults.limits.max_turns],
          ["of-file", "user file", 7],
          ["of-environment", "environment", 7],
          ["of-flag", "flag", 7]
        ]
      )
    })
  )

  it.effect("one key of a section leaves its other keys alone (R237)", () =>
    Effect.gen(function* () {
      const config = yield* resolved({ user: { deadlines: { connect_ms: 5 } }, env: { CLAW_DEADLINES_IDLE_MS: "9" } })
      assert.deepStrictEqual(config.deadlines, { ...defaults.deadlines, connect_ms: 5, idle_ms: 9 })
      assert.strictEqual(config.sources.get("deadlines.idle_ms"), "environment")
      assert.deepStrictEqual([config.chosen("deadlines"), config.chosen("retry")], [{ connect_ms: 5, idle_ms: 9 }, {}])
    })
  )

  it.effect("a person's flag beats a workspace, a workspace beats a person's file only by being stricter", () =>
    Effect.gen(function* () {
      const workspace: ConfigFile = { mode: "plan" }
      const narrowed = yield* resolved({ workspace, user: { mode: "accept-edits" } })
      const overruled = yield* resolved({ workspace, flags: { mode: "bypass" } })
      assert.deepStrictEqual([narrowed.mode, overruled.mode], ["plan", "bypass"])
    })
  )

  it.effect("OPENAI_BASE_URL counts for the openai profile and for no other", () =>
    Effect.gen(function* () {
      const env = { OPENAI_BASE_URL: "http://127.0.0.1:1/v1" }
      const configs = yield* Effect.all([
        resolved({ env }),
        resolved({ env, user: { provider: "openai" } }),
        resolved({ env, user: { provider: "zhipu" } }),
        resolved({ env: { ...env, CLAW_BASE_URL: "http://127.0.0.1:2/v1" } }),
        resolved({ env: { ...env, CLAW_PROVIDER: "zhipu" }, flags: { provider: "openai" } })
      ])
      assert.deepStrictEqual(
        configs.map((config) => config.base_url),
        ["http://127.0.0.1:1/v1", "http://127.0.0.1:1/v1", undefined, "http://127.0.0.1:2/v1", "http://127.0.0.1:1/v1"]
      )
    })
  )

  it.effect("language, colours, log and directories come from their usual variables", () =>
    Effect.gen(function* () {
      const config = yield* resolved({
        env: {
          LANG: "zh_CN.UTF-8",
          NO_COLOR: "1",
          CLAW_LOG: "debug:stderr",
          XDG_STATE_HOME: "/var/state",
          TERM: "dumb"
        }
      })
      assert.deepStrictEqual(
        [config.locale, config.no_color, config.log, config.state_dir, config.term],
        ["zh-CN", true, { level: "debug", to: "stderr" }, "/var/state/claw", "dumb"]
      )
      const other = yield* resolved({
        env: { LC_ALL: "C", LANG: "zh_CN.UTF-8", NO_COLOR: "", XDG_STATE_HOME: "relative", HOME: "/home/a" }
      })
      assert.deepStrictEqual(
        [other.locale, other.no_color, other.state_dir],
        ["en", false, "/home/a/.local/state/claw"]
      )
      const chosen = yield* resolved({ env: { CLAW_LANG: "zh", LC_ALL: "en_US.UTF-8" } })
      assert.strictEqual(chosen.locale, "zh-CN")
    })
  )

  it.effect("a key is found by its profile's variable, trimmed, and prints as nothing", () =>
    Effect.gen(function* () {
      const config = yield* resolved({ env: { ZHIPU_API_KEY: " zk-123456789\n", OPENAI_API_KEY: "  " } })
      const key = config.apiKey("ZHIPU_API_KEY")
      assert.strictEqual(key === undefined ? undefined : Redacted.value(key), "zk-123456789")
      assert.strictEqual(JSON.stringify({ key }), `{"key":"<redacted:ZHIPU_API_KEY>"}`)
      assert.strictEqual(config.apiKey("OPENAI_API_KEY"), undefined)
    })
  )
})

describe("isolation", () => {
  it.effect("has a variable for each key, and CLAW_ALLOW_UNSAFE is in no file", () =>
    Effect.gen(function* () {
      const env = {
        CLAW_ISOLATION: "required",
        CLAW_ISOLATION_NETWORK: "yes",
        CLAW_ISOLATION_HOSTS: "example.com,*.example.org:8443",
        CLAW_ISOLATION_READ: "/a",
        CLAW_ISOLATION_WRITE: "/b,/c/d",
        CLAW_ISOLATION_PROCESSES: "99",
        CLAW_ISOLATION_MEMORY_MB: "0",
        CLAW_ISOLATION_FILE_MB: "7",
        CLAW_ALLOW_UNSAFE: "1"
      }
      const [config, plain] = [yield* resolved({ env }), yield* resolved({})]
      assert.deepStrictEqual(config.isolation, {
        mode: "required",
        network: true,
        hosts: ["example.com", "*.example.org:8443"],
        read: ["/a"],
        write: ["/b", "/c/d"],
        processes: 99,
        memory_mb: 0,
        file_mb: 7
      })
      assert.deepStrictEqual([config.allowUnsafe, plain.allowUnsafe, config.warnings], [true, false, []])
      for (const host of [
        "127.0.0.1",
        "localhost",
        "*",
        "*.",
        "http://example.com",
        "example.com:0",
        "a.*.com",
        "[::1]"
      ]) {
        const wrong = yield* Effect.flip(resolved({ env: { CLAW_ISOLATION_HOSTS: host } }))
        assert.include(wrong.message, "must be the name of a host", host)
      }
      const relative = yield* Effect.flip(resolved({ env: { CLAW_ISOLATION_WRITE: "here" } }))
      assert.include(relative.message, "absolute path")
      assert.include(
        (yield* Effect.flip(resolved({ user: { isolation: { write: ["/"] } } }))).message,
        "below the root"
      )
    })
  )
})
