/** Text and notes of `claw run` come in the order in which they happened (R090, R094). */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { run } from "../../src/cli/Run.ts"
import { Output } from "../../src/cli/Output.ts"
import { answer, call, turns } from "../support/engineKit.ts"
import { create, layer } from "../support/runtimeKit.ts"
import { probe } from "../support/tools.ts"

it.live("a note stands behind the text that came before it", () =>
  Effect.gen(function* () {
    const written: Array<string> = []
    const take = (text: string) => void written.push(text)
    const output = Output.of({
      out: (text) =>
        Effect.as(
          Effect.sync(() => take(text)),
          true
        ),
      err: (text) => Effect.sync(() => take(text)),
      isTerminal: false,
      color: false,
      columns: () => 80
    })
    const session = yield* create("s1")
    const code = yield* Effect.provideService(
      run(session, { content: "go", json: false, locale: "en" }),
      Output,
      output
    )
    const screen = written.join("")
    assert.strictEqual(code, 0)
    assert.isTrue(screen.startsWith("I look.\n● probe"), screen)
    assert.isTrue(screen.endsWith("\nDone.\n"), screen)
  }).pipe(
    Effect.scoped,
    Effect.provide(
      layer({ tools: [probe().tool], script: () => turns(answer("I look.", [call("c1", "probe")]), answer("Done.")) })
    )
  )
)
