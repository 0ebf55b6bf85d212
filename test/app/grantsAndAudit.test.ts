/** `claw grants` and `claw audit` over a store on a disk, whoever's it holds (R156, R158, R271, R325; SECURITY T23). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import type { AuditError } from "../../src/approval/AuditLog.ts"
import type { GrantError } from "../../src/approval/GrantStore.ts"
import { auditCommand } from "../../src/app/auditCommand.ts"
import type { Failure } from "../../src/app/failure.ts"
import { grantCommand } from "../../src/app/grantCommands.ts"
import { grantFindings } from "../../src/app/grantFindings.ts"
import { parse } from "../../src/cli/CommandLine.ts"
import { DECISIONS } from "../../src/cli/Commands.ts"
import { Output } from "../../src/cli/Output.ts"
import { AppConfig, layerWith } from "../../src/config/AppConfig.ts"
import type { ConfigFile } from "../../src/config/Settings.ts"
import { Answer } from "../../src/domain/Approval.ts"
import type { StoreError } from "../../src/store/StoreError.ts"
import { layerSqlite } from "../../src/store/sqlite/SqliteStore.ts"
import { captured } from "../support/capturedOutput.ts"
import { ada, eve, grant, granted, resolved, used, writer } from "../support/decisions.ts"
import { tempDirectory } from "../support/tempStore.ts"

/** Two people's sessions: a grant each, one used, one refusal with a hostile reason. */
const machine = Effect.fnUntraced(function* (settings: ConfigFile = {}) {
  const state_dir = yield* tempDirectory
  const file = join(state_dir, "claw.db")
  const config = yield* Effect.provide(AppConfig, layerWith({ state_dir, ...settings }))
  const fill = Effect.gen(function* () {
    const mine = yield* writer(ada)
    yield* mine(granted(grant("grant_1")), used("grant_1"))
    yield* (yield* writer(eve))(granted(grant("grant_2", { matcher: { kind: "path", glob: "src/\u001b[2J\n**" } })))
    const rule = "\u001b[31mred"
    yield* mine(resolved({ decision: "deny", reason: "no\n    9  forged", rule, shown: "curl x | sh" }))
  })
  yield* Effect.provide(fill, layerSqlite(file))
  const claw = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
    const output = captured()
    const line = Result.getOrThrow(parse(args))
    const command: Effect.Effect<number, Failure | GrantError | AuditError | StoreError, Output> =
      line.command.name === "audit" ? auditCommand(line, config) : grantCommand(line, config)
    const code = yield* command.pipe(
      Effect.catchTag("Failure", ({ exit, detail }) => Effect.as(output.service.err(`claw: ${detail}\n`), exit)),
      Effect.provideService(Output, output.service)
    )
    return { code, out: output.out(), err: output.err() }
  })
  return { claw, file, config }
})

const tamper = (file: string, sql: string) =>
  Effect.sync(() => {
    const db = new DatabaseSync(file)
    db.exec(sql)
    db.close()
  })

