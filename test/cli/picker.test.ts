/** Choosing a session at the prompt: what keys mean, what is on the screen, what follows (issue 5; R086). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Picker from "../../src/cli/picker.ts"
import { RuntimeManager } from "../../src/runtime/RuntimeManager.ts"
import { converse } from "../support/conversation.ts"
import { answer, turns } from "../support/engineKit.ts"
import { create, layer } from "../support/runtimeKit.ts"
import { meta } from "../support/storeRecords.ts"

const of = (label: string): Picker.Choice => ({ label, command: { name: "resume", argument: label } })
const start = Picker.open({ title: "Which?", choices: ["red heron", "grey heron", "crane"].map(of) })
const key = (name: string, text = "") => ({ kind: "key", name, text }) as const

const pressed = (...keys: ReadonlyArray<string>): Picker.Step =>
  keys.reduce<Picker.Step>(
    (step, name) => ("picker" in step ? Picker.press(step.picker, key(name, name.length === 1 ? name : "")) : step),
    { picker: start }
  )

describe("a choice", () => {
  it.each([
    [["enter"], "red heron"],
    [["down", "enter"], "grey heron"],
    [["up", "enter"], "red heron"],
    [["end", "enter"], "crane"],
    [["c", "enter"], "crane"],
    [["h", "e", "r", "o", "n", "down", "enter"], "grey heron"],
    [["c", "backspace", "enter"], "red heron"]
  ])("%j chooses %j", (keys, label) => {
    const step = pressed(...keys)
    assert.strictEqual("chosen" in step ? step.chosen.label : undefined, label)
  })

  it("is left with Escape, and Enter chooses nothing where nothing fits", () => {
    assert.deepStrictEqual(pressed("escape"), { closed: true })
    assert.isTrue("picker" in pressed("z", "enter"))
  })

  it("shows the chosen one among many, on few rows, and no control character of a title", () => {
    const many = Picker.open({ title: "t", choices: Array.from({ length: 50 }, (_, i) => of(`n${i}\u001b[2J`)) })
    const looks = { columns: 40, rows: 10, color: false, locale: "en" } as const
    const at = Picker.lines({ ...many, at: 30 }, looks)
    assert.isAtMost(at.length, 8)
    assert.isTrue(at.some((line) => line.startsWith("› n30\\x1b[2J")))
    assert.isFalse(at.join("").includes("\u001b"))
  })
})

describe("/resume and /fork at the prompt", () => {
  it.live("two others: one is chosen, and the conversation is that one's", () =>
    Effect.gen(function* () {
      const told = ["crane", "heron", "ibis"]
      const manager = yield* RuntimeManager
      for (const id of told) yield* (yield* (yield* create(id)).prompt({ content: `about the ${id}` })).task!.await
      const { say, terminal } = yield* converse({ sessions: told.map((id) => meta(id)) })
      yield* say("/resume\r", "› 2026-03-01 10:00  crane")
      yield* say("\x1b[B", "› 2026-03-01 10:00  heron")
      yield* say("\r", "about the heron")
      yield* terminal.until((screen) => screen.endsWith("claw>"))
      yield* say("/resume\r", "Go on in which session?")
      yield* say("\x1b", (screen) => screen.endsWith("claw>"))
      assert.deepStrictEqual<ReadonlyArray<string>>(yield* manager.list, ["crane", "heron", "ibis", "first"])
    }).pipe(Effect.scoped, Effect.provide(layer({ script: () => turns(answer("I see.")) })))
  )

  it.live("/fork goes on in the copy, up to an event; what is no number is told", () =>
    Effect.gen(function* () {
      const asked: Array<unknown> = []
      const context = yield* Effect.context<RuntimeManager>()
      const fork = (id: string, at: number | undefined) => {
        asked.push([id, at])
        return Effect.provideContext(create("copy"), context)
      }
      const { say } = yield* converse({ fork })
      yield* say("/fork x\r", "/fork [SEQ]: the number of an event")
      yield* say("/fork 7\r", "this is a copy now: copy")
      assert.deepStrictEqual(asked, [["first", 7]])
    }).pipe(Effect.scoped, Effect.provide(layer({ script: () => turns(answer("I see.")) })))
  )
})
