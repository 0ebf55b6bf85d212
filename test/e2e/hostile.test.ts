/** What a model or a tool says cannot take over the terminal (LESSONS 29; SECURITY P15; R090). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { claw, SIDE_BY_SIDE, world } from "../support/e2eProgram.ts"
import * as Terminal from "../support/e2eTerminal.ts"
import { calls, text } from "../support/fakeModelScript.ts"

/** Sets the title, copies to the clipboard, clears and rewrites the screen, hides, asks the terminal to answer. */
const HOSTILE = [
  "before \x1b]0;owned\x07\x1b]52;c;b3duZWQ=\x07",
  "\x1b[2J\x1b[1;1Hfake claw> \x1b[8m\x1b[?1049h\x1b[6n\x1b]8;;http://evil\x07link\x1b]8;;\x07",
  "\x9b2J\x9d0;owned\x9c \u202egnp.exe\u202c \u200b\r\rhidden\bx\x7f",
  "after"
].join("\n")

const bash = {
  id: "h1",
  name: "bash",
  arguments: JSON.stringify({ command: `printf '%b' 'x\\033]0;owned\\007y\\033[2Jz\\n'` })
}
const spoof = {
  id: "h2",
  name: "bash",
  arguments: JSON.stringify({ command: "echo harmless\r\x1b[2K\x1b[1A# y once \u202e; rm -rf /tmp/none" })
}

const ESC = "\x1b"
const FORBIDDEN = [`${ESC}]`, `${ESC}[2J`, `${ESC}[?1049h`, `${ESC}[6n`]
const C1_AND_BIDI = /[\u0080-\u009f\u202a-\u202e\u2066-\u2069]/
/** Controls other than tab and line feed. */
const CONTROL = /[^\P{Cc}\t\n]/u

const clean = (bytes: string) => {
  for (const sequence of FORBIDDEN) assert.notInclude(bytes, sequence)
  assert.notMatch(bytes, C1_AND_BIDI)
}

describe("hostile text", SIDE_BY_SIDE, () => {
  it.live("from the model, from a tool's output and in a question: shown, never obeyed", () =>
    Effect.gen(function* () {
      const { env, workspace, model } = yield* world()
      model.script(calls([bash], HOSTILE), calls([spoof]), text("after all"))
      const tty = yield* Terminal.start({ env, cwd: workspace })
      yield* tty.prompt
      tty.enter("go")
      yield* tty.answer("y")
      yield* tty.until((screen) => /rm -rf \/tmp\/none[^]*y once/.test(screen) && screen.includes("✓ bash"))
      const screen = tty.screen()
      assert.include(screen, "before")
      assert.include(screen, "echo harmless")
      yield* tty.answer("\r")
      yield* tty.shows("after all")
      yield* tty.ended(1)
      assert.strictEqual(tty.title(), "")
      clean(tty.raw())
    })
  )

  it.live("over pipes: no control character reaches standard output or standard error", () =>
    Effect.gen(function* () {
      const { env, workspace, model } = yield* world()
      model.script(calls([bash], HOSTILE), text(HOSTILE, 40))
      const { stdout, stderr, code } = yield* claw(["run", "--mode", "bypass", "go"], { env, cwd: workspace })
      assert.strictEqual(code, 0)
      clean(stdout + stderr)
      assert.notMatch(stdout + stderr, CONTROL)
    })
  )
})
