/** Whatever is wrong with a configuration: one sentence, the place, the key, a way out; never a stack (issue, Bad input). */
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import * as AppConfig from "../../src/config/AppConfig.ts"
import { MAX_FILE_BYTES } from "../../src/config/configFile.ts"
import { type Files, directoryWith } from "../support/directories.ts"

/** The message for a user file of this text, with the directory cut off. */
const messageFor = Effect.fnUntraced(function* (files: Files, env: Readonly<Record<string, string>> = {}) {
  const home = yield* directoryWith(files)
  const loaded = AppConfig.load({ workspace: home, env: { HOME: home, ...env } })
  return Result.isSuccess(loaded) ? "no error" : loaded.failure.message.replaceAll(home, "~")
})

const userFile = ".config/claw/config.json"
const shown = `~/${userFile}`

const cases: ReadonlyArray<readonly [text: string, message: string]> = [
  ['{\n  "model": m\n}', `${shown}:2:12: this is not JSON; the mistake is here or just before.`],
  ['{"model": "m",}', `${shown}:1:15: this is not JSON; the mistake is here or just before.`],
  ['{"model": "m"', `${shown}:1:14: this is not JSON; the mistake is here or just before.`],
  ['{"mod": 1}', `${shown}:1:2: unknown key mod; did you mean mode?`],
  ['{\n "limits": {\n  "max_turn": 3}}', `${shown}:3:3: unknown key limits.max_turn; did you mean max_turns?`],
  ['{"limits": {"zzzzzzzz": 3}}', `${shown}:1:13: unknown key limits.zzzzzzzz`],
  ['{"mode": "yolo"}', `${shown}:1:2: mode must be "bypass" | "accept-edits" | "ask" | "never-ask" | "plan".`],
  ['{"limits": {"max_turns": 0}}', `${shown}:1:13: limits.max_turns must be between 1 and 10000.`],
  ['{"rules": {"deny": [{"tool": 1}]}}', `${shown}:1:22: rules.deny[0].tool must be a string.`],
  ['{"limits": {"max_turns": 1.5}}', `${shown}:1:13: limits.max_turns must be an integer.`],
  ['{"limits": {"max_turns": "3"}}', `${shown}:1:13: limits.max_turns must be a number.`],
  ['{"server": {"behind_proxy": 1}}', `${shown}:1:13: server.behind_proxy must be true or false.`],
  ['{"server": {"allowed_hosts": "a"}}', `${shown}:1:13: server.allowed_hosts must be an array.`],
  ['{"limits": null}', `${shown}:1:2: limits must be an object.`],
  ['{"__proto__": {"mode": "bypass"}}', `${shown}:1:2: the key __proto__ is never allowed.`],
  ['{"api_key": "sk-very-secret-value"}', `${shown}:1:2: unknown key api_key`],
  ['{"models": {"m": {"prices": {"input": 1, "output": 2}}}}', "no error"],
  ['{"models": {"m": {"prices": {"input": 1}}}}', `${shown}:1:19: models.m.prices.output is missing.`],
  [
    '{"models": {"m": {"prices": {"input": -1, "output": 2}}}}',
    `${shown}:1:30: models.m.prices.input must be between 0 and 1000000.`
  ],
  [
    '{"models": {"m": {"output_token": 9}}}',
    `${shown}:1:19: unknown key models.m.output_token; did you mean output_tokens?`
  ],
  [
    '{"models": {"a model": {}}}',
    `${shown}:1:13: models.a model is not the name of a model, perhaps with * at its end.`
  ],
  ['{"models": {"__proto__": {"tools": true}}}', `${shown}:1:13: the key __proto__ is never allowed.`],
  ["[]", `${shown}:1:1: the configuration must be an object.`],
  [
    '{"rules": {"deny": [{"tool": "bash"}, {"argv": ["git push"]}]}}',
    `${shown}:1:39: the rule rules.deny[1] has several words in one element of argv, "git push". Write one word an element: ["git", "push"]; if it is meant word for word, say so with examples.match.`
  ],
  [
    '{"rules": {"allow": [{"argv": ["*"]}]}}',
    `${shown}:1:22: the rule rules.allow[0] has "*" in argv, where words are no patterns. For every command: leave argv out and write "tool": "bash"; if it is meant word for word, say so with examples.match.`
  ],
  [
    '{"rules": {"ask": [{"argv": ["npm", "run", "build:*"]}]}}',
    `${shown}:1:20: the rule rules.ask[0] has "build:*" in argv, where words are no patterns. For every command that begins so: ["npm", "run"]; if it is meant word for word, say so with examples.match.`
  ],
  [
    '{"rules": {"allow": [{}]}}',
    `${shown}:1:22: the rule rules.allow[0] names nothing. Give it argv (the words a command begins with), path (a glob) or tool (a name, or "*").`
  ],
  [
    '{"rules": {"allow": [{"argv": ["rm"], "path": "tmp/**"}]}}',
    `${shown}:1:22: the rule rules.allow[0] has both argv and path, and only one of them can count. Make two rules of it.`
  ],
  [
    '{"rules": {"deny": [{"argv": ["rm"], "tool": "Bash"}]}}',
    `${shown}:1:21: the rule rules.deny[0] has argv and the tool "Bash", which runs no commands. Write "tool": "bash", or path.`
  ],
  [
    '{"rules": {"deny": [{"path": "secrets/"}]}}',
    `${shown}:1:21: the rule rules.deny[0] has a path that ends in /. Write secrets/** for all below it.`
  ],
  [
    '{"rules": {"deny": [{"path": "!src/**"}]}}',
    `${shown}:1:21: the rule rules.deny[0] has a path that begins with !, which negates nothing here. Write what it is to cover.`
  ],
  ...["../x", "a/../b", "a/./b", "a//b"].map(
    (path) =>
      [
        `{"rules": {"ask": [{"path": "${path}"}]}}`,
        `${shown}:1:20: the rule rules.ask[0] has a path with "..", "." or nothing between its /, and what is looked at has none. Write it from / or relative to the workspace.`
      ] as const
  ),
  [
    '{"rules": {"deny": [{"effect": "network", "tool": "grep"}]}}',
    `${shown}:1:21: the rule rules.deny[0] has the effect network and the tool "grep", which runs no commands. Write "tool": "bash".`
  ],
  [
    '{"rules": {"allow": [{"tool": "bash", "path": "src/**"}]}}',
    `${shown}:1:22: the rule rules.allow[0] allows bash by path, and no path says what a command does. Give it argv.`
  ],
  [
    '{"rules": {"deny": [{"path": "~/.ssh/**"}]}}',
    `${shown}:1:21: the rule rules.deny[0] has a path with ~, which nothing expands. Write it from / or relative to the workspace.`
  ],
  [
    '{"rules": {"allow": [{"tool": "write_file", "path": "/etc/**"}]}}',
    `${shown}:1:22: the rule rules.allow[0] has a path that leads elsewhere, and an allow rule covers files of the workspace alone. Write it relative to the workspace.`
  ],
  ['{"rules": {"deny": [{"effect": "network", "examples": {"match": ["curl h"], "no_match": ["ls"]}}]}}', "no error"],
  [
    '{"rules": {"allow": [{"effect": "network"}]}}',
    `${shown}:1:22: the rule rules.allow[0] allows by effect, and what else such a command does nobody knows. Give it argv.`
  ],
  [
    '{"rules": {"ask": [{"effect": "deletes", "argv": ["rm"]}]}}',
    `${shown}:1:20: the rule rules.ask[0] has an effect beside argv or path, and only one of them can count. Make two rules of it.`
  ],
  ['{"rules": {"deny": [{"path": "/etc/**"}], "allow": [{"path": "etc/**"}]}}', "no error"],
  ['{"rules": {"deny": [{"argv": ["rm", "-rf", "*"], "examples": {"match": ["rm -rf *"]}}]}}', "no error"],
  ['{"state_dir": "here"}', `${shown}: state_dir must be an absolute path.`]
]

