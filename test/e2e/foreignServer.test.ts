/** A model server that was not written here, slow and failing (R092, R127, R320; LESSONS 5, 10, 33). */
import { LLMock } from "@copilotkit/aimock"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { claw, SIDE_BY_SIDE, worldAt } from "../support/e2eProgram.ts"
import { judged } from "../support/e2eJson.ts"
import * as Terminal from "../support/e2eTerminal.ts"

const LONG = Array.from({ length: 400 }, (_, i) => `word${i}`).join(" ")

const mocked = Effect.acquireRelease(
  Effect.promise(async () => {
    const mock = new LLMock({ port: 0 })
    await mock.start()
    return mock
  }),
  (mock) => Effect.promise(() => mock.stop())
)

const scene = Effect.flatMap(mocked, (mock) => Effect.map(worldAt(`${mock.url}/v1`), (made) => ({ ...made, mock })))

describe("against aimock", SIDE_BY_SIDE, () => {
  it.live("Ctrl-C in the middle of a slow answer, then the next prompt", () =>
    Effect.gen(function* () {
      const { mock, env, workspace } = yield* scene
      mock.onMessage("begin", { content: LONG }, { latency: 100, chunkSize: 20 })
      mock.onMessage("and now?", { content: "It goes on." })
      const tty = yield* Terminal.start({ env, cwd: workspace })
      yield* tty.prompt
      tty.enter("begin")
      yield* tty.shows("word5 ")
      tty.press("ctrlC")
      yield* tty.ended(1)
      tty.enter("and now?")
      yield* tty.shows("It goes on.")
      const screen = yield* tty.ended(2)
      assert.include(screen, "Cancelled.")
      assert.notInclude(screen, "word399")
      const body = mock.getLastRequest()?.body as unknown as {
        readonly messages: ReadonlyArray<{ readonly role: string }>
      }
      assert.deepStrictEqual(
        body.messages.map(({ role }) => role),
        ["system", "user", "assistant", "user"]
      )
    })
  )

  it.live("a rate limit and a broken connection are tried again", () =>
    Effect.gen(function* () {
      const { mock, env, workspace } = yield* scene
      mock.onMessage("begin", { content: "Third time lucky." })
      mock.on({ userMessage: "cut" }, { content: LONG }, { chunkSize: 100, truncateAfterChunks: 3 })
      mock.nextRequestError(429, { message: "slow down", type: "rate_limit_error" })
      const ended = yield* claw(["run", "--json", "begin"], { env, cwd: workspace })
      assert.deepStrictEqual([ended.code, mock.getRequests().length], [0, 2])
      assert.strictEqual(
        judged(ended.stdout).find(({ type }) => type === "text_completed")?.content,
        "Third time lucky."
      )
      const cut = yield* claw(["run", "cut"], { env, cwd: workspace })
      assert.strictEqual(cut.code, 1)
      assert.match(cut.stderr, /\[provider_\w+\]\n$/)
      assert.isAtMost(mock.getRequests().length, 2 + 5)
    })
  )
})
