/** Sessions that a start brought back leave memory again when they have nothing to do (R175, R240). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Attachments from "../../src/channel/Attachments.ts"
import { layerWith } from "../../src/config/AppConfig.ts"
import type { SessionId } from "../../src/domain/Ids.ts"
import { localOwner } from "../../src/domain/Principal.ts"
import { RuntimeManager } from "../../src/runtime/RuntimeManager.ts"
import { layerMemory } from "../../src/store/memory/MemoryStore.ts"
import { answer, call } from "../support/engineKit.ts"
import { begin, stored } from "../support/restarts.ts"
import { byHistory, type RuntimeKitOptions } from "../support/runtimeKit.ts"
import { endless, held } from "../support/streams.ts"
import { probe } from "../support/tools.ts"

const ids = ["s1" as SessionId, "s2" as SessionId]

describe("sessions that go on at the start", () => {
  it.live("are given up once their work has ended, however many one person may have", () => {
    const { tool, log } = probe({ risk: "mutating" })
    const more = held("", "done")
    const before: RuntimeKitOptions = { script: () => () => endless("a"), tools: [tool] }
    const script = () => byHistory(answer("", [call("c1", "probe", { n: 1 })]), more.stream)
    return Effect.gen(function* () {
      const first = yield* begin(before)
      for (const id of ids) {
        const session = yield* first.manager.create(id, { workspace: "/" })
        yield* session.prompt({ content: "go" })
      }
      yield* first.leave(0)
      const { manager } = yield* begin({ ...before, script })
      const settings = layerWith({ limit: { sessions_per_principal: 1 } }, { workspace: "/" })
      const layer = Attachments.layer.pipe(Layer.provide([Layer.succeed(RuntimeManager, manager), settings]))
      const attachments = yield* Effect.provideContext(Attachments.Attachments, yield* Layer.build(layer))
      assert.strictEqual(yield* manager.resumeAll(attachments.accompany), 2)
      assert.deepStrictEqual([yield* manager.count, attachments.count(localOwner, ids[0]!)], [2, 0])
      for (const id of ids) {
        const { status, answer: reply } = yield* manager.get(id)
        const asked = yield* Effect.repeat(Effect.delay(status, 1), {
          until: ({ pending_approvals }) => pending_approvals.length > 0
        })
        yield* reply({ request_id: asked.pending_approvals[0]!.request_id, decision: "allow_once" })
      }
      yield* more.go
      yield* Effect.repeat(Effect.delay(manager.count, 1), { until: (left) => left === 0 })
      for (const id of ids) assert.strictEqual((yield* stored(id)).at(-1)?.type, "task_completed")
      assert.strictEqual(log.length, 4)
    }).pipe(Effect.scoped, Effect.provide(layerMemory))
  })

  it.live.each([
    ["cancel", "task_canceled"],
    ["detach", "task_canceled"],
    ["run_on", "task_completed"]
  ] as const)("are left by their first client as any other, who goes as %s (SETTLED 2)", ([how, end]) => {
    const [id] = ids
    const more = held("", "done")
    const before: RuntimeKitOptions = { script: () => () => endless("a") }
    return Effect.gen(function* () {
      const first = yield* begin(before)
      const session = yield* first.manager.create(id!, { workspace: "/" })
      yield* session.prompt({ content: "go" })
      yield* first.leave(0)
      const { manager } = yield* begin({ script: () => byHistory(more.stream) })
      const settings = layerWith({ limit: { detach_ms: 20 } }, { workspace: "/" })
      const layer = Attachments.layer.pipe(Layer.provide([Layer.succeed(RuntimeManager, manager), settings]))
      const attachments = yield* Effect.provideContext(Attachments.Attachments, yield* Layer.build(layer))
      assert.strictEqual(yield* manager.resumeAll(attachments.accompany), 1)
      const hold = { owner: localOwner, session_id: id!, answers: true }
      // Who only looks is no client: the session goes on as before.
      const looked = yield* attachments.hold({ ...hold, counts: false })
      yield* looked.leave("unchanged")
      assert.strictEqual(yield* manager.count, 1)
      const client = yield* attachments.hold({ ...hold, counts: true })
      yield* client.leave(how)
      if (how === "run_on") yield* more.go
      yield* Effect.repeat(Effect.delay(manager.count, 1), { until: (left) => left === 0 })
      assert.strictEqual((yield* stored(id!)).at(-1)?.type, end)
    }).pipe(Effect.scoped, Effect.provide(layerMemory))
  })
})
