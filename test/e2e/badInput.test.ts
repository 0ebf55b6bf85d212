/**
 * Whatever a person gets wrong: one clear sentence on standard error, the right exit code, nothing on standard output,
 * no stack, no key (R088, R272, R320).
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { claw, type Env, type FakeWorld, KEY, SIDE_BY_SIDE, STACK, world } from "../support/e2eProgram.ts"
import { html, refusal } from "../support/fakeModelScript.ts"

interface Row {
  readonly what: string
  readonly args: ReadonlyArray<string>
  readonly code: 1 | 2
  readonly says: RegExp
  readonly env?: Env
  readonly without?: ReadonlyArray<string>
  readonly input?: string | Uint8Array
  readonly before?: (scene: FakeWorld) => void
  /** Requests that the model server saw: exactly, or at most where it is worth another try. */
  readonly requests: number
  readonly retried?: true
}

/** Port 9 of loopback: nobody listens there. */
const NOBODY = "http://127.0.0.1:9/v1"

const rows: ReadonlyArray<Row> = [
  {
    what: "no key and no server",
    args: ["run", "hello"],
    without: ["OPENAI_API_KEY", "OPENAI_BASE_URL", "CLAW_MODEL"],
    code: 2,
    says: /OPENAI_API_KEY|OPENAI_BASE_URL/,
    requests: 0
  },
  {
    what: "no model named",
    args: ["run", "hello"],
    without: ["CLAW_MODEL"],
    code: 2,
    says: /--model or CLAW_MODEL/,
    requests: 0
  },
  {
    what: "a wrong key",
    args: ["run", "hello"],
    before: ({ model }) => model.rule(() => refusal(401, { message: `Incorrect API key provided: ${KEY}` })),
    code: 1,
    says: /key.*\[provider_auth\]/i,
    requests: 1
  },
  {
    what: "an unreachable server",
    args: ["run", "hello"],
    env: { OPENAI_BASE_URL: NOBODY },
    code: 1,
    says: /cannot be reached.*\[provider_unreachable\]|127\.0\.0\.1:9.*\[provider_unreachable\]/,
    requests: 0
  },
  {
    what: "a web page instead of an answer",
    args: ["run", "hello"],
    before: ({ model }) => model.rule(() => html()),
    code: 1,
    says: /web page.*base URL.*\/v1.*\[provider_\w+\]/,
    requests: 5,
    retried: true
  },
  {
    what: "a model that the server does not know",
    args: ["run", "--model", "no-such-model", "hello"],
    before: ({ model }) =>
      model.rule(() => refusal(404, { message: "The model does not exist", code: "model_not_found" })),
    code: 1,
    says: /model.*\[provider_model_not_found\]/i,
    requests: 1
  },
  {
    what: "an address that is none",
    args: ["run", "--base-url", "localhost:1234", "hello"],
    code: 2,
    says: /http:\/\//,
    requests: 0
  },
  { what: "an unknown flag", args: ["run", "--josn", "hello"], code: 2, says: /--josn.*--json/, requests: 0 },
  { what: "an unknown command", args: ["rnu", "hello"], code: 2, says: /rnu.*run/, requests: 0 },
  { what: "a flag without its value", args: ["run", "hello", "--model"], code: 2, says: /--model/, requests: 0 },
  { what: "a mode that is none", args: ["run", "--mode", "yolo", "hello"], code: 2, says: /yolo|bypass/, requests: 0 },
  { what: "a number that is none", args: ["run", "--max-turns", "many", "hello"], code: 2, says: /turns/, requests: 0 },
  { what: "no prompt", args: ["run"], input: "", code: 2, says: /prompt/, requests: 0 },
  { what: "a prompt of white space", args: ["run"], input: " \n\t\n", code: 2, says: /prompt/, requests: 0 },
  { what: "an argument of white space", args: ["run", "  "], code: 2, says: /prompt/i, requests: 0 },
  {
    what: "a missing workspace",
    args: ["run", "--cwd", "/nowhere/at/all", "hello"],
    code: 2,
    says: /\/nowhere\/at\/all.*does not exist/,
    requests: 0
  },
  {
    what: "a file for a workspace",
    args: ["run", "--cwd", "/etc/passwd", "hello"],
    code: 2,
    says: /\/etc\/passwd.*not a directory/,
    requests: 0
  },
  {
    what: "a session that is none",
    args: ["sessions", "show", "no-such"],
    code: 1,
    says: /no session|no such session/i,
    requests: 0
  },
  {
    what: "a session id that is none",
    args: ["run", "--session", "a b/../c", "hello"],
    code: 2,
    says: /session id/,
    requests: 0
  },
  {
    what: "a broken configuration file",
    args: ["run", "hello"],
    before: ({ home }) => {
      mkdirSync(join(home, ".config/claw"), { recursive: true })
      writeFileSync(join(home, ".config/claw/config.json"), '{ "model": ')
    },
    code: 2,
    says: /config\.json/,
    requests: 0
  },
  {
    what: "a configuration with an unknown key",
    args: ["run", "hello"],
    before: ({ home }) => {
      mkdirSync(join(home, ".config/claw"), { recursive: true })
      writeFileSync(join(home, ".config/claw/config.json"), '{ "modle": "m" }')
    },
    code: 2,
    says: /modle.*model/,
    requests: 0
  },
  {
    what: "a state directory that cannot be made",
    args: ["run", "hello"],
    env: { CLAW_STATE_DIR: "/dev/null/none" },
    code: 1,
    says: /\/dev\/null\/none.*cannot be opened.*\[storage_unavailable\]/,
    requests: 0
  },
  {
    what: "input that is no text",
    args: ["run"],
    input: Uint8Array.of(0x66, 0xff, 0xfe),
    code: 2,
    says: /UTF-8/,
    requests: 0
  }
]

