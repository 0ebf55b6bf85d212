/** What is in force is said, and what needs it does not start without (SECURITY T26, issue 4, R165, R272). */
import { chmodSync, mkdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { claw, SIDE_BY_SIDE, world, type FakeWorld } from "../support/e2eProgram.ts"
import { calls, text } from "../support/fakeModelScript.ts"
import { directoryWith } from "../support/directories.ts"
import { findPrograms } from "../../src/sandbox/bubblewrap/supervisor.ts"

/** A machine without bubblewrap: all the rest of what is needed. */
const bare = Effect.map(directoryWith(), (path) => {
  const found = findPrograms(process.env["PATH"] ?? "")
  const bin = "missing" in found ? "/usr/bin" : join(found.perl, "..")
  for (const name of ["bash", "sh", "mkfifo", "git"]) symlinkSync(join(bin, name), join(path, name))
  return path
})

const without = (at: FakeWorld) => Effect.map(bare, (PATH) => ({ ...at.env, PATH }))

const bash = (command: string) => ({ id: "b1", name: "bash", arguments: JSON.stringify({ command }) })

interface Finding {
  readonly name: string
  readonly status: string
  readonly detail: string
  readonly isolation?: { readonly state: string; readonly attempts: ReadonlyArray<{ readonly held: boolean }> }
}

const isolationOf = (stdout: string): Finding =>
  (JSON.parse(stdout) as { readonly findings: ReadonlyArray<Finding> }).findings.find(
    ({ name }) => name === "isolation"
  ) as Finding

describe("isolation", SIDE_BY_SIDE, () => {
  it.live("doctor says what is in force, and each way out that was tried", () =>
    Effect.gen(function* () {
      const { env, workspace } = yield* world()
      const finding = isolationOf((yield* claw(["doctor", "--json"], { env, cwd: workspace })).stdout)
      assert.deepStrictEqual([finding.status, finding.isolation?.state], ["ok", "in_force"], finding.detail)
      assert.strictEqual(finding.isolation?.attempts.length, 29)
      assert.isTrue(finding.isolation?.attempts.every(({ held }) => held))
      const plain = yield* claw(["doctor"], { env: { ...env, CLAW_ISOLATION: "off" }, cwd: workspace })
      assert.match(plain.stdout, /^note +isolation +Commands run as you.*switched off \(isolation\.mode\)\.$/m)
    })
  )

  it.live("doctor without bubblewrap: a note, and a problem where it is required", () =>
    Effect.gen(function* () {
      const at = yield* world()
      const env = yield* without(at)
      const auto = isolationOf((yield* claw(["doctor", "--json"], { env, cwd: at.workspace })).stdout)
      assert.deepStrictEqual([auto.status, auto.isolation?.state], ["note", "unavailable"])
      const required = yield* claw(["doctor"], { env: { ...env, CLAW_ISOLATION: "required" }, cwd: at.workspace })
      assert.match(required.stdout, /^PROBLEM +isolation +No command runs, .*bwrap was not found on PATH\.$/m)
      assert.strictEqual(required.code, 1)
    })
  )

  it.live("a state directory that others may write is a problem, and no session starts in it", () =>
    Effect.gen(function* () {
      const { env, workspace } = yield* world()
      const state = env["CLAW_STATE_DIR"] ?? ""
      mkdirSync(state, { recursive: true })
      chmodSync(state, 0o777)
      const doctor = yield* claw(["doctor"], { env, cwd: workspace })
      assert.match(doctor.stdout, /^PROBLEM +state +.* can be written by others \(mode 0777\)\. Run chmod go-w on it/m)
      const ran = yield* claw(["run", "go"], { env, cwd: workspace })
      assert.notStrictEqual(ran.code, 0)
      assert.match(ran.stderr, /can be written by others/)
    })
  )

  it.live("a server that requires it and has it not does not start, in one sentence", () =>
    Effect.gen(function* () {
      const at = yield* world()
      const env = { ...(yield* without(at)), CLAW_ISOLATION: "required" }
      const args = ["serve", "--no-auth", "--tcp-port", "0", "--http-port", "0"]
      const ended = yield* claw(args, { env, cwd: at.workspace })
      assert.deepStrictEqual(
        [ended.code, ended.stdout, ended.stderr],
        [
          2,
          "",
          "claw: claw serve does not start: No command runs, for isolation is required and missing: " +
            "bwrap was not found on PATH. See claw doctor.\n"
        ]
      )
      const chinese = yield* claw(args, { env: { ...env, CLAW_LANG: "zh-CN" }, cwd: at.workspace })
      assert.match(chinese.stderr, /claw serve 未启动/)
    })
  )

  it.live("bypass needs it, or the person's word for this run; what is denied stays denied", () =>
    Effect.gen(function* () {
      const at = yield* world({ ".claw/config.json": JSON.stringify({ rules: { deny: [{ argv: ["touch"] }] } }) })
      yield* claw(["trust"], { env: at.env, cwd: at.workspace })
      const env = yield* without(at)
      const args = ["run", "--mode", "bypass", "go"]
      const refused = yield* claw(args, { env, cwd: at.workspace })
      assert.strictEqual(refused.code, 2)
      assert.match(refused.stderr, /^claw: Mode bypass needs isolation\. .*CLAW_ALLOW_UNSAFE=1\.$/m)
      for (const dared of [env, at.env]) {
        at.model.script(calls([bash("touch made")]), calls([bash("echo ran > out; echo ran")]), text("done"))
        const unsafe = dared === env ? { CLAW_ALLOW_UNSAFE: "1" } : {}
        const ran = yield* claw(["run", "--json", ...args.slice(1)], {
          env: { ...dared, ...unsafe },
          cwd: at.workspace
        })
        assert.strictEqual(ran.code, 0, ran.stderr)
        assert.match(ran.stdout, /"status":"denied"/)
        assert.match(ran.stdout, /"content":"ran\\n"/)
      }
    })
  )

  it.live("a command of a session is isolated, and claw's own state is not there", () =>
    Effect.gen(function* () {
      const at = yield* world()
      const look = "d=/etc; echo x > $d/made; ls -a ~/state; echo end"
      at.model.script(calls([bash(look)]), text("done"))
      const ran = yield* claw(["run", "--json", "--mode", "bypass", "go"], { env: at.env, cwd: at.workspace })
      assert.strictEqual(ran.code, 0, ran.stderr)
      assert.match(ran.stdout, /Read-only file system.*end\\n/)
      assert.notMatch(ran.stdout, /claw\.db/)
    })
  )
})
