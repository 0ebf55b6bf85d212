/** What a claw that dies while a hook runs leaves: no process of the hook, and no question about the call (issue 7, R131). */
import { execFileSync } from "node:child_process"
import { cpSync, existsSync, readFileSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import type { SessionId } from "../../src/domain/Ids.ts"
import { RuntimeManager } from "../../src/runtime/RuntimeManager.ts"
import { calls, text } from "../support/fakeModelScript.ts"
import { scene } from "../support/hookKit.ts"
import { answering, folder, layer, newSession } from "../support/realSession.ts"
import { watch } from "../support/runtimeKit.ts"

/** What has ended and was not fetched yet by whoever inherited it is dead. */
const isAlive = (pid: string): boolean => {
  const stat = `/proc/${pid}/stat`
  return existsSync(stat) && !/\) [ZX] /.test(readFileSync(stat, "latin1"))
}

/** Nobody can look whether it happened. */
const ONCE = calls([{ name: "bash", arguments: '{"command":"echo x >> ran.txt"}' }])

const CASES = [
  ["after_tool", "goes on", ":", "task_completed", "x\n"],
  ["after_tool", "closes its task", ":", "task_failed", "x\n"],
  ["before_prompt", "goes on", 'trap "" TERM', "task_completed", "x\n"]
] as const

/** The session in another process; its only call, once its task has ended. */
const afterwards = Effect.fnUntraced(function* (id: SessionId, end: (typeof CASES)[number][3]) {
  const recover = end === "task_completed"
  const session = yield* Effect.flatMap(RuntimeManager, (manager) => manager.open(id, { recover }))
  yield* answering(session, "allow_once")
  const seen = yield* watch(session, { after: { seq: 0 } })
  yield* seen.until(end)
  const asked = seen.facts().filter((fact) => fact.type === "approval_request")
  assert.deepStrictEqual(
    asked.map(({ kind }) => kind),
    ["tool"]
  )
  const answer = (yield* session.state).history.find((item) => item.kind === "answer")
  return answer?.kind === "answer" ? answer.calls[0] : undefined
})

// The state directory as it is while the hook runs is what a claw finds that was killed then.
it.live.each(CASES)("a claw that dies while an %s hook runs %s, without the hook and its call twice", (one) =>
  Effect.gen(function* () {
    const [event, , first, end, ran] = one
    const there = yield* scene({
      mode: "ask",
      hooks: { [event]: `${first}; setsid sleep 100 & echo $$ $! > $DIR/begun; sleep 100` }
    })
    const begun = join(there.state, "begun")
    execFileSync("mkfifo", [begun])
    there.model.rule(({ messages }) => (JSON.stringify(messages).includes("tool_call_id") ? text("done") : ONCE))
    const later = yield* folder("claw-home-")
    yield* Effect.gen(function* () {
      const session = yield* newSession(there.workspace)
      yield* answering(session, "allow_once")
      yield* session.prompt({ content: "do it" })
      const pids = (yield* Effect.promise(() => readFile(begun, "utf8"))).trim().split(" ")
      assert.deepStrictEqual(pids.map(isAlive), [true, true])
      cpSync(join(there.state, "claw"), join(later, "claw"), { recursive: true })
      const parts = layer({ base_url: there.model.base_url, workspace: there.workspace, state: later })
      const call = yield* afterwards(session.session_id, end).pipe(Effect.provide(parts, { local: true }))
      assert.deepStrictEqual(pids.map(isAlive), [false, false])
      assert.deepStrictEqual([call?.started, call?.result?.status], [1, "ok"])
      assert.strictEqual(readFileSync(join(there.workspace, "ran.txt"), "utf8"), ran)
    }).pipe(there.within)
  }).pipe(Effect.scoped)
)

it.live("a program that was being told of a task's end when claw died is not told again, which is said", () =>
  Effect.gen(function* () {
    const there = yield* scene({ hooks: { after_task: "echo told >> $DIR/told; cat $DIR/wait; exit 0" } })
    const [told, wait] = [join(there.state, "told"), join(there.state, "wait")]
    execFileSync("mkfifo", [wait])
    there.model.script(text("done"))
    const later = yield* folder("claw-home-")
    yield* Effect.gen(function* () {
      const session = yield* newSession(there.workspace)
      yield* session.prompt({ content: "do it" })
      yield* Effect.retry(
        Effect.suspend(() => (existsSync(told) ? Effect.void : Effect.fail("not yet"))),
        Schedule.spaced(20)
      )
      cpSync(join(there.state, "claw"), join(later, "claw"), { recursive: true })
      const config = join(".config", "claw")
      cpSync(join(there.state, config), join(later, config), { recursive: true })
      const parts = layer({ base_url: there.model.base_url, workspace: there.workspace, state: later })
      const failed = yield* Effect.gen(function* () {
        const manager = yield* RuntimeManager
        const again = yield* manager.open(session.session_id, { recover: true })
        const seen = yield* watch(again, { after: { seq: 0 } })
        yield* seen.until("task_completed")
        return seen.facts().flatMap((fact) => (fact.type === "hook_failed" ? [fact.reason] : []))
      }).pipe(Effect.provide(parts, { local: true }))
      assert.deepStrictEqual(failed, ["was running when claw was ended, and is not run again"])
      assert.strictEqual(readFileSync(told, "utf8"), "told\n")
    }).pipe(there.within)
  }).pipe(Effect.scoped)
)
