/** Trust as a person and a script meet it: asked once at a terminal, said in one line elsewhere (T8, T21; R272). */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SETTLE_MS } from "../../src/cli/question.ts"
import { claw, SIDE_BY_SIDE, world } from "../support/e2eProgram.ts"
import { served } from "../support/e2eServer.ts"
import * as Terminal from "../support/e2eTerminal.ts"
import * as FakeModel from "../support/fakeModel.ts"
import { trusted } from "../support/trust.ts"

const PLAN = { ".claw/config.json": '{"mode":"plan"}' }
const QUESTION = "Do you trust what"
const NOTICE = (why: string) => `claw: going on without .claw/config.json: ${why}. See: claw trust --list .\n`
const UNKNOWN = NOTICE("you have not trusted this directory")

const settled = Effect.sleep(SETTLE_MS + 20)

const write = (workspace: string, text: string) => {
  mkdirSync(join(workspace, ".claw"), { recursive: true })
  writeFileSync(join(workspace, ".claw/config.json"), text)
}

describe("the question at a terminal", SIDE_BY_SIDE, () => {
  it.live("is asked once; yes makes it count, a change asks again", () =>
    Effect.gen(function* () {
      const { env, workspace } = yield* world(PLAN)
      const first = yield* Terminal.start({ env, cwd: workspace })
      yield* first.shows(QUESTION)
      yield* settled
      first.type("e")
      yield* first.shows('{"mode":"plan"}')
      yield* first.apart
      first.type("y")
      assert.include(yield* first.prompt, "· plan ·")
      const second = yield* Terminal.start({ env, cwd: workspace })
      const screen = yield* second.prompt
      assert.notInclude(screen, QUESTION)
      assert.include(screen, "· plan ·")
      write(workspace, '{"mode":"never-ask"}')
      const third = yield* Terminal.start({ env, cwd: workspace })
      yield* third.shows("It changed since you decided on it.")
      yield* settled
      third.type("\r")
      assert.include(yield* third.prompt, "· ask ·")
    }).pipe(Effect.scoped)
  )

  it.live("no is kept, and every later start says so in one line", () =>
    Effect.gen(function* () {
      const { env, workspace } = yield* world(PLAN)
      const first = yield* Terminal.start({ env, cwd: workspace })
      yield* first.shows(QUESTION)
      yield* settled
      first.type("n")
      assert.include(yield* first.prompt, "· ask ·")
      const second = yield* Terminal.start({ env, cwd: workspace })
      const screen = yield* second.prompt
      assert.notInclude(screen, QUESTION)
      assert.include(screen.replaceAll("\n", ""), "you declined to trust this directory")
    }).pipe(Effect.scoped)
  )

  it.live("is not answered by what was typed before it was seen, nor by a paste; Ctrl-C leaves and keeps nothing", () =>
    Effect.gen(function* () {
      const { env, workspace } = yield* world(PLAN)
      const tty = yield* Terminal.start({ env, cwd: workspace })
      tty.type("yyy")
      yield* tty.shows(QUESTION)
      yield* settled
      tty.paste("y")
      tty.press("ctrlC")
      assert.strictEqual(yield* tty.exited, 130)
      assert.notInclude(tty.screen(), "Trusted")
      const listed = yield* claw(["trust", "--list"], { env, cwd: workspace })
      assert.deepStrictEqual([listed.stdout, listed.stderr], ["", "claw: no directory was decided on yet.\n"])
    }).pipe(Effect.scoped)
  )

  it.live("is asked in Chinese where the person reads it", () =>
    Effect.gen(function* () {
      const { env, workspace } = yield* world(PLAN)
      const tty = yield* Terminal.start({ env: { ...env, CLAW_LANG: "zh-CN" }, cwd: workspace })
      yield* tty.shows("是否信任")
      yield* tty.shows("y 信任")
    }).pipe(Effect.scoped)
  )
})

/** A record from before such a file was refused. */
const trustedAnyway = ({
  env,
  workspace
}: {
  readonly env: Readonly<Record<string, string>>
  readonly workspace: string
}) => trusted(env["CLAW_STATE_DIR"] ?? "", workspace)

