/** A stored session lives again without a network, and a change of one byte is found where it is (R259, R324; issue 5). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { DatabaseSync } from "node:sqlite"
import { crc32 } from "node:zlib"
import type { SessionId } from "../../src/domain/Ids.ts"
import { makeChain, headDigest, type RequestHead } from "../../src/engine/RequestDigest.ts"
import type { Message } from "../../src/domain/Message.ts"
import { RuntimeManager } from "../../src/runtime/RuntimeManager.ts"
import { commandKit } from "../support/commandKit.ts"
import * as Fake from "../support/fakeModel.ts"
import { calls, delta, refusal, stream, text, usage } from "../support/fakeModelScript.ts"
import type { Json } from "../support/httpKit.ts"
import { answering } from "../support/realSession.ts"
import { story, tell } from "../support/story.ts"

const words = { prompt: "mend the heron", result: "1 passing", answer: "It is whole." }

/** Two tasks of a real session over a fake model server: a call that a person allows, and one without. */
const lived = Effect.gen(function* () {
  const model = yield* Fake.make()
  const kit = yield* commandKit({ base_url: model.base_url, provider: "openai", model: "fake-model" })
  model.script(
    calls([{ id: "w1", name: "write_file", arguments: '{"path":"new.txt","content":"heron"}' }]),
    text("Written."),
    text("Yes, 鷺.")
  )
  const session = Effect.gen(function* () {
    const manager = yield* RuntimeManager
    const runtime = yield* manager.create("told" as SessionId, { workspace: kit.workspace })
    yield* answering(runtime, "allow_once")
    for (const content of ["write it", "is it there?"]) yield* (yield* runtime.prompt({ content })).task!.await
  })
  yield* Effect.provide(Effect.scoped(session), kit.live)
  return { ...kit, model }
})

/** Changes what a record says, as nothing but a bug or an attacker would: its checksum is right. */
const spoil = (file: string, type: string, change: (body: Json) => object) =>
  Effect.sync(() => {
    const db = new DatabaseSync(file)
    const row: Json = db.prepare("SELECT rowid, * FROM journal_records WHERE type = ? ORDER BY pos LIMIT 1").get(type)
    const payload = JSON.stringify(change(JSON.parse(row.payload)))
    const sum = crc32(payload, crc32(`${row.pos} ${row.seq} ${row.event_id} ${row.ts}`))
    db.prepare("UPDATE journal_records SET payload = ?, checksum = ? WHERE rowid = ?").run(payload, sum, row.rowid)
    db.close()
    return { pos: row.pos as number, seq: row.seq as number }
  })

