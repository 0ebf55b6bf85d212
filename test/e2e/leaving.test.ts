/** Ways out of the prompt, and the terminal as it was before (R084, R086, R088, R092, R302; LESSONS 49, 50). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { CLAW, NODE, SIDE_BY_SIDE, world } from "../support/e2eProgram.ts"
import * as Terminal from "../support/e2eTerminal.ts"
import { delta, HEAD, stream } from "../support/fakeModelScript.ts"

/** The modes of the terminal before and after, and the exit code between them. */
const UNDER_SHELL = [
  "/bin/sh",
  "-c",
  'before=$(stty -a); "$@"; code=$?; after=$(stty -a); [ "$before" = "$after" ] && same=yes || same=no; echo "exit=$code same=$same"',
  "sh",
  NODE,
  CLAW
]

const BRACKETED_PASTE_OFF = "\x1b[?2004l"
const CURSOR_SHOWN = "\x1b[?25h"
const CURSOR_HIDDEN = "\x1b[?25l"

/** The last of two sequences wins. */
const endsWith = (raw: string, on: string, off: string) => raw.lastIndexOf(on) >= raw.lastIndexOf(off)

const leaving = Effect.fnUntraced(function* (leave: (tty: Terminal.Tty) => Effect.Effect<unknown>) {
  const { env, workspace, model } = yield* world()
  model.script(stream(HEAD, delta({ content: "on and on" }), "hang"))
  const tty = yield* Terminal.start({ env, cwd: workspace, command: UNDER_SHELL })
  yield* tty.prompt
  yield* leave(tty)
  const screen = yield* tty.shows("exit=")
  assert.include(screen, "exit=0 same=yes")
  assert.include(tty.raw(), BRACKETED_PASTE_OFF)
  assert.isTrue(endsWith(tty.raw(), CURSOR_SHOWN, CURSOR_HIDDEN))
  assert.strictEqual(yield* tty.exited, 0)
  return { tty, model }
})

describe("leaving", SIDE_BY_SIDE, () => {
  it.live("Ctrl-C at the empty prompt says what a second one does; the second leaves (R092)", () =>
    leaving((tty) =>
      Effect.gen(function* () {
        tty.press("ctrlC")
        yield* tty.shows("Ctrl-C again to leave.")
        tty.press("ctrlC")
      })
    )
  )

  it.live("Ctrl-C at a line that is being typed only clears it", () =>
    leaving((tty) =>
      Effect.gen(function* () {
        tty.type("half a tho")
        yield* tty.shows("claw> half a tho")
        tty.press("ctrlC")
        yield* tty.prompt
        assert.notInclude(tty.screen(), "again to leave")
        tty.press("ctrlC")
        yield* tty.shows("Ctrl-C again to leave.")
        // Anything else in between takes it back.
        tty.type("x")
        yield* tty.shows("claw> x")
        tty.press("ctrlC")
        yield* tty.prompt
        tty.press("ctrlD")
      })
    )
  )

  it.live.each(["/exit", "/quit"])("%s (R086)", (word) => leaving((tty) => Effect.sync(() => tty.enter(word))))

  it.live("Ctrl-D", () => leaving((tty) => Effect.sync(() => tty.press("ctrlD"))))

  it.live("/exit while a task runs ends the task first (R130, R132)", () =>
    Effect.gen(function* () {
      const { model } = yield* leaving((tty) =>
        Effect.gen(function* () {
          tty.enter("go")
          yield* tty.shows("on and on")
          tty.enter("/exit")
        })
      )
      assert.isFalse((yield* model.gone(1)).writableFinished)
    })
  )

  it.live("SIGTERM and SIGHUP give the terminal back too", () =>
    Effect.gen(function* () {
      const { env, workspace, model } = yield* world()
      for (const [name, code] of [
        ["SIGTERM", 143],
        ["SIGHUP", 129]
      ] as const) {
        const before = model.requests().length
        model.script(stream(HEAD, delta({ content: `until ${name}` }), "hang"))
        const tty = yield* Terminal.start({ env, cwd: workspace })
        yield* tty.prompt
        tty.enter("go")
        yield* tty.shows(`until ${name}`)
        process.kill(tty.pid, name)
        assert.strictEqual(yield* tty.exited, code)
        assert.include(tty.raw(), BRACKETED_PASTE_OFF)
        assert.isFalse((yield* model.gone(before + 1)).writableFinished)
      }
    })
  )
})

describe("standing by", SIDE_BY_SIDE, () => {
  it.live("Ctrl-Z gives the terminal to the shell in the middle of a task; fg goes on where it was", () =>
    Effect.gen(function* () {
      const { env, workspace, model } = yield* world()
      model.script(stream(HEAD, delta({ content: "on and on" }), "hang"))
      const tty = yield* Terminal.start({ env, cwd: workspace, command: ["/bin/bash", "--norc", "--noprofile", "-i"] })
      tty.enter(`'${NODE}' '${CLAW}'`)
      yield* tty.prompt
      tty.enter("go")
      yield* tty.shows("on and on")
      tty.type("\x1a")
      yield* tty.until(/Stopped/)
      tty.enter("stty -a | grep -o -e '-*icanon'; echo shell $((1 + 1))")
      assert.match(yield* tty.until(/shell 2/), /^icanon$/m)
      tty.enter("fg")
      yield* tty.until(/fg\n[^]*claw> *$/)
      tty.type("still here")
      yield* tty.shows("claw> still here")
      tty.press("ctrlC")
      yield* tty.shows("Cancelled.")
    }).pipe(Effect.scoped)
  )
})
