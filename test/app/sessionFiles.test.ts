/** A session as a file: taken out for readers and for claw, and in again without any authority (issue 5; R050, R272). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { GrantStore } from "../../src/approval/GrantStore.ts"
import * as Points from "../../src/observability/Points.ts"
import { commandKit, SECRET, stories } from "../support/commandKit.ts"
import type { Json } from "../support/httpKit.ts"
import { story, tell } from "../support/story.ts"

describe("a session as a file", () => {
  it.live("JSON comes back fact by fact, under its own id or a new one, and grants nothing", () =>
    Effect.gen(function* () {
      const { claw, list, store, words, workspace } = yield* stories()
      const file = join(workspace, "s.json")
      const wrote = yield* claw("sessions", "export", "aa1", file)
      assert.strictEqual(wrote.out, `wrote 13 events to ${file}\n`)
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      assert.strictEqual((yield* claw("sessions", "export", "aa1", file)).code, 1)
      const again = yield* claw("sessions", "import", file, "--json")
      const { imported } = again.json[0]
      assert.match(imported, /^import-/)
      assert.deepStrictEqual(again.json[0], { imported, from: "terminal-aa1", events: 13, workspace })
      yield* claw("sessions", "delete", "aa1", "--yes")
      assert.strictEqual((yield* claw("sessions", "import", file, "--json")).json[0].imported, "terminal-aa1")
      const shown = (yield* claw("sessions", "show", "terminal-aa1", "--json")).json
      const expected = story(words).map((body) => {
        if (body.type === "approval_resolved") return { ...body, grant: undefined, grant_id: undefined }
        if (body.type === "usage") return { ...body, session_usage: { input_tokens: 0, output_tokens: 0 } }
        return body.type === "task_started" ? { ...body, idempotency_key: undefined } : body
      })
      const plain = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown
      assert.deepStrictEqual(
        shown.map(({ v: _v, session_id: _s, seq: _n, event_id: _e, ts: _t, ...body }) => body),
        plain(expected)
      )
      const grants = yield* Effect.provide(
        Effect.flatMap(GrantStore, (all) => all.everyone.page()),
        store
      )
      assert.deepStrictEqual(
        grants.grants.map(({ session_id }) => session_id),
        ["terminal-ab2"]
      )
      assert.strictEqual((yield* list()).find(({ session_id }) => session_id === "terminal-aa1")?.mode, undefined)
    }).pipe(Effect.scoped)
  )

  it.live("one that is not there is said so in words", () =>
    Effect.gen(function* () {
      const { claw, workspace } = yield* stories()
      const file = join(workspace, "nope.json")
      const { code, err } = yield* claw("sessions", "import", file)
      assert.deepStrictEqual([code, err.includes(`${file} cannot be imported. There is no such file.`)], [1, true])
    }).pipe(Effect.scoped)
  )

  it.live("the file of a copy is the file of what it was copied from", () =>
    Effect.gen(function* () {
      const { claw, workspace } = yield* stories()
      const file = join(workspace, "s.json")
      writeFileSync(file, (yield* claw("sessions", "export", "aa1", "--json")).out)
      const first = (yield* claw("sessions", "import", file, "--json")).json[0].imported
      const second = join(workspace, "t.json")
      writeFileSync(second, (yield* claw("sessions", "export", first, "--format", "json")).out)
      const third = (yield* claw("sessions", "import", second, "--json")).json[0].imported
      const events = (id: string) =>
        Effect.map(claw("sessions", "export", id, "--json"), ({ out }) =>
          (JSON.parse(out).events as ReadonlyArray<Json>).map(({ event_id: _e, ...rest }) => rest)
        )
      assert.deepStrictEqual(yield* events(third), yield* events(first))
      assert.strictEqual((yield* events(first)).length, 13)
    }).pipe(Effect.scoped)
  )

  const bad: ReadonlyArray<readonly [string, (good: Json) => unknown, string]> = [
    ["no JSON", () => "{", "It is not JSON."],
    ["another format", () => ({}), 'It has no "format"'],
    ["a later version", (good) => ({ ...good, version: 2 }), "format version 2; this claw knows 1"],
    [
      "an id that is none",
      (good) => ({ ...good, session: { ...good.session, session_id: "../x" } }),
      "bad_session_file"
    ],
    ["a gap", (good) => ({ ...good, events: good.events.slice(1) }), "Event 1 is refused: its seq is 2 and must be 1."],
    [
      "an unknown event",
      (good) => ({ ...good, events: [{ ...good.events[0], type: "rm" }] }),
      "no event that this claw knows"
    ],
    [
      "a second end of a task",
      (good) => ({ ...good, events: [...good.events, { ...good.events.at(-1), seq: good.events.length + 1 }] }),
      "its task does not run there"
    ],
    [
      "a private record",
      (good) => ({
        ...good,
        events: [{ ...good.events[0], type: "process_started", call_id: "c", pid: 1, start_time: "x" }]
      }),
      "no event that this claw knows"
    ],
    [
      "a field too few",
      (good) => ({ ...good, events: [{ ...good.events[0], content: undefined }] }),
      "no event that this claw knows"
    ],
    ["no time", (good) => ({ ...good, events: [{ ...good.events[0], ts: "yesterday" }] }), "seq, event_id or ts"]
  ]
  it.live.each(bad)("%s is refused with a stable code, and nothing is stored", ([, spoil, sentence]) =>
    Effect.gen(function* () {
      const { claw, list, workspace } = yield* stories()
      const good: unknown = JSON.parse((yield* claw("sessions", "export", "aa1", "--json")).out)
      const file = join(workspace, "bad.json")
      const spoilt = spoil(good)
      writeFileSync(file, typeof spoilt === "string" ? spoilt : JSON.stringify(spoilt))
      const before = yield* list()
      const refused = yield* claw("sessions", "import", file)
      assert.strictEqual(refused.code, 1)
      assert.include(refused.err, "[bad_session_file]")
      assert.include(refused.err, sentence)
      assert.deepStrictEqual(yield* list(), before)
    }).pipe(Effect.scoped)
  )

  it.live("a page runs nothing, loads nothing and shows markup as text; secrets are masked in every format", () =>
    Effect.gen(function* () {
      const { claw, store, workspace } = yield* commandKit()
      const hostile = `</pre><script>alert(1)</script><img src=x onerror=alert(2)> \u001b[2J\u202e ${SECRET} ghp_${"a".repeat(36)}`
      const told = tell("x", story({ prompt: hostile, result: `\`\`\`\n${hostile}`, answer: hostile }), {
        title: hostile,
        workspace
      })
      yield* Effect.provide(told, store)
      const html = (yield* claw("sessions", "export", "x", "--format", "html")).out
      assert.notMatch(html, /<script|<img|<link|<iframe|<[^>]*\son\w+=|src="|href="/)
      assert.include(html, "&lt;script&gt;alert(1)&lt;/script&gt;")
      assert.include(html, `content="default-src 'none'; style-src 'unsafe-inline'"`)
      const markdown = (yield* claw("sessions", "export", "x")).out
      assert.include(markdown, "````\n```\n</pre>")
      const json = (yield* claw("sessions", "export", "x", "--json")).out
      for (const text of [html, markdown, json]) {
        assert.notInclude(text, SECRET)
        assert.include(text, "[redacted]")
        for (const hidden of ["\u001b", "\u202e"]) if (text !== json) assert.notInclude(text, hidden)
      }
      assert.notInclude(html, "ghp_a")
      assert.notInclude(markdown, "ghp_a")
    }).pipe(Effect.scoped)
  )

  it.live("has its name only once it is whole, and what a killed one left goes with the next", () =>
    Effect.gen(function* () {
      const { claw, workspace } = yield* stories()
      const file = join(workspace, "s.md")
      const [half, other] = [`${file}.${2 ** 31 - 2}.claw-part`, `${file}.${process.ppid}.claw-part`]
      for (const path of [half, other]) writeFileSync(path, "half")
      const there: Array<boolean> = []
      Points.watch((point) => {
        if (point === "new file arriving") there.push(existsSync(file))
      })
      const { code } = yield* Effect.ensuring(
        claw("sessions", "export", "aa1", file),
        Effect.sync(() => Points.watch(undefined))
      )
      assert.deepStrictEqual([code, there, statSync(file).mode & 0o777], [0, [false], 0o600])
      assert.deepStrictEqual(readdirSync(workspace).toSorted(), ["s.md", basename(other)].toSorted())
    }).pipe(Effect.scoped)
  )

  it.live("is what its name promises, or nothing", () =>
    Effect.gen(function* () {
      const { claw, workspace } = yield* stories()
      const at = (name: string) => join(workspace, name)
      const pdf = yield* claw("sessions", "export", "aa1", at("s.pdf"))
      assert.deepStrictEqual([pdf.code, pdf.out, existsSync(at("s.pdf"))], [2, "", false])
      assert.include(pdf.err, "s.pdf is to be does not follow from its name: say --format markdown, html or json.")
      const named = { "a.TXT": "# ", "b.markdown": "# ", c: "# ", "d.htm": "<!doctype html>", "e.json": "{" }
      for (const [name, begins] of Object.entries(named)) {
        assert.strictEqual((yield* claw("sessions", "export", "aa1", at(name))).code, 0, name)
        assert.isTrue(readFileSync(at(name), "utf8").toLowerCase().startsWith(begins), name)
      }
      assert.strictEqual((yield* claw("sessions", "export", "aa1", at("s.pdf"), "--format", "html")).code, 0)
    }).pipe(Effect.scoped)
  )

  it.live("is not written over anything, nor where it may not be", () =>
    Effect.gen(function* () {
      const { claw, workspace } = yield* stories()
      const missing = yield* claw("sessions", "export", "aa1", join(workspace, "no", "such.md"))
      assert.deepStrictEqual([missing.code, existsSync(join(workspace, "no"))], [1, false])
      assert.include(missing.err, "such.md cannot be written: there is no such directory.")
      const file = join(workspace, "s.md")
      yield* claw("sessions", "export", "aa1", file)
      const before = readFileSync(file, "utf8")
      assert.include((yield* claw("sessions", "export", "ab2", file)).err, "exists already")
      assert.strictEqual(readFileSync(file, "utf8"), before)
    }).pipe(Effect.scoped)
  )
})
