/**
 * `/compact` in a real session over a fake server: a task of its own, over the wire too; what follows it replays, goes on in
 * another process and in a copy (R085, R259).
 */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { SessionId } from "../../src/domain/Ids.ts"
import type { ConfigFile } from "../../src/config/Settings.ts"
import { RuntimeManager } from "../../src/runtime/RuntimeManager.ts"
import type { SessionRuntime } from "../../src/runtime/SessionRuntime.ts"
import { commandKit } from "../support/commandKit.ts"
import * as Fake from "../support/fakeModel.ts"
import { type Asked, calls, text } from "../support/fakeModelScript.ts"
import { answering } from "../support/realSession.ts"
import { watch } from "../support/runtimeKit.ts"

const SUMMARY = '{"goal":"mend the heron","rules":["never touch vendor/"],"open_items":["paint it"]}'
const isSummary = ({ messages }: Pick<Asked, "messages">) =>
  messages.length === 2 && JSON.stringify(messages[0]).includes("open_items")

const prompted = (runtime: SessionRuntime, content: string) =>
  Effect.flatMap(runtime.prompt({ content }), ({ task }) => task!.await)

const compacted = Effect.fnUntraced(function* (runtime: SessionRuntime, focus?: string) {
  const seen = yield* watch(runtime)
  yield* runtime.compact(focus)
  yield* seen.until("task_completed")
  return seen
}, Effect.scoped)

const opened = (id: string, workspace: string) =>
  Effect.flatMap(RuntimeManager, (manager) =>
    Effect.catch(manager.open(id as SessionId), () => manager.create(id as SessionId, { workspace }))
  )

const scene = Effect.fnUntraced(function* (flags: ConfigFile = {}) {
  const model = yield* Fake.make()
  const kit = yield* commandKit({ base_url: model.base_url, provider: "openai", model: "fake-model", ...flags })
  return { ...kit, model }
})

describe("/compact", () => {
  it.live("replaces the conversation by its summary, and everything behind it goes on and replays", () =>
    Effect.gen(function* () {
      const { claw, live, model, workspace } = yield* scene()
      model.script(
        calls([{ id: "w1", name: "write_file", arguments: '{"path":"new.txt","content":"heron"}' }]),
        text("Written."),
        text(SUMMARY),
        text("On with it.")
      )
      yield* Effect.gen(function* () {
        const runtime = yield* opened("told", workspace)
        assert.strictEqual((yield* Effect.flip(runtime.compact())).code, "nothing_to_compact")
        yield* answering(runtime, "allow_once")
        yield* prompted(runtime, "mend it")
        const { facts } = yield* compacted(runtime, "the paint")
        const made = facts().find(({ type }) => type === "compacted")
        assert.deepStrictEqual(
          facts().map(({ type }) => type),
          ["task_started", "usage", "compacted", "task_completed"]
        )
        if (made?.type !== "compacted") return
        assert.include(made.summary, "## Open items\n- paint it")
        assert.include(made.summary, "new.txt (write_file)")
        assert.strictEqual(made.up_to_seq < made.seq, true)
        yield* prompted(runtime, "and now?")
      }).pipe(Effect.scoped, Effect.provide(live))
      const asked = model.requests()
      assert.include(JSON.stringify(asked[2]?.messages), "The person asks to keep above all: the paint")
      assert.isUndefined((JSON.parse(asked[2]?.body ?? "{}") as { readonly tools?: unknown }).tools)
      const last = asked.at(-1)?.messages ?? []
      assert.deepStrictEqual(
        last.map(({ role }) => role),
        ["system", "user", "user"]
      )
      assert.include(JSON.stringify(last[1]), "never touch vendor/")
      // Another process: the same state, and the same requests.
      assert.match((yield* claw("replay", "told")).out, /^the same: \d+ events, 3 requests to the model\.\n$/)
      model.script(text("Still here."), text("A copy."))
      yield* Effect.gen(function* () {
        yield* prompted(yield* opened("told", workspace), "are you there?")
      }).pipe(Effect.scoped, Effect.provide(live))
      assert.include(JSON.stringify(model.requests().at(-1)?.messages[1]), "never touch vendor/")
      assert.strictEqual((yield* claw("fork", "told", "--json")).code, 0)
      assert.match((yield* claw("replay", "told")).out, /^the same: /)
      assert.deepStrictEqual(model.violations(), [])
    }).pipe(Effect.scoped)
  )

  it.live("happens by itself when the window fills; what was left out follows from the journal alone", () =>
    Effect.gen(function* () {
      const { claw, live, model, workspace } = yield* scene({ limits: { context_window_tokens: 12_000 } })
      const steps = 14
      model.rule(({ messages }, nth) => {
        if (isSummary({ messages: messages as Asked["messages"] })) return text(SUMMARY)
        const path = `${nth}.txt`
        writeFileSync(join(workspace, path), `${path}\n${"a line of it\n".repeat(300 + nth)}`)
        return nth > steps ? text("Read.") : calls([{ name: "read_file", arguments: JSON.stringify({ path }) }])
      })
      const made = yield* Effect.gen(function* () {
        const runtime = yield* opened("filled", workspace)
        const seen = yield* watch(runtime)
        assert.strictEqual((yield* prompted(runtime, "read them all")).status, "completed")
        return seen.facts().filter(({ type }) => type === "compacted")
      }).pipe(Effect.scoped, Effect.provide(live))
      assert.isAtLeast(made.length, 2)
      assert.match((yield* claw("replay", "filled")).out, /^the same: \d+ events, \d+ requests to the model\.\n$/)
      assert.deepStrictEqual(model.violations(), [])
      const asked = model.requests().at(-1)?.messages ?? []
      assert.isTrue(asked.some(({ content }) => content === "read them all"))
    }).pipe(Effect.scoped)
  )

  it.live("is stopped as any task, refused while one runs, and leaves the conversation as it was", () =>
    Effect.gen(function* () {
      const { live, model, workspace } = yield* scene()
      const asked = yield* Deferred.make<void>()
      model.rule(({ messages }) =>
        isSummary({ messages: messages as Asked["messages"] })
          ? { steps: [{ until: Effect.andThen(Deferred.succeed(asked, undefined), Effect.never) }] }
          : text("Hello.")
      )
      yield* Effect.gen(function* () {
        const runtime = yield* opened("stopped", workspace)
        yield* prompted(runtime, "RULE: be quick")
        const seen = yield* watch(runtime)
        yield* runtime.compact()
        yield* Deferred.await(asked)
        assert.strictEqual((yield* Effect.flip(runtime.compact())).code, "session_busy")
        yield* runtime.interrupt()
        assert.deepStrictEqual(seen.types(), ["task_started", "task_canceled"])
        assert.strictEqual((yield* runtime.state).history.length, 2)
      }).pipe(Effect.scoped, Effect.provide(live))
    }).pipe(Effect.scoped)
  )
})
