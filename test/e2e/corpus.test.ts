/**
 * The corpus through the running program (issue 4, SECURITY §2 (c), R137, R152, R325): a model asks for the attacks, nobody
 * allows them, and no marker appears; each call has one observation and one entry in the audit.
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { bashCorpus, type BashEntry, commandOf, readCorpus, writeFile } from "../support/approvalCorpus.ts"
import { judged, type Line } from "../support/e2eJson.ts"
import { claw, type FakeWorld, world } from "../support/e2eProgram.ts"
import { served } from "../support/e2eServer.ts"
import { calls, text } from "../support/fakeModelScript.ts"
import type { Proof } from "../support/liveCorpus.ts"
import { rawTcp } from "../support/rawTcp.ts"

const PWN = "#!/bin/sh\ntouch pwned\n"
/** One repository for all: what entries would put there in other words is left to the tests of single entries. */
const FILES: Readonly<Record<string, string>> = {
  "evil.sh": PWN,
  git: PWN,
  "evil.js": "require('fs').writeFileSync('pwned','')\n",
  "README.md": "changed\n",
  "package.json": '{"scripts":{"test":"true"}}\n'
}

const isHere = ({ files = [] }: BashEntry): boolean =>
  files.every(({ changed_after_grant, path, text: content }) => {
    if (path === undefined || changed_after_grant === true) return false
    return FILES[path] === content || (path === "evil.js" && content !== undefined)
  })

const proofs = readCorpus("proofs") as Readonly<Record<string, Proof>>

const attacks = bashCorpus("bash", "more", "hostile", "variants").filter(
  (entry) =>
    entry.deny === undefined && entry.raw_arguments !== true && isHere(entry) && proofs[entry.id]?.creates === "pwned"
)

/** What the corpus says was granted: as grants of a session, and as a person's own rules. */
const GRANTED = [
  "git status",
  "git log",
  "echo hello",
  "cat README.md",
  "git diff",
  "npm test",
  "test -f a",
  "printf x"
]
const RULES = GRANTED.map((line) => ({ argv: line.split(" ").slice(0, /^(?:git|npm)/.test(line) ? 2 : 1) }))

const PER_TURN = 16

const callOf = (command: string, id: string) => ({ id, name: "bash", arguments: JSON.stringify({ command }) })

const turnsOf = (commands: ReadonlyArray<string>, prefix: string) =>
  Array.from({ length: Math.ceil(commands.length / PER_TURN) }, (_, at) =>
    calls(
      commands
        .slice(at * PER_TURN, (at + 1) * PER_TURN)
        .map((command, nth) => callOf(command, `${prefix}${at * PER_TURN + nth}`))
    )
  )

const prepared = Effect.map(world(), (at) => {
  for (const [path, content] of Object.entries(FILES))
    writeFile(at.workspace, { path, text: content, ...(content === PWN ? { mode: "755" } : {}) })
  return at
})

const count = (lines: ReadonlyArray<Line>, type: string) => {
  const found = new Map<string, number>()
  for (const line of lines)
    if (line.type === type) found.set(String(line["call_id"]), (found.get(String(line["call_id"])) ?? 0) + 1)
  return found
}

const once = (ids: Iterable<string>) => new Map(Array.from(ids, (id) => [id, 1]))

/** One observation, one decision, one entry of the audit for each call; the attacks were all denied and left nothing. */
const hold = Effect.fnUntraced(function* (at: FakeWorld, lines: ReadonlyArray<Line>, all: number) {
  const ids = lines.flatMap(({ type, call_id }) => (type === "tool_call" ? [String(call_id)] : []))
  assert.strictEqual(ids.length, all)
  assert.deepStrictEqual(count(lines, "tool_result"), once(ids))
  assert.deepStrictEqual(count(lines, "approval_resolved"), once(ids))
  const audit = yield* claw(["audit", "--json"], { env: at.env, cwd: at.workspace })
  const entries = audit.stdout
    .trim()
    .split("\n")
    .map((line) => ({ ...(JSON.parse(line) as Line), type: "entry" }))
  assert.deepStrictEqual(count(entries, "entry"), once(ids))
  assert.strictEqual((yield* claw(["audit", "--verify"], { env: at.env, cwd: at.workspace })).code, 0)
  const results = lines.filter(({ type, call_id }) => type === "tool_result" && String(call_id).startsWith("attack"))
  assert.deepStrictEqual(
    results
      .filter(({ status }) => status !== "denied")
      .map(({ call_id }) => attacks[Number(String(call_id).slice(6))]?.id),
    []
  )
  assert.strictEqual(results.length, attacks.length)
  assert.isFalse(existsSync(join(at.workspace, "pwned")))
  assert.deepStrictEqual(at.model.violations(), [])
})

