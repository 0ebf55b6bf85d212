/**
 * A process that died behind the intent of an undo, before or amid its files, or before it could answer: the next one
 * finishes it when it opens the session, tells it once, and whoever asks again has the answer, not one undo more (issue
 * 5; I of RELIABILITY 3.2: nothing half done is left).
 */
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { PrivateBody, ReportBody } from "../../src/domain/Event.ts"
import { newEventId } from "../../src/domain/Ids.ts"
import { localOwner, sessionKey } from "../../src/domain/Principal.ts"
import { RuntimeManager } from "../../src/runtime/RuntimeManager.ts"
import type { SessionRuntime } from "../../src/runtime/SessionRuntime.ts"
import { Journal } from "../../src/store/Journal.ts"
import { build } from "../support/checkpointKit.ts"
import * as FakeModel from "../support/fakeModel.ts"
import { calls, text } from "../support/fakeModelScript.ts"
import { answering, folder, layer, newSession, repository } from "../support/realSession.ts"

type Step = Extract<PrivateBody, { readonly type: "checkpoint" }>
type Plans = Effect.Success<ReturnType<typeof build>>

const FILES = ["a", "b", "c"]

/** A session with a task for each of these commands. */
const scene = Effect.fnUntraced(function* (...commands: ReadonlyArray<string>) {
  const model = yield* FakeModel.make()
  const workspace = yield* repository(Object.fromEntries(FILES.map((name) => [name, "old\n"])))
  const state = yield* folder("claw-state-")
  const process_ = layer({ base_url: model.base_url, workspace, state, flags: { isolation: { mode: "off" } } })
  const within = <A, E, R>(use: Effect.Effect<A, E, R>) => use.pipe(Effect.scoped, Effect.provide(process_))
  const does = Effect.fnUntraced(function* (session: SessionRuntime, command: string) {
    const call = { id: "c1", name: "bash", arguments: JSON.stringify({ command }) }
    model.script(calls([call]), text("Done."))
    const { task } = yield* session.prompt({ content: "go" })
    yield* task!.await
  })
  const id = yield* Effect.gen(function* () {
    const session = yield* newSession(workspace)
    yield* answering(session, "allow_once")
    yield* Effect.forEach(commands, (command) => does(session, command), { discard: true })
    return session.session_id
  }).pipe(within)
  const key = sessionKey(localOwner, id)

  /** A process begins to undo the newest task, comes as far as `dies`, and dies. */
  const cut = (dies: (plans: Plans, plan: string, step: Step) => Effect.Effect<ReadonlyArray<ReportBody>>) =>
    Effect.gen(function* () {
      const journal = yield* Journal
      const { records } = yield* journal.read(key, 0)
      const step = records.map(({ body }) => body).findLast((body): body is Step => body.type === "checkpoint")
      assert.isDefined(step)
      const { task_id } = step as Step
      const checkpoints = yield* build({ base: join(state, "claw", "checkpoints"), workspace, session: key })
      const { plan } = yield* checkpoints.plan({ direction: "undo", steps: [step as Step], uncertain: false })
      const begun = { type: "restore_started", direction: "undo", restored_task_id: task_id, plan } as const
      const tail = yield* journal.claim(key, "a process that dies", () => false)
      let numbers = { pos: tail.pos, seq: tail.seq }
      const put = (body: ReportBody) => {
        const isPublic = body.type === "files_restored"
        numbers = { pos: numbers.pos + 1, seq: numbers.seq + (isPublic ? 1 : 0) }
        const ts = new Date().toISOString()
        const event_id = newEventId()
        return { pos: numbers.pos, event_id, ts, body, ...(isPublic ? { seq: numbers.seq } : {}) }
      }
      const bodies = [begun, ...(yield* dies(checkpoints, plan, step as Step))]
      yield* journal.append(key, tail.epoch, bodies.map(put))
      yield* journal.release(key, tail.epoch)
    }).pipe(within)

  const opened = <A, E>(
    use: (session: SessionRuntime, facts: Effect.Success<ReturnType<typeof answering>>) => Effect.Effect<A, E>
  ) =>
    Effect.gen(function* () {
      const session = yield* (yield* RuntimeManager).open(id)
      return yield* use(session, yield* answering(session, "allow_once"))
    }).pipe(within)

  return {
    checkpoints: join(state, "claw", "checkpoints"),
    cut,
    opened,
    does,
    now: () => FILES.map((name) => readFileSync(join(workspace, name), "utf8").trim()).join(" "),
    write: (name: string, content: string) => writeFileSync(join(workspace, name), content)
  }
})

const atOnce = () => Effect.succeed([])
/** Everything is done and stored; what is missing is the answer. */
const unanswered = (checkpoints: Plans, plan: string, { task_id }: Step) =>
  Effect.map(Effect.orDie(checkpoints.apply(plan)), ({ files, kept }): ReadonlyArray<ReportBody> => [
    { type: "files_restored", direction: "undo", restored_task_id: task_id, files, count: files.length, kept },
    { type: "restore_owed", owed: true }
  ])

