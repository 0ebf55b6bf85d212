/** What a decision is about, as the audit tells it: the command or the file, without secrets, of bounded length (T6, T23). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { ApprovalGate } from "../../src/approval/ApprovalGate.ts"
import { layerNobody } from "../../src/approval/Approver.ts"
import * as Gate from "../../src/approval/Gate.ts"
import * as GateSettings from "../../src/approval/GateSettings.ts"
import { layerMemory } from "../../src/approval/MemoryGrants.ts"
import type { RiskAssessment } from "../../src/domain/Approval.ts"
import { maskKnown } from "../../src/observability/Redact.ts"
import { analyse } from "../../src/sandbox/CommandAnalysis.ts"

const about = (assessment: Partial<RiskAssessment>, secrets: ReadonlyArray<string> = []) =>
  Effect.gen(function* () {
    const { shown } = yield* ApprovalGate
    const whole = { risk: "mutating", reason: "", paths: [], opaque: false, ...assessment } as const
    return shown(whole, maskKnown(secrets))
  }).pipe(
    Effect.provide(Gate.layer.pipe(Layer.provide([GateSettings.layer({ workspace: "/ws" }), layerNobody, layerMemory])))
  )

const command = (source: string) => ({ command: analyse(source, { workspace: "/ws" }) })

describe("what a decision is about", () => {
  it.effect("is the command as it was written, or the path within the workspace; of neither, nothing", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* about(command("npm test && ls")), "npm test && ls")
      assert.strictEqual(yield* about({ paths: ["/ws/src/a.ts"] }), "src/a.ts")
      assert.strictEqual(yield* about({ paths: ["/etc/passwd"] }), "/etc/passwd")
      assert.strictEqual(yield* about({}), undefined)
    })
  )

  it.effect("holds no known secret, and no more than 200 characters", () =>
    Effect.gen(function* () {
      const secret = "sk-planted-0123456789"
      assert.notInclude((yield* about(command(`curl -H 'a: ${secret}' x`), [secret])) ?? secret, secret)
      const long = yield* about(command(`echo ${"x".repeat(1_000)}`))
      assert.deepStrictEqual([long?.length, long?.at(-1)], [200, "…"])
    })
  )
})