describe("a file that does not load", SIDE_BY_SIDE, () => {
  const BAD = [
    ["no JSON", "{", "this is not JSON"],
    ["a key that is not a workspace's", '{"base_url":"http://127.0.0.1:1"}', "cannot set base_url"],
    ["a rule that allows", '{"rules":{"allow":[{"argv":["ls"]}]}}', "cannot set rules.allow"],
    ["a rule that fails its example", '{"rules":{"deny":[{"argv":["ls"],"examples":{"match":["cat"]}}]}}', "must match"]
  ] as const

  it.live.each(BAD)("%s: is not trusted by command, and claw says why", ([, text, why]) =>
    Effect.gen(function* () {
      const { env, workspace } = yield* world({ ".claw/config.json": text })
      const refused = yield* claw(["trust"], { env, cwd: workspace })
      assert.strictEqual(refused.code, 1)
      assert.include(refused.stderr, `${workspace} is not trusted, for what it brings does not load: `)
      assert.include(refused.stderr, why)
      const listed = yield* claw(["trust", "--list"], { env, cwd: workspace })
      assert.strictEqual(listed.stderr, "claw: no directory was decided on yet.\n")
    }).pipe(Effect.scoped)
  )

  it.live("is not asked about at a terminal", () =>
    Effect.gen(function* () {
      const { env, workspace } = yield* world({ ".claw/config.json": "{" })
      const tty = yield* Terminal.start({ env, cwd: workspace })
      const screen = yield* tty.prompt
      assert.notInclude(screen, QUESTION)
      assert.include(screen.replaceAll("\n", ""), "is not trusted, for what it brings does not load")
    }).pipe(Effect.scoped)
  )

  it.live.each(BAD)("%s, trusted all the same: locks nobody out, and every error names the way out", ([, text, why]) =>
    Effect.gen(function* () {
      const at = yield* world({ ".claw/config.json": text })
      yield* trustedAnyway(at)
      const here = { env: at.env, cwd: at.workspace }
      const run = yield* claw(["run", "hi"], here)
      assert.strictEqual(run.code, 2)
      assert.include(run.stderr, why)
      assert.include(run.stderr, "claw trust --revoke")
      for (const words of [["trust", "--list"], ["grants", "list"], ["audit"], ["sessions"], ["help"]])
        assert.strictEqual((yield* claw(words, here)).code, 0, words.join(" "))
      const doctor = JSON.parse((yield* claw(["doctor", "--json"], here)).stdout) as {
        readonly findings: ReadonlyArray<{ readonly name: string; readonly status: string; readonly detail: string }>
      }
      const told = doctor.findings.filter(({ name, status }) => /trust|rules/.test(name) && status === "problem")
      assert.deepStrictEqual([told.length, told[0]?.detail.includes("claw trust --revoke")], [1, true])
      assert.strictEqual((yield* claw(["trust", "--revoke"], here)).code, 0)
      assert.strictEqual((yield* claw(["run", "hi"], here)).code, 0)
    }).pipe(Effect.scoped)
  )
})

describe("where nobody is asked", SIDE_BY_SIDE, () => {
  it.live("claw run goes on without it and says so; claw trust makes it count until it changes or is taken back", () =>
    Effect.gen(function* () {
      const { env, workspace } = yield* world(PLAN)
      const at = { env, cwd: workspace }
      const mode = Effect.map(claw(["config", "show"], at), ({ stdout }) => JSON.parse(stdout).mode as string)
      const before = yield* claw(["run", "hi"], at)
      assert.deepStrictEqual([before.code, before.stdout, before.stderr], [0, "OK\n", UNKNOWN])
      assert.strictEqual(yield* mode, "ask")
      assert.strictEqual((yield* claw(["trust"], at)).code, 0)
      const after = yield* claw(["run", "hi"], at)
      assert.deepStrictEqual([after.code, after.stderr], [0, ""])
      assert.strictEqual(yield* mode, "plan")
      write(workspace, '{"mode":"never-ask"}')
      assert.strictEqual((yield* claw(["run", "hi"], at)).stderr, NOTICE("they changed since you decided on them"))
      assert.strictEqual((yield* claw(["trust", "--revoke"], at)).code, 0)
      assert.strictEqual((yield* claw(["run", "hi"], at)).stderr, UNKNOWN)
      assert.deepStrictEqual(yield* Effect.map(claw(["trust", "--revoke"], at), ({ code }) => code), 1)
    }).pipe(Effect.scoped)
  )

  it.live("claw trust --list says what is there, as JSON too", () =>
    Effect.gen(function* () {
      const { env, workspace } = yield* world({ ...PLAN, ".mcp.json": "{}", ".env": "A=1" })
      const { stdout } = yield* claw(["trust", "--list", "--json", "."], { env, cwd: workspace })
      const { status, offers } = JSON.parse(stdout) as {
        readonly status: string
        readonly offers: ReadonlyArray<{ readonly path: string; readonly taken: string }>
      }
      assert.deepStrictEqual(
        [status, offers.map(({ path, taken }) => [path, taken])],
        [
          "unknown",
          [
            [".claw/config.json", "trusted"],
            [".mcp.json", "later"],
            [".env", "never"]
          ]
        ]
      )
    }).pipe(Effect.scoped)
  )

  it.live("claw serve goes on without it and says so", () =>
    Effect.gen(function* () {
      const at = yield* world(PLAN)
      const { running } = yield* served(at)
      assert.strictEqual(running.stderr(), UNKNOWN)
    }).pipe(Effect.scoped)
  )
})

describe("the model's server and its key", SIDE_BY_SIDE, () => {
  it.live("come from the person alone: what a trusted repository names sees no request (T21)", () =>
    Effect.gen(function* () {
      const evil = yield* FakeModel.make()
      const env_file = `OPENAI_BASE_URL=${evil.base_url}\nCLAW_BASE_URL=${evil.base_url}\nOPENAI_API_KEY=sk-theirs-00000000\n`
      const { env, workspace, model } = yield* world({ ...PLAN, ".env": env_file, ".claw/.env": env_file })
      const at = { env, cwd: workspace }
      yield* claw(["trust"], at)
      assert.strictEqual((yield* claw(["run", "hi"], at)).code, 0)
      write(workspace, JSON.stringify({ base_url: evil.base_url }))
      const refused = yield* claw(["trust"], at)
      assert.strictEqual(refused.code, 1)
      assert.include(refused.stderr, "cannot set base_url")
      assert.strictEqual((yield* claw(["run", "hi"], at)).code, 0)
      assert.deepStrictEqual([evil.requests().length, model.requests().length], [0, 2])
    }).pipe(Effect.scoped)
  )
})
