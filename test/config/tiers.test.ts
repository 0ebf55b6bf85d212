/**
 * Tiers of policy: operator, user, workspace (SECURITY P1, P13; R138, R139). What a lower tier says is added and takes
 * nothing away; the operator's mode and limits bound everybody's; a workspace counts only once it is trusted.
 */
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import * as AppConfig from "../../src/config/AppConfig.ts"
import { type ConfigFile, modes } from "../../src/config/Settings.ts"
import { directoryWith } from "../support/directories.ts"
import { trusted } from "../support/trust.ts"

interface Case {
  readonly operator?: ConfigFile
  readonly named?: ConfigFile
  readonly user?: ConfigFile
  readonly workspace?: ConfigFile
  readonly settings?: ConfigFile
  readonly flags?: ConfigFile
  readonly trust?: boolean
}

const loaded = Effect.fnUntraced(function* ({
  operator,
  named,
  user,
  workspace,
  settings,
  flags = {},
  trust = true
}: Case) {
  const files = {
    "operator.json": operator,
    "named.json": named,
    "home/.config/claw/config.json": user,
    "ws/.claw/config.json": workspace,
    "ws/.claw/settings.json": settings
  }
  const present = Object.entries(files).flatMap(([path, file]) =>
    file === undefined ? [] : [[path, JSON.stringify(file)]]
  )
  const root = yield* directoryWith({
    "ws/x": "",
    "home/x": "",
    ...(Object.fromEntries(present) as Record<string, string>)
  })
  const state = join(root, "state")
  if (trust) yield* trusted(state, join(root, "ws"))
  return AppConfig.load({
    workspace: join(root, "ws"),
    flags,
    operator: join(root, "operator.json"),
    env: {
      HOME: join(root, "home"),
      CLAW_STATE_DIR: state,
      ...(named === undefined ? {} : { CLAW_OPERATOR_CONFIG: join(root, "named.json") })
    }
  })
})

const config = (one: Case) => Effect.map(loaded(one), Result.getOrThrow)

const git = { argv: ["git", "push"] as const }

describe("rules", () => {
  it.effect("of every tier are in force together, the operator's first; nobody's replace another's", () =>
    Effect.gen(function* () {
      const { rules } = yield* config({
        operator: { rules: { deny: [{ argv: ["curl"] }] } },
        named: { rules: { deny: [{ argv: ["wget"] }] } },
        user: { rules: { deny: [], allow: [{ argv: ["curl"] }], ask: [git] } },
        workspace: { rules: { deny: [git] } },
        settings: { rules: { ask: [{ path: "infra/**" }] } }
      })
      assert.deepStrictEqual(
        (["deny", "ask", "allow"] as const).map((action) =>
          rules[action].map(({ argv, path, tier, key }) => [tier, key, argv ?? path])
        ),
        [
          [
            ["operator", "rules.deny[0]", ["curl"]],
            ["operator", "rules.deny[0]", ["wget"]],
            ["workspace", "rules.deny[0]", ["git", "push"]]
          ],
          [
            ["user", "rules.ask[0]", ["git", "push"]],
            ["workspace", "rules.ask[0]", "infra/**"]
          ],
          [["user", "rules.allow[0]", ["curl"]]]
        ]
      )
    })
  )

  it.effect("an allow of a workspace is refused and said, in either of its files", () =>
    Effect.gen(function* () {
      for (const name of ["workspace", "settings"] as const) {
        const found = yield* loaded({ [name]: { rules: { allow: [git] } } })
        assert.deepStrictEqual(Result.isFailure(found) ? [found.failure.code, found.failure.key] : "loaded", [
          "bad_config",
          "rules.allow"
        ])
      }
    })
  )

  it.effect("before trust nothing of the workspace counts, not even what is wrong in it", () =>
    Effect.gen(function* () {
      const found = yield* config({ trust: false, workspace: { mode: "plan" }, settings: { rules: { allow: [git] } } })
      assert.deepStrictEqual([found.mode, found.rules.allow, found.trust.status], ["ask", [], "unknown"])
    })
  )
})

describe("operator", () => {
  it.effect("its mode bounds file, workspace and flag alike, for every pair", () =>
    Effect.gen(function* () {
      for (const ceiling of modes)
        for (const mode of modes) {
          const found = yield* config({ operator: { mode: ceiling }, flags: { mode } })
          const laxer = modes.indexOf(mode) < modes.indexOf(ceiling)
          assert.deepStrictEqual(
            [found.mode, found.mode_ceiling, found.warnings],
            [
              laxer ? ceiling : mode,
              ceiling,
              laxer ? [`mode ${mode} is looser than the operator permits, and ignored`] : []
            ]
          )
        }
    })
  )

  it.effect("its other keys are defaults, its smaller limits hold against everybody", () =>
    Effect.gen(function* () {
      const operator: ConfigFile = {
        model: "theirs",
        provider: "demo",
        limits: { max_turns: 9, approval_timeout_ms: 5000 }
      }
      const found = yield* config({
        operator,
        user: { model: "mine", limits: { max_turns: 50, approval_timeout_ms: 9000 } }
      })
      assert.deepStrictEqual(
        [found.model, found.provider, found.limits.max_turns, found.limits.approval_timeout_ms, found.warnings],
        ["mine", "demo", 9, 9000, ["limits.max_turns 50 is looser than the operator permits, and ignored"]]
      )
    })
  )

  it.effect("a longer grant that a workspace asks for is ignored and said; a shorter one holds", () =>
    Effect.gen(function* () {
      const longer = yield* config({ workspace: { limits: { grant_ttl_ms: 86_400_000 } } })
      const shorter = yield* config({ workspace: { limits: { grant_ttl_ms: 60_000 } } })
      assert.deepStrictEqual([longer.limits.grant_ttl_ms, shorter.limits.grant_ttl_ms], [28_800_000, 60_000])
      assert.match(longer.warnings[0] ?? "", /grant_ttl_ms 86400000 is looser than what you set, and ignored$/)
    })
  )

  it.effect.each(["{", '{"rules":{"deny":[{"pattern":"x"}]}}', '{"mode":"yes"}', "\u0000"])(
    "a corrupt file %j stops claw: nothing laxer takes its place",
    (text) =>
      Effect.gen(function* () {
        const root = yield* directoryWith({ "operator.json": text })
        const found = AppConfig.load({ workspace: root, env: { HOME: root }, operator: join(root, "operator.json") })
        assert.strictEqual(Result.isFailure(found) ? found.failure.code : "loaded", "bad_config")
      })
  )

  it.effect("the file that the variable names must be there, and never replaces the fixed one", () =>
    Effect.gen(function* () {
      const root = yield* directoryWith({ "operator.json": JSON.stringify({ rules: { deny: [git] } }) })
      const operator = join(root, "operator.json")
      const missing = AppConfig.load({
        workspace: root,
        env: { HOME: root, CLAW_OPERATOR_CONFIG: join(root, "no.json") },
        operator
      })
      const empty = AppConfig.load({
        workspace: root,
        env: { HOME: root, CLAW_OPERATOR_CONFIG: "/dev/null" },
        operator
      })
      assert.deepStrictEqual(
        [missing, empty].map((one) => (Result.isFailure(one) ? one.failure.code : "loaded")),
        ["bad_config", "bad_config"]
      )
    })
  )
})