describe("mistakes in the user's file", () => {
  it.effect.each(cases)("%j", ([text, message]) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* messageFor({ [userFile]: text }), message)
    })
  )

  it.effect("a byte order mark and an empty file are no mistakes", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* messageFor({ [userFile]: '\uFEFF{"model":"m"}' }), "no error")
      assert.strictEqual(yield* messageFor({ [userFile]: " \n" }), "no error")
      assert.strictEqual(yield* messageFor({}), "no error")
    })
  )
})

describe("mistakes around files", () => {
  it.effect("a named file has to exist; a directory, a device, a pipe and a huge file are refused at once", () =>
    Effect.gen(function* () {
      const home = yield* directoryWith({ "huge.json": " ".repeat(MAX_FILE_BYTES + 1), "bytes.json": "{}" })
      execFileSync("mkfifo", [join(home, "pipe")])
      const message = (file: string) => {
        const loaded = AppConfig.load({ workspace: home, env: { HOME: home, CLAW_CONFIG: file } })
        return Result.isSuccess(loaded) ? "no error" : loaded.failure.message.replaceAll(home, "~")
      }
      assert.deepStrictEqual(
        ["absent.json", "pipe", "huge.json"].map((name) => message(join(home, name))),
        [
          "~/absent.json: there is no such file.",
          "~/pipe: this file cannot be read (it is not a regular file).",
          `~/huge.json: this file cannot be read (it is larger than ${MAX_FILE_BYTES} bytes).`
        ]
      )
      assert.strictEqual(message(home), "~: this file cannot be read (it is not a regular file).")
      assert.strictEqual(message("/dev/zero"), "/dev/zero: this file cannot be read (it is not a regular file).")
    })
  )
})

describe("mistakes in the environment", () => {
  it.effect.each([
    [{ CLAW_MODE: "yolo" }, 'CLAW_MODE: mode must be "bypass" | "accept-edits" | "ask" | "never-ask" | "plan".'],
    [{ CLAW_CONTEXT_WINDOW: "many" }, "CLAW_CONTEXT_WINDOW: limits.context_window_tokens must be a number."],
    [{ CLAW_LIMITS_MAX_TURNS: "0" }, "CLAW_LIMITS_MAX_TURNS: limits.max_turns must be between 1 and 10000."],
    [{ CLAW_LOG: "loud" }, 'CLAW_LOG: log.level must be "off" | "error" | "warn" | "info" | "debug" | "trace".'],
    [{ CLAW_LANG: "tlh" }, 'CLAW_LANG: locale must be "en" | "zh-CN".'],
    [
      { OPENAI_BASE_URL: "localhost:11434" },
      "OPENAI_BASE_URL: base_url must be a URL that begins with http:// or https://."
    ]
  ] as const)("%j", ([env, message]) =>
    Effect.gen(function* () {
      const got = yield* messageFor({}, env)
      assert.strictEqual(got, message)
    })
  )

  it.effect("a variable that sets nothing is only mentioned", () =>
    Effect.gen(function* () {
      const home = yield* directoryWith()
      const config = Result.getOrThrow(AppConfig.load({ workspace: home, env: { HOME: home, CLAW_MODLE: "m" } }))
      assert.deepStrictEqual(config.warnings, ["CLAW_MODLE is not a variable of claw; did you mean CLAW_MODEL?"])
    })
  )
})