const environment = ({ env }: FakeWorld, row: Row): Env =>
  Object.fromEntries(Object.entries({ ...env, ...row.env }).filter(([name]) => row.without?.includes(name) !== true))

describe("bad input", SIDE_BY_SIDE, () => {
  it.live.each(rows)("$what", (row) =>
    Effect.gen(function* () {
      const scene = yield* world()
      row.before?.(scene)
      const { args, input = "" } = row
      const ended = yield* claw(args, { env: environment(scene, row), cwd: scene.workspace, input })
      assert.deepStrictEqual({ code: ended.code, stdout: ended.stdout }, { code: row.code, stdout: "" }, ended.stderr)
      assert.match(ended.stderr, row.says)
      const sentences = ended.stderr
        .trim()
        .split("\n")
        .filter((line) => !line.includes("Trying again in"))
      assert.strictEqual(sentences.length, 1, ended.stderr)
      assert.match(ended.stderr, /^claw: /)
      assert.notMatch(ended.stderr, STACK)
      assert.notInclude(ended.stderr, KEY)
      const asked = scene.model.requests().length
      if (row.retried === true) assert.isAtMost(asked, row.requests)
      else assert.strictEqual(asked, row.requests)
    })
  )

  it.live.each(rows.filter(({ requests }) => requests === 0))("$what, in Chinese", (row) =>
    Effect.gen(function* () {
      const scene = yield* world()
      row.before?.(scene)
      const { args, code, input = "" } = row
      const env = { ...environment(scene, row), CLAW_LANG: "zh-CN" }
      const ended = yield* claw(args, { env, cwd: scene.workspace, input })
      assert.strictEqual(ended.code, code)
      assert.match(ended.stderr, /^claw: .*\p{Script=Han}/u)
      // A quotation may stand in it, and names of flags, commands and files; no English sentence.
      assert.notMatch(ended.stderr.replace(/（原文：.*）/g, ""), /[a-z]+ (?:is|are|no|not|what|the|a|cannot) /)
    })
  )
})