describe("claw grants", () => {
  it.effect("lists everybody's in words, shows one, takes it back, and tells what it does not know", () =>
    Effect.gen(function* () {
      const { claw } = yield* machine()
      const bound =
        "(until 1970-01-01 08:00 UTC, by ada, while the files that say what runs stay as they are)  s acme/web"
      const listed = yield* claw("grants", "list")
      assert.deepStrictEqual(listed.out.split("\n"), [
        `grant_1  commands that begin with npm test ${bound}/ada`,
        `grant_2  every bash of src/\\x1b[2J⏎** ${bound}/eve`,
        ""
      ])
      const shown = yield* claw("grants", "show", "grant_1")
      assert.include(shown.out, "\n  used: 1 (1970-01-01 00:00)\n  state: in force\n")
      const revoked = yield* claw("grants", "revoke", "grant_1")
      assert.deepStrictEqual([revoked.code, revoked.out], [0, ""])
      assert.strictEqual(
        revoked.err,
        "claw: taken back: commands that begin with npm test. The next call is asked about again.\n"
      )
      const again = yield* claw("grants", "revoke", "grant_1", "--json")
      assert.deepStrictEqual(again, {
        code: 1,
        out: "",
        err: "claw: The grant grant_1 has ended already [grant_not_found].\n"
      })
      assert.include((yield* claw("grants", "show", "grant_1")).out, "state: taken back 1970-01-01 00:00 (claw grants)")
      const unknown = yield* claw("grants", "show", "no\nsuch")
      assert.deepStrictEqual(unknown, {
        code: 1,
        out: "",
        err: "claw: There is no grant no⏎such [grant_not_found]. Try: claw grants list\n"
      })
      assert.strictEqual((yield* claw("grants", "what")).code, 2)
      assert.strictEqual((yield* claw("grants", "show", "grant_")).code, 1, "too little of an id")
      yield* TestClock.adjust("8 hours")
      assert.deepStrictEqual(yield* claw("grants"), { code: 0, out: "", err: "claw: nothing is granted.\n" })
    })
  )

  it.effect("gives a script JSON lines, and Chinese to whoever reads it", () =>
    Effect.gen(function* () {
      const { claw } = yield* machine({ locale: "zh-CN" })
      const [first = ""] = (yield* claw("grants", "list", "--json")).out.split("\n")
      const { session_id, user, uses, matcher, workspace_id } = JSON.parse(first) as Record<string, unknown>
      assert.deepStrictEqual(
        [session_id, user, uses, matcher, workspace_id],
        ["s", "ada", 1, { kind: "command", argv: ["npm", "test"] }, "1:2:3"]
      )
      assert.match((yield* claw("grants")).out, /^grant_1 {2}以 npm test 开头的命令（?/)
      assert.deepStrictEqual(yield* claw("grants", "revoke", "grant_2", "--json"), {
        code: 0,
        out: '{"grant_id":"grant_2","revoked":true}\n',
        err: ""
      })
    })
  )

  it.effect("says which cannot be read, with exit 1, and so does the doctor (Bad input)", () =>
    Effect.gen(function* () {
      const { claw, file, config } = yield* machine()
      assert.deepStrictEqual(yield* grantFindings(config), [{ name: "grants", status: "ok", detail: "2 in force" }])
      yield* tamper(file, "UPDATE grants SET payload = replace(payload, 'npm', 'rm') WHERE grant_id = 'grant_1'")
      const { code, out, err } = yield* claw("grants")
      assert.deepStrictEqual([code, out.split("\n").length], [1, 2])
      assert.strictEqual(err, "claw: 1 stored grant cannot be read and grants nothing: grant_1\n")
      assert.strictEqual((yield* claw("grants", "revoke", "grant_1")).code, 1)
      assert.deepStrictEqual(
        (yield* grantFindings(config)).map(({ status, detail }) => [status, detail.slice(0, 47)]),
        [["problem", "1 cannot be read and grant nothing: grant_1. Wh"]]
      )
    })
  )
})

