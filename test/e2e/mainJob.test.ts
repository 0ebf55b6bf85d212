/**
 * The main job: a person asks for a failing test to be fixed, in a real repository, and watches, answers, and asks on.
 * (R020, R085, R091, R140–R144, R296, R306, R316, R317, R319, R322; LESSONS 11, 12, 15)
 */
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SIDE_BY_SIDE, worldAt } from "../support/e2eProgram.ts"
import { call, servers } from "../support/e2eServers.ts"
import * as Terminal from "../support/e2eTerminal.ts"

const FILES = {
  "src/add.mjs": "export const add = (a, b) => a - b\n",
  "check.mjs": [
    'import { add } from "./src/add.mjs"',
    "console.log(add(2, 3) === 5 ? `PASS ${add(2, 3)}` : `FAIL ${add(2, 3)}`)",
    "process.exitCode = add(2, 3) === 5 ? 0 : 1",
    ""
  ].join("\n")
}

const EPISODES = [
  {
    prompt: "fix the failing test",
    calls: [
      call("c1", "read_file", { path: "src/add.mjs" }),
      call("c2", "bash", { command: "node check.mjs" }),
      call("c3", "edit_file", { path: "src/add.mjs", old_text: "a - b", new_text: "a + b" }),
      call("c4", "bash", { command: "node check.mjs" }),
      call("c5", "edit_file", { path: "src/add.mjs", old_text: "(a, b)", new_text: "(a, b, ...none)" }),
      call("c6", "edit_file", { path: "src/add.mjs", old_text: "(a, b, ...none)", new_text: "(a, b)" })
    ],
    text: "Fixed: add subtracted."
  },
  { prompt: "what was wrong?", calls: [], text: "It used minus." }
] as const

const rolesAndIds = (messages: ReadonlyArray<Readonly<Record<string, unknown>>>) =>
  messages
    .filter(({ role }) => role !== "system" && role !== "developer")
    .map(({ role, tool_call_id }) => (role === "tool" ? `tool ${String(tool_call_id)}` : String(role)))

const resultOf = (messages: ReadonlyArray<Readonly<Record<string, unknown>>>, id: string) =>
  String(messages.find(({ tool_call_id }) => tool_call_id === id)?.["content"])

const ROUND = ["c1", "c2", "c3", "c4", "c5", "c6"].flatMap((id) => ["assistant", `tool ${id}`])

/** Twice the bash question, once the question of the edit with its diff; the grant covers the later edits. */
const answerAll = Effect.fnUntraced(function* (tty: Terminal.Tty) {
  yield* tty.until(/Approval needed: bash[^]*node check\.mjs[^]*y once/)
  yield* tty.answer("y")
  const asked = yield* tty.until(/Approval needed: edit_file[^]*y once/)
  assert.include(asked, "-export const add = (a, b) => a - b")
  assert.include(asked, "+export const add = (a, b) => a + b")
  yield* tty.answer("s")
  yield* tty.shows("number of the grant")
  yield* tty.apart
  tty.type("2")
  yield* tty.until((screen) => screen.includes("✓ edit_file") && /Approval needed: bash[^]*y once/.test(screen))
  yield* tty.answer("y")
})

describe.each(servers)("against %s", SIDE_BY_SIDE, (_name, serve) => {
  it.live("a failing test is fixed with the person's consent, and the conversation goes on", () =>
    Effect.gen(function* () {
      const server = yield* serve(EPISODES)
      const { env, workspace } = yield* worldAt(server.base_url, FILES)
      const tty = yield* Terminal.start({ env, cwd: workspace })
      yield* tty.prompt
      tty.enter("fix the failing test")
      yield* answerAll(tty)
      yield* tty.shows("Fixed: add subtracted.")
      yield* tty.ended(1)
      assert.strictEqual(readFileSync(join(workspace, "src/add.mjs"), "utf8"), "export const add = (a, b) => a + b\n")
      assert.strictEqual(
        execFileSync("git", ["status", "--porcelain"], { cwd: workspace, encoding: "utf8" }),
        " M src/add.mjs\n"
      )
      tty.enter("what was wrong?")
      yield* tty.shows("It used minus.")
      yield* tty.ended(2)
      const last = server.requests().at(-1) ?? []
      assert.strictEqual(server.requests().length, 8)
      assert.deepStrictEqual(rolesAndIds(last), ["user", ...ROUND, "assistant", "user"])
      assert.include(resultOf(last, "c2"), "FAIL -1")
      assert.include(resultOf(last, "c4"), "PASS 5")
      assert.deepStrictEqual(server.violations(), [])
      // Each request begins with the one before it, byte for byte (LESSONS 15).
      server.requests().reduce((before, now) => {
        assert.deepStrictEqual(now.slice(0, before.length), before)
        return now
      })
      tty.enter("/exit")
      assert.strictEqual(yield* tty.exited, 0)
    })
  )
})
