/** A workspace's hooks run what a person trusted, and nothing that was put in its place (SECURITY T8, R272; issue 7). */
import { chmodSync, readFileSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { checkHooks } from "../../src/config/HookSettings.ts"
import { distrusted } from "../../src/config/HookTrust.ts"
import { forget, standing } from "../../src/config/WorkspaceTrust.ts"
import { writeFiles } from "../support/directories.ts"
import { text } from "../support/fakeModelScript.ts"
import { prompted, scene, WRITE } from "../support/hookKit.ts"
import { folder } from "../support/realSession.ts"
import { trusted } from "../support/trust.ts"

/** A trusted workspace, and what of it a hook may name. */
const SEEN = {
  ".claw/hooks/guard.sh": "exit 0\n",
  ".claw/hooks/lib/more.sh": "true\n",
  "tools/check.sh": "exit 0\n",
  "bin/sh": "#!/bin/sh\nexit 0\n"
}

const NAMED: ReadonlyArray<readonly [string, string | undefined]> = [
  ["sh .claw/hooks/guard.sh", undefined],
  ["/bin/sh .claw/hooks/guard.sh .claw/hooks/lib/more.sh --fast tools a=b nothing/there", undefined],
  [".claw/hooks/guard.sh /etc/passwd", undefined],
  ["sh .claw/hooks/guard.sh tools/check.sh", '"tools/check.sh"'],
  ["sh .claw/hooks/guard.sh --run=./tools/check.sh", '"--run=./tools/check.sh"'],
  ["sh .claw/hooks/guard.sh $WS/tools/check.sh", "tools/check.sh"],
  ["sh .claw/hooks/guard.sh tools/link.sh", '"tools/link.sh"'],
  ["$WS/bin/sh .claw/hooks/guard.sh", '"bin/sh"']
]

const TAKEN_BACK = "is not run: this workspace is not trusted any more; started anew, claw goes on without it"

describe("a hook", () => {
  it.live("whose command names what nobody trusted does not run, nor any when one of their files changed", () =>
    Effect.gen(function* () {
      const [state_dir, workspace] = yield* Effect.all([folder("claw-home-"), folder("claw-ws-")])
      writeFiles(workspace, SEEN)
      chmodSync(join(workspace, "bin/sh"), 0o755)
      symlinkSync("/bin/true", join(workspace, "tools/link.sh"))
      yield* trusted(state_dir, workspace)
      const here = { state_dir, trust: standing({ state_dir, workspace }) }
      const of = (line: string, path = "/usr/bin:/bin") => {
        const [program = "", ...rest] = line.replaceAll("$WS", workspace).split(" ")
        return distrusted(here, [program, ...rest], path)
      }
      for (const [line, why] of NAMED) {
        if (why === undefined) assert.isUndefined(of(line), line)
        else assert.match(of(line) ?? "", /^is not run: .* outside of \.claw\/hooks\//, line)
        if (why !== undefined) assert.include(of(line), why)
      }
      // What PATH finds in the workspace is the workspace's, whatever it is called.
      assert.include(of("sh .claw/hooks/guard.sh", `${workspace}/bin:/bin`), '"bin/sh"')
      writeFiles(workspace, { ".claw/hooks/lib/more.sh": "false\n" })
      for (const [line] of NAMED) assert.strictEqual(of(line), "is not what was trusted any more")
      forget({ state_dir, workspace })
      for (const [line] of NAMED) assert.strictEqual(of(line), TAKEN_BACK)
    }).pipe(Effect.scoped)
  )

  it.live("in a directory that holds a link is no part of what is trusted, and never runs", () =>
    Effect.gen(function* () {
      const { model, state, within, workspace, written } = yield* scene({})
      const hooks = { before_tool: [{ command: ["sh", ".claw/hooks/guard.sh"] }] }
      writeFiles(workspace, { ...SEEN, ".claw/config.json": JSON.stringify({ hooks }) })
      symlinkSync("/etc", join(workspace, ".claw/hooks/etc"))
      yield* trusted(join(state, "claw"), workspace)
      model.script(WRITE, text("done"))
      const { of } = yield* within(prompted(workspace))
      assert.isFalse(written())
      assert.deepStrictEqual(
        of("approval_resolved").map(({ reason }) => reason),
        [
          "hook workspace hooks.before_tool[0] (sh) is not run: .claw/hooks is no part of what is trusted, for it is or holds a link"
        ]
      )
    }).pipe(Effect.scoped)
  )

  it.live.each([
    ["guard", [".claw/hooks/guard"]],
    ["sh", ["sh", ".claw/hooks/guard"]]
  ] as const)("of a workspace (%s) runs once it is trusted, and not when its program changed", ([shown, command]) =>
    Effect.gen(function* () {
      const { model, state, within, workspace, written } = yield* scene({})
      const hooks = { before_tool: [{ command }] }
      const program = join(workspace, ".claw/hooks/guard")
      writeFiles(workspace, {
        ".claw/config.json": JSON.stringify({ hooks }),
        ".claw/hooks/guard": "#!/bin/sh\ngrep -q no-such-event || exit 2\n"
      })
      chmodSync(program, 0o755)
      yield* trusted(join(state, "claw"), workspace)
      model.rule((_, nth) => {
        if (nth === 2) writeFiles(workspace, { ".claw/hooks/guard": "#!/bin/sh\nexit 0\n" })
        return undefined
      })
      model.script(WRITE, WRITE, text("done"))
      const { of } = yield* within(prompted(workspace))
      assert.isFalse(written())
      const name = `hook workspace hooks.before_tool[0] (${shown})`
      assert.deepStrictEqual(
        of("approval_resolved").map(({ reason, rule }) => [rule, reason]),
        [
          [name, `${name}: it gave no reason`],
          [name, `${name} is not what was trusted any more`]
        ]
      )
    }).pipe(Effect.scoped)
  )

  it.live("does not run once the trust in its workspace was taken back, also in a program that runs", () =>
    Effect.gen(function* () {
      const { model, state, within, workspace, written } = yield* scene({})
      const hooks = { before_tool: [{ command: [".claw/hooks/guard"] }] }
      const ran = join(workspace, "ran")
      writeFiles(workspace, {
        ".claw/config.json": JSON.stringify({ hooks }),
        ".claw/hooks/guard": "#!/bin/sh\necho ran >> ran\nexit 2\n"
      })
      chmodSync(join(workspace, ".claw/hooks/guard"), 0o755)
      yield* trusted(join(state, "claw"), workspace)
      model.rule((_, nth) => {
        if (nth === 2) forget({ state_dir: join(state, "claw"), workspace })
        return undefined
      })
      model.script(WRITE, WRITE, text("done"))
      const { of } = yield* within(prompted(workspace))
      assert.isFalse(written())
      const name = "hook workspace hooks.before_tool[0] (guard)"
      assert.strictEqual(of("approval_resolved")[1]?.reason, `${name} ${TAKEN_BACK}`)
      assert.strictEqual(readFileSync(ran, "utf8"), "ran\n")
    }).pipe(Effect.scoped)
  )

  it.each([
    ["user", "./guard.sh", false],
    ["user", "bin/guard", false],
    ["user", "/bin/guard", true],
    ["user", "guard", true],
    ["workspace", "./guard.sh", false],
    ["workspace", ".claw/hooks/../../guard", false],
    ["workspace", ".claw/hooks/guard", true],
    // What else a repository's programs read is in no digest.
    ["workspace", "npx", false],
    ["workspace", "npm run guard", false],
    ["workspace", "make -f .claw/hooks/Makefile", false],
    ["workspace", "node guard.js", false],
    ["workspace", "sh -c .claw/hooks/guard", false],
    ["workspace", "sh", false],
    ["workspace", "sh .claw/hooks/../guard", false],
    ["workspace", "./sh .claw/hooks/guard", false],
    ["workspace", "node .claw/hooks/guard.js --fast", true],
    ["workspace", "/usr/bin/python3 .claw/hooks/guard.py", true]
  ] as const)("of the %s named %s", (tier, line, fine) => {
    const [program = "", ...rest] = line.split(" ")
    const checked = checkHooks({ hooks: { before_tool: [{ command: [program, ...rest] }] } }, "there", tier)
    assert.strictEqual(Result.isSuccess(checked), fine)
  })
})
