/** A conversation that takes long to open says so, once and at a terminal only (R316). */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { sayWhenSlow, SLOW } from "../../src/app/slowStart.ts"
import { Output } from "../../src/cli/Output.ts"
import { captured } from "../support/capturedOutput.ts"

const said = Effect.fnUntraced(function* (watched: boolean, before: boolean, locale: "en" | "zh-CN" = "en") {
  const { err, service } = captured()
  const opened = yield* Effect.provideService(sayWhenSlow(locale, watched), Output, service)
  if (before) yield* opened
  yield* TestClock.adjust(SLOW)
  yield* TestClock.adjust(SLOW)
  yield* opened
  return err()
})

it.effect("a start that takes long is told; one that does not, and a pipe, are not", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(
      [yield* said(true, false), yield* said(true, false, "zh-CN"), yield* said(true, true), yield* said(false, false)],
      ["claw: opening the conversation …\n", "claw：正在打开会话 …\n", "", ""]
    )
  })
)
