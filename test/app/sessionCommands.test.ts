/** `claw sessions` and `claw fork`: finding, naming, deleting, copying, taking out and in (issue 5; R044, R050). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fold } from "../../src/domain/Fold.ts"
import { initial } from "../../src/domain/Session.ts"
import { GrantStore } from "../../src/approval/GrantStore.ts"
import { own } from "../../src/sandbox/ProcessIdentity.ts"
import { identityOf } from "../../src/sandbox/WorkspaceIdentity.ts"
import { SessionIndex } from "../../src/store/SessionIndex.ts"
import { commandKit, SECRET } from "../support/commandKit.ts"
import { story, tell } from "../support/story.ts"

const words = { prompt: "please MEND the heron", result: "1 passing", answer: "The bird is whole." }

const kit = Effect.fnUntraced(function* () {
  const made = yield* commandKit()
  const { store, workspace } = made
  const workspace_id = identityOf(workspace) ?? ""
  yield* Effect.provide(
    Effect.gen(function* () {
      yield* tell("terminal-aa1", story(words), { workspace, workspace_id })
      yield* tell("terminal-ab2", story({ ...words, prompt: "another thing" }, "grant_b"), { workspace, workspace_id })
      yield* tell("terminal-held", [], { workspace, workspace_id, holder: own() })
    }),
    store
  )
  const list = () =>
    Effect.provide(
      Effect.flatMap(SessionIndex, (index) => index.list()),
      store
    )
  return { ...made, list }
})

describe("claw sessions", () => {
  it.live("finds by title, prompt and answer, whatever the case, and says where", () =>
    Effect.gen(function* () {
      const { claw } = yield* kit()
      const found = yield* claw("sessions", "search", "mend", "the", "--json")
      assert.deepStrictEqual(found.json, [
        {
          session_id: "terminal-aa1",
          title: "title of terminal-aa1",
          updated_at: "2026-03-01T10:00:00.000Z",
          hits: [{ in: "prompt", seq: 1, text: "please MEND the heron" }]
        }
      ])
      const answers = yield* claw("sessions", "search", "BIRD is")
      assert.include(answers.out, "      11 answer: The bird is whole.\n")
      assert.include((yield* claw("sessions", "search", "of terminal-ab")).out, "terminal-ab2")
      assert.deepStrictEqual(
        yield* claw("sessions", "search", "unicorn").pipe(Effect.map(({ code, out }) => [code, out])),
        [0, ""]
      )
    }).pipe(Effect.scoped)
  )

  it.live("takes the start or the end of an id where it is one session's alone", () =>
    Effect.gen(function* () {
      const { claw } = yield* kit()
      assert.include((yield* claw("sessions", "show", "terminal-aa")).out, "terminal-aa1")
      assert.include((yield* claw("sessions", "show", "ab2")).out, "another thing")
      const both = yield* claw("sessions", "show", "terminal-a")
      assert.strictEqual(both.code, 2)
      assert.include(both.err, '"terminal-a" could be 2 sessions:')
      const none = yield* claw("sessions", "show", "zzz")
      assert.deepStrictEqual([none.code, none.err], [1, "claw: There is no session zzz. [session_not_found]\n"])
      assert.strictEqual((yield* claw("sessions", "what")).code, 2)
    }).pipe(Effect.scoped)
  )

  it.live("renames, and refuses what is no title", () =>
    Effect.gen(function* () {
      const { claw, list } = yield* kit()
      const named = yield* claw("sessions", "rename", "aa1", "The", "heron", "--json")
      assert.deepStrictEqual([named.json[0].title, named.json[0].workspace_state], ["The heron", "there"])
      assert.strictEqual((yield* claw("sessions", "rename", "aa1", "two\nlines")).code, 2)
      assert.strictEqual((yield* claw("sessions", "rename", "aa1", "  ")).code, 2)
      assert.include(
        (yield* list()).map(({ title }) => title),
        "The heron"
      )
    }).pipe(Effect.scoped)
  )

  it.live("deletes with --yes alone, and nothing that a living process has", () =>
    Effect.gen(function* () {
      const { claw, list } = yield* kit()
      const unasked = yield* claw("sessions", "delete", "aa1")
      assert.deepStrictEqual([unasked.code, unasked.out], [2, ""])
      assert.include(unasked.err, "claw sessions delete terminal-aa1 --yes")
      const held = yield* claw("sessions", "delete", "held", "--yes")
      assert.strictEqual(held.code, 1)
      assert.match(held.err, /open in another claw \(process \d+\).*\[session_moved\]/)
      assert.strictEqual((yield* list()).length, 3)
      assert.deepStrictEqual((yield* claw("sessions", "delete", "aa1", "--yes", "--json")).json, [
        { deleted: "terminal-aa1" }
      ])
      assert.deepStrictEqual(
        (yield* list()).map(({ session_id }) => session_id),
        ["terminal-held", "terminal-ab2"]
      )
    }).pipe(Effect.scoped)
  )

  it.live("says of a directory that it is gone, or another one", () =>
    Effect.gen(function* () {
      const { claw, workspace } = yield* kit()
      const states = () => Effect.map(claw("sessions", "--json"), ({ json }) => json.map((one) => one.workspace_state))
      assert.deepStrictEqual(yield* states(), ["there", "there", "there"])
      const moved = `${workspace}-moved`
      renameSync(workspace, moved)
      assert.deepStrictEqual(yield* states(), ["gone", "gone", "gone"])
      assert.include(
        (yield* claw("sessions", "show", "aa1")).err,
        "is gone: it was moved or deleted. To go on elsewhere: claw fork"
      )
      const resumed = yield* claw("--resume", "aa1", "--cwd", moved, "--provider", "demo")
      assert.strictEqual(resumed.code, 1)
      assert.include(resumed.err, "[workspace_unreadable]")
      mkdirSync(workspace)
      assert.deepStrictEqual(yield* states(), ["replaced", "replaced", "replaced"])
      renameSync(moved, join(workspace, "inside"))
    }).pipe(Effect.scoped)
  )
})

describe("a session as a file", () => {
  it.live("JSON comes back fact by fact, under its own id or a new one, and grants nothing", () =>
    Effect.gen(function* () {
      const { claw, list, store, workspace } = yield* kit()
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

  it.live("the file of a copy is the file of what it was copied from", () =>
    Effect.gen(function* () {
      const { claw, workspace } = yield* kit()
      const file = join(workspace, "s.json")
      writeFileSync(file, (yield* claw("sessions", "export", "aa1", "--json")).out)
      const first = (yield* claw("sessions", "import", file, "--json")).json[0].imported
      const second = join(workspace, "t.json")
      writeFileSync(second, (yield* claw("sessions", "export", first, "--format", "json")).out)
      const third = (yield* claw("sessions", "import", second, "--json")).json[0].imported
      const events = (id: string) =>
        Effect.map(claw("sessions", "export", id, "--json"), ({ out }) =>
          (JSON.parse(out).events as ReadonlyArray<any>).map(({ event_id: _e, ...rest }) => rest)
        )
      assert.deepStrictEqual(yield* events(third), yield* events(first))
      assert.strictEqual((yield* events(first)).length, 13)
    }).pipe(Effect.scoped)
  )

  const bad: ReadonlyArray<readonly [string, (good: any) => unknown, string]> = [
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
      const { claw, list, workspace } = yield* kit()
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
      assert.notMatch(html, /<script|<img|<link|<iframe|\son\w+=(?!alert)|src="|href="|\u001b|\u202e/)
      assert.include(html, "&lt;script&gt;alert(1)&lt;/script&gt;")
      assert.include(html, `content="default-src 'none'; style-src 'unsafe-inline'"`)
      const markdown = (yield* claw("sessions", "export", "x")).out
      assert.include(markdown, "````\n```\n</pre>")
      const json = (yield* claw("sessions", "export", "x", "--json")).out
      for (const text of [html, markdown, json]) {
        assert.notInclude(text, SECRET)
        assert.include(text, "[redacted]")
        assert.notInclude(text, "\u001b")
      }
      assert.notInclude(html, "ghp_a")
      assert.notInclude(markdown, "ghp_a")
    }).pipe(Effect.scoped)
  )

  it.live("is not written over anything, nor where it may not be", () =>
    Effect.gen(function* () {
      const { claw, workspace } = yield* kit()
      const shut = join(workspace, "shut")
      mkdirSync(shut)
      if (process.getuid?.() !== 0) chmodSync(shut, 0o500)
      const missing = yield* claw("sessions", "export", "aa1", join(workspace, "no", "such.md"))
      assert.deepStrictEqual([missing.code, existsSync(join(workspace, "no"))], [1, false])
      const file = join(workspace, "s.md")
      yield* claw("sessions", "export", "aa1", file)
      const before = readFileSync(file, "utf8")
      assert.include((yield* claw("sessions", "export", "ab2", file)).err, "exists already")
      assert.strictEqual(readFileSync(file, "utf8"), before)
    }).pipe(Effect.scoped)
  )
})

describe("claw fork", () => {
  it.live("copies up to a point, in the session's directory or another, and is free", () =>
    Effect.gen(function* () {
      const { claw, list, workspace } = yield* kit()
      const forked = (yield* claw("fork", "aa1", "--at", "6", "--json")).json[0]
      assert.match(forked.session_id, /^fork-/)
      assert.deepStrictEqual([forked.workspace, forked.title], [workspace, "title of terminal-aa1"])
      const facts = (yield* claw("sessions", "show", forked.session_id, "--json")).json
      assert.deepStrictEqual(
        facts.slice(6).map(({ type }) => type),
        ["approval_resolved", "tool_result", "task_canceled"]
      )
      assert.strictEqual(facts.at(-1).reason, "forked")
      const state = facts.reduce((folded, body) => fold(folded, body), initial)
      assert.strictEqual(state.task, undefined)
      const elsewhere = join(workspace, "else")
      mkdirSync(elsewhere)
      assert.strictEqual((yield* claw("fork", "aa1", "--cwd", elsewhere, "--json")).json[0].workspace, elsewhere)
      const newest = (yield* claw("fork", "--json")).json[0]
      assert.strictEqual(newest.workspace, workspace)
      const before = (yield* list()).length
      const ahead = yield* claw("fork", "aa1", "--at", "99")
      assert.deepStrictEqual([ahead.code, ahead.err.includes("[position_ahead]")], [1, true])
      assert.strictEqual((yield* claw("fork", "aa1", "--at", "x")).code, 2)
      assert.strictEqual((yield* list()).length, before)
      assert.match((yield* claw("fork", "aa1")).out, /^fork-[0-9a-f-]+\n$/)
    }).pipe(Effect.scoped)
  )
})
