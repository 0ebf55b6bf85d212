/** What a claw that dies while a hook runs leaves: no process of the hook, and no question about the call (issue 7, R131). */
import { execFileSync } from "node:child_process"
import { cpSync, existsSync, readFileSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { SessionId } from "../../src/domain/Ids.ts"
import { RuntimeManager } from "../../src/runtime/RuntimeManager.ts"
import { text } from "../support/fakeModelScript.ts"
import { scene, WRITE } from "../support/hookKit.ts"
import { folder, layer, newSession } from "../support/realSession.ts"
import { watch } from "../support/runtimeKit.ts"

/** What has ended and was not fetched yet by whoever inherited it is dead. */
const isAlive = (pid: string): boolean => {
  const stat = `/proc/${pid}/stat`
  return existsSync(stat) && !/\) [ZX] /.test(readFileSync(stat, "latin1"))
}

const CASES = [
  ["after_tool", ":", { status: "ok", result: "Created a.txt (1 bytes)." }],
  ["before_prompt", 'trap "" TERM', undefined]
] as const

const wentOn = Effect.fnUntraced(function* (id: SessionId) {
  const session = yield* Effect.flatMap(RuntimeManager, (manager) => manager.open(id, { recover: true }))
  const seen = yield* watch(session, { after: { seq: 0 } })
  yield* seen.until("task_completed")
  assert.notInclude(seen.types(), "approval_request")
  return (yield* session.state).history
})

// The state directory as it is while the hook runs is what a claw finds that was killed then.
it.live.each(CASES)(
  "a claw that dies while an %s hook runs goes on without it, and asks nobody",
  ([event, first, result]) =>
    Effect.gen(function* () {
      const there = yield* scene({
        hooks: { [event]: `${first}; setsid sleep 100 & echo $$ $! > $DIR/begun; sleep 100` }
      })
      const begun = join(there.state, "begun")
      execFileSync("mkfifo", [begun])
      there.model.script(WRITE, text("done"))
      const later = yield* folder("claw-home-")
      yield* Effect.gen(function* () {
        const session = yield* newSession(there.workspace)
        yield* session.prompt({ content: "do it" })
        const pids = (yield* Effect.promise(() => readFile(begun, "utf8"))).trim().split(" ")
        assert.deepStrictEqual(pids.map(isAlive), [true, true])
        cpSync(join(there.state, "claw"), join(later, "claw"), { recursive: true })
        const { base_url } = there.model
        const parts = layer({ base_url, workspace: there.workspace, state: later, flags: { mode: "accept-edits" } })
        const history = yield* wentOn(session.session_id).pipe(Effect.provide(parts, { local: true }))
        assert.deepStrictEqual(pids.map(isAlive), [false, false])
        const answer = history.find((item) => item.kind === "answer")
        const call = answer?.kind === "answer" ? answer.calls[0] : undefined
        assert.deepStrictEqual([call?.request, call?.started], [undefined, 1])
        if (result !== undefined) assert.deepInclude(call?.result, result)
      }).pipe(there.within)
    }).pipe(Effect.scoped)
)
