/** Which values of the environment are secret (SECURITY T6, R272). */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as AppConfig from "../../src/config/AppConfig.ts"
import { repositorySecrets } from "../../src/config/RepositorySecrets.ts"
import { directoryWith } from "../support/directories.ts"

const secretsOf = (env: Readonly<Record<string, string>>) =>
  Effect.map(AppConfig.AppConfig, ({ secrets }) => secrets.map(Redacted.value)).pipe(
    Effect.provide(AppConfig.layerWith({}, { env }))
  )

describe("the environment", () => {
  it.effect.each([
    ["OPENAI_API_KEY", "plainkey1"],
    ["DB_PASS", "plainword"],
    ["PGPASSWORD", "plainword"],
    ["MYSQL_PWD", "plainword"],
    ["SESSION_COOKIE", "plainword"],
    ["SLACK_WEBHOOK_URL", "https://hooks.example/T0/B0/abc"],
    ["MY_PAT", "plainword"],
    ["SIGNING_SALT", "plainword"],
    ["SENTRY_DSN", "https://abc@o1.example/1"],
    ["WHATEVER", "ghp_abcdefghijklmnopqrstuvwxyz012345"],
    ["WHATEVER", "aB3dE6gH9jK2mN5pQ8sT1vW4"]
  ] as const)("%s is secret whole", ([name, value]) =>
    Effect.gen(function* () {
      assert.include(yield* secretsOf({ [name]: value }), value)
    })
  )

  it.effect.each([
    ["postgres://u:pass%40word@h/db", ["pass%40word", "pass@word"]],
    ["https://0123456789abcdef@o1.example/1", ["0123456789abcdef"]],
    ["Server=h;User=u;Password=hunter22;Encrypt=1", ["hunter22"]],
    ["https://h/v1?api-key=plainkey1&x=1", ["plainkey1"]],
    ["redis://:firstpass@a,redis://:secondpass@b", ["firstpass", "secondpass"]]
  ] as const)("of %s only what is secret", ([value, expected]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* secretsOf({ ANY_URL: value }), [...expected])
    })
  )

  it.effect.each([
    ["GIT_AUTHOR_NAME", "Ann Example"],
    ["PWD", "/srv/project/somewhere"],
    ["SSH_AUTH_SOCK", "/dev/null"],
    ["CLAW_LIMITS_TASK_TOKENS", "100000000"],
    ["GITHUB_SHA", "0123456789abcdef0123456789abcdef01234567"],
    ["EDITOR", "code --wait"],
    ["PASSING_GRADE", "seventy-five"],
    ["PATH", "/usr/bin:/home/u/key=abcdefgh"]
  ] as const)("%s is not", ([name, value]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* secretsOf({ [name]: value }), [])
    })
  )
})

describe("a repository's own configuration", () => {
  const secretsIn = Effect.fnUntraced(function* (config: string) {
    const root = yield* directoryWith()
    mkdirSync(join(root, ".git"))
    writeFileSync(join(root, ".git/config"), config)
    return repositorySecrets(root).map(Redacted.value)
  })

  it.effect("its remotes' credentials are secret", () =>
    Effect.gen(function* () {
      const found = yield* secretsIn(
        '[remote "a"]\n\turl = https://ann:tok3n-of-ann-123@h/r.git\n[remote "b"]\n\turl = https://0123456789abcdef0123@h/r\n[http "x"]\n\textraheader = AUTHORIZATION: basic eDp0b2tlbjEyMzQ1\n'
      )
      assert.deepStrictEqual(found, ["tok3n-of-ann-123", "0123456789abcdef0123", "eDp0b2tlbjEyMzQ1"])
    })
  )

  it.effect("what stands in .env and its kin is secret; an example is none, nor is a word (README)", () =>
    Effect.gen(function* () {
      const root = yield* directoryWith()
      const text =
        'API_KEY=supersecretvalue12345\nexport DB_PASSWORD="hunter2hunter2"\nTOKEN=ordinarywords\nPORT=8080\n'
      writeFileSync(join(root, ".env"), text)
      writeFileSync(join(root, ".env.local"), "DATABASE_URL=postgres://ann:pw-0123456789@h/db\n")
      writeFileSync(join(root, ".env.example"), "SECRET=example-value-123\n")
      const found = repositorySecrets(root).map(Redacted.value)
      assert.deepStrictEqual(found, ["supersecretvalue12345", "hunter2hunter2", "pw-0123456789"])
    })
  )

  it.effect("words are not, whatever a hostile repository writes there", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* secretsIn("[remote]\n\turl = https://function:function@h/r.git\n"), [])
      assert.deepStrictEqual(repositorySecrets(yield* directoryWith()), [])
    })
  )
})