describe("claw replay", () => {
  it.live("rebuilds every event and every request, and asks nobody", () =>
    Effect.gen(function* () {
      const { claw, model } = yield* lived
      const asked = model.requests().length
      assert.strictEqual(asked, 3)
      const found = yield* claw("replay", "told", "--json")
      const { same, requests, unrecorded, difference, state_digest } = found.json[0]
      assert.deepStrictEqual([found.code, same, requests, unrecorded, difference], [0, true, 3, 0, undefined])
      assert.strictEqual((yield* claw("replay", "told", "--json")).json[0].state_digest, state_digest)
      assert.match((yield* claw("replay", "told")).out, /^the same: \d+ events, 3 requests to the model\.\n$/)
      assert.strictEqual(model.requests().length, asked)
    }).pipe(Effect.scoped)
  )

  it.live("calls that failed and were paid for, and a model that stood in, are rebuilt as well", () =>
    Effect.gen(function* () {
      const model = yield* Fake.make()
      const retry = { max_attempts: 2, base_ms: 1, max_ms: 2 }
      const server = { base_url: model.base_url, provider: "openai", model: "fake-model" }
      const kit = yield* commandKit({ ...server, retry, fallback_models: ["small"] })
      const counted = usage({ prompt_tokens: 7, completion_tokens: 1 })
      model.script(stream(delta({ content: "Half" }), counted), refusal(503, "down"))
      const session = Effect.gen(function* () {
        const manager = yield* RuntimeManager
        const runtime = yield* manager.create("told" as SessionId, { workspace: kit.workspace })
        yield* (yield* runtime.prompt({ content: "hello" })).task!.await
      })
      yield* Effect.provide(Effect.scoped(session), kit.live)
      const facts = (yield* kit.claw("sessions", "show", "told", "--json")).json
      assert.deepStrictEqual(
        facts.flatMap(({ model, type, usage }) =>
          type === "usage" ? [usage.input_tokens] : type === "stream_reset" ? [model ?? "again"] : []
        ),
        [7, "again", "small", 17]
      )
      const { difference, same } = (yield* kit.claw("replay", "told", "--json")).json[0]
      assert.deepStrictEqual([same, difference], [true, undefined])
    }).pipe(Effect.scoped)
  )

  it.live("stops behind an event, and tells the state there; the timeline has every record", () =>
    Effect.gen(function* () {
      const { claw } = yield* lived
      const facts = (yield* claw("sessions", "show", "told", "--json")).json
      const asked = facts.find(({ type }) => type === "approval_request")
      const there = (yield* claw("replay", "told", "--until", String(asked.seq), "--json")).json[0]
      assert.deepStrictEqual([there.events, there.pending_approvals, there.turn], [asked.seq, [asked.request_id], 1])
      const { out, json } = yield* claw("replay", "told", "--timeline", "--json")
      const records = json.slice(0, -1)
      assert.strictEqual(out.trimEnd().split("\n").length, records.length + 1)
      assert.deepStrictEqual(
        records.map(({ pos }) => pos),
        records.map((_, i) => i + 1)
      )
      assert.deepStrictEqual(records.filter(({ type }) => type === "model_head").length, 1)
      assert.deepStrictEqual(records.filter(({ type }) => type === "model_request").length, 3)
      assert.match((yield* claw("replay", "told", "--timeline")).out, /^ +0\.000s +1  task_started +write it\n/)
    }).pipe(Effect.scoped)
  )

  const spoilt: ReadonlyArray<readonly [string, (body: Json) => object, string, string]> = [
    ["task_started", (body) => ({ ...body, content: "write it!" }), "model_request", "digest of the request of turn 1"],
    [
      "tool_result",
      (body) => ({ ...body, result: `${body.result}.` }),
      "model_request",
      "digest of the request of turn 2"
    ],
    ["model_head", (body) => ({ ...body, system: `${body.system} Obey.` }), "model_head", "what requests begin with"],
    [
      "usage",
      (body) => ({ ...body, usage: { ...body.usage, input_tokens: 1 } }),
      "usage",
      "made of what came before it"
    ],
    ["tool_started", (body) => ({ ...body, attempt: 2 }), "tool_started", "made of what came before it"],
    ["task_completed", (body) => ({ ...body, task_id: "task_other" }), "task_completed", "made of what came before it"],
    ["text_completed", (body) => ({ ...body, stream_id: "str_other" }), "text_completed", "made of what came before it"]
  ]
  it.live.each(spoilt)("a changed %s is found", ([type, change, at, what]) =>
    Effect.gen(function* () {
      const { claw, file } = yield* lived
      yield* spoil(file, type, change)
      const found = yield* claw("replay", "told", "--json")
      const { same, difference } = found.json[0]
      assert.deepStrictEqual([found.code, same, difference.type], [1, false, at])
      assert.include(difference.what, what)
      assert.notStrictEqual(difference.stored, difference.rebuilt)
      assert.strictEqual(difference.stored.slice(0, difference.byte), difference.rebuilt.slice(0, difference.byte))
    }).pipe(Effect.scoped)
  )

  it.live("shows both values around the first byte that differs; a record that is gone is a difference", () =>
    Effect.gen(function* () {
      const { claw, file, store, workspace } = yield* commandKit()
      yield* Effect.provide(tell("s", story(words), { workspace }), store)
      const whole = yield* claw("replay", "s")
      assert.deepStrictEqual([whole.code, whole.out], [0, "the same: 13 events, 0 requests to the model.\n"])
      assert.include(whole.err, "2 turns have no record of the request")
      yield* spoil(file, "usage", (body) => ({ ...body, usage: { ...body.usage, output_tokens: 6 } }))
      const found = yield* claw("replay", "s")
      assert.strictEqual(found.code, 1)
      const [head, stored, rebuilt] = found.out.split("\n")
      assert.match(head ?? "", /^differs at event 4 \(usage\), byte \d+: the event, made of what came before it$/)
      assert.match(stored ?? "", /^ {2}stored  .*"output_tokens":6\}\}/)
      assert.match(rebuilt ?? "", /^ {2}rebuilt .*"output_tokens":5\}\}/)
      assert.strictEqual((yield* claw("replay", "s", "--until", "3")).code, 0)
      const db = new DatabaseSync(file)
      db.exec("DELETE FROM journal_records WHERE pos = 2")
      db.close()
      const lost = (yield* claw("replay", "s", "--json")).json[0].difference
      assert.deepStrictEqual([lost.pos, lost.type], [2, "record"])
    }).pipe(Effect.scoped)
  )
})

describe("the digest of a request", () => {
  const head: RequestHead = { model: "m", system: "s", tools: "[]" }
  const said = (content: string): Message => ({ role: "user", content })

  it("is this one for this request: what other programs of this format made is found again", () => {
    assert.strictEqual(headDigest(head), "2b57af05aed1b73c2b531e6df8e3dc5c762588a063827e01d9aebd85342968a7")
    assert.strictEqual(
      makeChain(head)([said("鷺")]),
      "2a387b855c28481bc41e08dc7a48ef2856b9f6b9f2399fa34d741c783cf549b9"
    )
  })

  it("grows with its history as if it were made anew, and tells texts apart that meet in the middle", () => {
    const chain = makeChain(head)
    const all = [said("a"), said("b"), said("c")]
    for (const end of [1, 2, 3, 2]) assert.strictEqual(chain(all.slice(0, end)), makeChain(head)(all.slice(0, end)))
    assert.notStrictEqual(makeChain(head)([said("ab"), said("c")]), makeChain(head)([said("a"), said("bc")]))
    assert.notStrictEqual(makeChain(head)([said("a")]), makeChain({ ...head, max_output_tokens: 16 })([said("a")]))
  })
})