const undone = (session: SessionRuntime) => Effect.map(session.restore("undo"), ({ files }) => files.join(" "))

it.live("an undo that was intended is done by the next process", () =>
  Effect.gen(function* () {
    const { cut, opened, now } = yield* scene("echo ONE > a; echo TWO > b")
    yield* cut(atOnce)
    yield* opened((session, facts) =>
      Effect.gen(function* () {
        assert.strictEqual(now(), "old old old")
        const told = facts.flatMap((event) => (event.type === "files_restored" ? [event.files] : []))
        assert.deepStrictEqual(told, [["a", "b"]])
        // Whoever asked the process that died asks again, and has its answer; the next one asks for more.
        assert.strictEqual(yield* undone(session), "a b")
        assert.strictEqual((yield* Effect.flip(session.restore("undo"))).code, "nothing_to_restore")
        yield* session.restore("redo")
        assert.strictEqual(now(), "ONE TWO old")
      })
    )
    yield* opened((_, facts) =>
      Effect.sync(() => assert.strictEqual(facts.filter(({ type }) => type === "files_restored").length, 2))
    )
  }).pipe(Effect.scoped)
)

it.live("one whose plan is gone is given up when somebody asks, and is in nobody's way", () =>
  Effect.gen(function* () {
    const { checkpoints, cut, opened, does, now } = yield* scene("echo ONE > a")
    yield* cut(atOnce)
    rmSync(checkpoints, { recursive: true })
    yield* opened((session) =>
      Effect.gen(function* () {
        yield* does(session, "echo TWO > b")
        assert.strictEqual(yield* undone(session), "b")
        assert.strictEqual(now(), "ONE old old")
        assert.match((yield* Effect.flip(session.restore("undo"))).message, /not kept any more/)
        yield* does(session, "echo THREE > b")
        assert.strictEqual(yield* undone(session), "b")
      })
    )
  }).pipe(Effect.scoped)
)

describe("who asked for an undo and had no answer, and asks again, undoes nothing more", () => {
  const three = ["echo ONE > a", "echo TWO > b", "echo THREE > c"]
  for (const [name, dies] of [
    ["killed behind the intent", atOnce],
    ["killed before the answer", unanswered]
  ] as const) {
    it.live(`${name}: also when processes came and went meanwhile, and only once`, () =>
      Effect.gen(function* () {
        const { cut, opened, now } = yield* scene(...three)
        yield* cut(dies)
        yield* opened(() => Effect.void)
        yield* opened((session) =>
          Effect.gen(function* () {
            assert.strictEqual(yield* undone(session), "c")
            assert.strictEqual(now(), "ONE TWO old")
            assert.strictEqual(yield* undone(session), "b")
          })
        )
        // The answer was given: what is asked of the next process is more.
        yield* opened((session) => Effect.map(undone(session), (files) => assert.strictEqual(files, "a")))
        assert.strictEqual(now(), "old old old")
      }).pipe(Effect.scoped)
    )
  }

  it.live("whoever asks for all back to a task has what was cut off with the rest", () =>
    Effect.gen(function* () {
      const { cut, opened, now } = yield* scene(...three)
      yield* cut(atOnce)
      yield* opened((session) =>
        Effect.gen(function* () {
          const changes = yield* session.changes
          const second = changes.findLast(({ state }) => state === "done")
          const done = yield* session.restoreTo("undo", second!.task_id)
          assert.deepStrictEqual(
            done.map(({ files }) => files),
            [["c"], ["b"]]
          )
          assert.strictEqual(now(), "ONE old old")
        })
      )
    }).pipe(Effect.scoped)
  )

  it.live("a redo, or a task behind it, is something else to ask", () =>
    Effect.gen(function* () {
      const { cut, opened, does, now } = yield* scene(...three)
      yield* cut(atOnce)
      yield* opened((session) =>
        Effect.gen(function* () {
          assert.deepStrictEqual((yield* session.restore("redo")).files, ["c"])
          assert.strictEqual(yield* undone(session), "c")
        })
      )
      yield* opened((session) => does(session, "echo FOUR > c"))
      yield* cut(atOnce)
      yield* opened((session) =>
        Effect.gen(function* () {
          yield* does(session, "echo FIVE > c")
          assert.strictEqual(yield* undone(session), "c")
          assert.strictEqual(now(), "ONE TWO old")
          assert.strictEqual(yield* undone(session), "b")
        })
      )
    }).pipe(Effect.scoped)
  )

  it.live("what is left alone is named also then, and a task of which nothing was put back is still the next", () =>
    Effect.gen(function* () {
      const { cut, opened, now, write } = yield* scene("echo ONE > a", "echo TWO > b")
      write("b", "mine\n")
      yield* cut(atOnce)
      yield* opened((session) =>
        Effect.gen(function* () {
          for (const _ of [1, 2]) {
            const { count, kept } = yield* session.restore("undo")
            assert.deepStrictEqual([count, kept], [0, [{ path: "b", reason: "changed" }]])
          }
          assert.strictEqual(now(), "ONE mine old")
        })
      )
    }).pipe(Effect.scoped)
  )
})