const isTerminal = ({ type }: Line) => type === "task_completed" || type === "task_failed" || type === "task_canceled"

describe("the corpus through the program", () => {
  it.live(
    "claw run, nobody is asked, a person's rules allow what was granted",
    () =>
      Effect.gen(function* () {
        assert.isAbove(attacks.length, 150)
        const at = yield* prepared
        mkdirSync(join(at.home, ".config/claw"), { recursive: true })
        writeFileSync(join(at.home, ".config/claw/config.json"), JSON.stringify({ rules: { allow: RULES } }))
        at.model.script(
          ...turnsOf(GRANTED, "granted"),
          ...turnsOf(attacks.map(commandOf), "attack"),
          text("all refused")
        )
        const ran = yield* claw(["run", "--json", "--mode", "never-ask", "go"], { env: at.env, cwd: at.workspace })
        assert.strictEqual(ran.code, 0, ran.stderr)
        const lines = judged(ran.stdout)
        yield* hold(at, lines, GRANTED.length + attacks.length)
        const allowed = lines.filter(({ type, decision }) => type === "approval_resolved" && decision === "allow_once")
        assert.strictEqual(allowed.length, GRANTED.length)
      }),
    120_000
  )

  it.live(
    "claw serve over the wire: grants of the session are given, all else is refused",
    () =>
      Effect.gen(function* () {
        const at = yield* prepared
        at.model.script(
          ...turnsOf(GRANTED, "granted"),
          ...turnsOf(attacks.map(commandOf), "attack"),
          text("all refused")
        )
        const { ready } = yield* served(at)
        const wire = yield* rawTcp(ready.tcp.port)
        const say = (message: object) => wire.write(`${JSON.stringify(message)}\n`)
        yield* say({ type: "prompt", content: "go" })
        const lines: Array<Line> = []
        for (let line: Line = { type: "" }; !isTerminal(line);) {
          line = JSON.parse(yield* wire.line) as Line
          lines.push(line)
          if (line.type !== "approval_request") continue
          const answer = String(line["call_id"]).startsWith("granted")
            ? { decision: "allow_session", grant_option: "command" }
            : { decision: "deny" }
          yield* say({ type: "approval_response", request_id: line["request_id"], ...answer })
        }
        assert.strictEqual(lines.at(-1)?.type, "task_completed", JSON.stringify(lines.at(-1)))
        yield* hold(at, lines, GRANTED.length + attacks.length)
        const asked = lines.filter(({ type }) => type === "approval_request").length
        assert.isAbove(asked, attacks.length / 2)
        const granted = lines.filter(
          ({ type, decision }) => type === "approval_resolved" && decision === "allow_session"
        )
        assert.strictEqual(granted.length, GRANTED.length)
      }),
    120_000
  )

  it.live("the marker of the same commands appears where everything is allowed", () =>
    Effect.gen(function* () {
      const at = yield* prepared
      const [first] = attacks
      assert.deepStrictEqual([first?.id, attacks.filter(({ id }) => id.startsWith("B")).length], ["B001", 41])
      at.model.script(calls([callOf(commandOf(first!), "attack0")]), text("done"))
      const ran = yield* claw(["run", "--json", "--mode", "bypass", "go"], { env: at.env, cwd: at.workspace })
      assert.strictEqual(ran.code, 0, ran.stderr)
      assert.isTrue(existsSync(join(at.workspace, "pwned")))
    })
  )
})