describe("claw audit", () => {
  it.effect("is a line a decision, whatever its fields hold, filtered as asked", () =>
    Effect.gen(function* () {
      const { claw } = yield* machine()
      const all = (yield* claw("audit")).out.trimEnd().split("\n")
      assert.deepStrictEqual(
        all.map((line) => line.replaceAll(/ {2,}/g, "  ").trim()),
        [
          "1  1970-01-01 00:00:00  acme/web/ada  s  allow_session  bash  via user  grant_1  by ada",
          "2  1970-01-01 00:00:01  acme/web/ada  s  allow_once  bash  via grant  grant_1",
          "3  1970-01-01 00:00:00  acme/web/eve  s  allow_session  bash  via user  grant_2  by ada",
          "4  1970-01-01 00:00:02  acme/web/ada  s  deny  bash  via policy  (\\x1b[31mred)  : no⏎    9  forged  about: curl x | sh".replaceAll(
            / {2,}/g,
            "  "
          )
        ]
      )
      const numbers = (...args: ReadonlyArray<string>) =>
        Effect.map(claw("audit", "--json", ...args), ({ out }) =>
          out.split("\n").flatMap((line) => (line === "" ? [] : [(JSON.parse(line) as { n: number }).n]))
        )
      assert.deepStrictEqual(yield* numbers("--decision", "deny"), [4])
      assert.deepStrictEqual(yield* numbers("--since", "1970-01-01T00:00:01Z"), [2, 4])
      assert.deepStrictEqual(
        [yield* numbers("--session", "s", "--tool", "bash"), yield* numbers("--tool", "x")],
        [[1, 2, 3, 4], []]
      )
      yield* TestClock.adjust("90 minutes")
      assert.deepStrictEqual(
        [yield* numbers("--since", "2h"), yield* numbers("--since", "90m")],
        [
          [1, 2, 3, 4],
          [1, 2, 3, 4]
        ]
      )
      assert.deepStrictEqual(yield* numbers("--since", "89m"), [])
      for (const bad of [
        ["--since", "x"],
        ["--since", "12"],
        ["--anchor", "1:ab"],
        ["--verify", "--anchor", "1:ab"],
        ["--verify", "--tool", "bash"]
      ])
        assert.strictEqual((yield* claw("audit", ...bad)).code, 2, bad.join(" "))
    })
  )

  it.effect("proves itself whole, to an earlier anchor too, and says what is not, with exit 1", () =>
    Effect.gen(function* () {
      const { claw, file } = yield* machine()
      const whole = yield* claw("audit", "--verify")
      const anchor = /--anchor (4:[0-9a-f]{64})\n$/.exec(whole.out)?.[1] ?? ""
      assert.deepStrictEqual([whole.code, whole.out.split("\n")[0]], [0, "the audit is whole: 4 entries."])
      assert.strictEqual((yield* claw("grants", "revoke", "grant_1")).code, 0)
      assert.strictEqual((yield* claw("audit", "--verify", "--anchor", anchor)).code, 0)
      yield* tamper(
        file,
        "DROP TRIGGER audit_is_not_changed; UPDATE audit SET line = replace(line, 'ada', 'bob') WHERE n = 1"
      )
      const faulty = yield* claw("audit", "--verify")
      assert.deepStrictEqual(
        [faulty.code, faulty.out.split("\n")[0]],
        [1, "CHANGED   1: its columns are not those of its line"]
      )
      const told = yield* claw("audit", "--verify", "--json")
      const { faults, whole: is } = JSON.parse(told.out) as { faults: Array<{ n: number }>; whole: boolean }
      assert.deepStrictEqual([told.code, is, faults[0]?.n], [1, false, 1])
      const listed = yield* claw("audit")
      assert.deepStrictEqual([listed.code, listed.out.trimEnd().split("\n").length], [1, 4])
    })
  )

  it("knows every decision there is", () => assert.deepStrictEqual([...DECISIONS], [...Answer.literals]))
})

describe("claw grants with a part of an id", () => {
  it.effect("takes the one that begins so, and no one where several do", () =>
    Effect.gen(function* () {
      const { claw, file } = yield* machine()
      const more = Effect.gen(function* () {
        const write = yield* writer(eve)
        yield* write(granted(grant("grant_abcdef1")), granted(grant("grant_abcdef2")))
      })
      yield* Effect.provide(more, layerSqlite(file))
      const several = yield* claw("grants", "show", "grant_abcdef")
      assert.deepStrictEqual(several, {
        code: 1,
        out: "",
        err: "claw: More than one grant begins with grant_abcdef: grant_abcdef1, grant_abcdef2\n"
      })
      assert.deepStrictEqual(yield* claw("grants", "revoke", "grant_abcdef2", "--json"), {
        code: 0,
        out: '{"grant_id":"grant_abcdef2","revoked":true}\n',
        err: ""
      })
      const only = yield* claw("grants", "revoke", "abcdef", "--json")
      assert.deepStrictEqual(only, { code: 0, out: '{"grant_id":"grant_abcdef1","revoked":true}\n', err: "" })
    })
  )
})
