/** What tools that walk leave out: what a rule denies or asks about, and what may hold secrets (R082, R138; SECURITY T2, T6). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { join } from "node:path"
import { ruledPath } from "../../src/approval/Cover.ts"
import type { Rule } from "../../src/approval/Rules.ts"
import { secretFiles } from "../../src/sandbox/SecretFiles.ts"
import { toolsIn } from "../support/builtinTools.ts"
import { dir } from "../support/workspaceDir.ts"

const on = (glob: string, tool = "*", action: Rule["action"] = "deny"): Rule => ({
  name: glob,
  tool,
  action,
  matcher: { kind: "path", glob }
})

const setUp = (rules: ReadonlyArray<Rule>) =>
  Effect.gen(function* () {
    const there = yield* dir
    there.file("ws/a.txt", "needle a\n")
    there.file("ws/secret/key.txt", "needle key\n")
    there.file("ws/secret/deep/more.txt", "needle more\n")
    there.file("ws/.env", "needle=1\n")
    there.file("ws/.env.example", "needle=\n")
    there.file("ws/.ssh/id", "needle\n")
    const secret = secretFiles([join(there.ws, ".ssh")]).has
    return yield* toolsIn(there, undefined, { ruled: ruledPath(rules, there.ws), secret })
  })

const two = "[2 entries were left out: a rule denies or asks about them, or they may hold secrets]"
const one = "[1 entry was left out: a rule denies or asks about it, or it may hold secrets]"

describe("a denied path", () => {
  it.effect("is in no search and no list, by whatever folder it is come to; the number is said", () =>
    Effect.gen(function* () {
      const { say } = yield* setUp([on("secret/**")])
      assert.strictEqual(yield* say("grep", { pattern: "needle" }), `a.txt:1:needle a\n${one}`)
      assert.strictEqual(yield* say("grep", { pattern: "needle", path: "secret" }), `(no matches)\n${two}`)
      assert.strictEqual(yield* say("grep", { pattern: "needle", mode: "files" }), `a.txt\n${one}`)
      assert.strictEqual(yield* say("glob", { pattern: "**/*.txt" }), `a.txt\n${one}`)
      assert.strictEqual(yield* say("glob", { pattern: "secret/*" }), `(no files match)\n${one}`)
      assert.strictEqual(yield* say("list_dir", { path: "secret" }), two)
    }).pipe(Effect.scoped)
  )

  it.effect("that is a folder is not entered; one that is asked about is left out, too", () =>
    Effect.gen(function* () {
      const { say } = yield* setUp([on("secret", "*", "ask")])
      assert.strictEqual(yield* say("grep", { pattern: "needle" }), `a.txt:1:needle a\n${one}`)
      assert.strictEqual(yield* say("list_dir", {}), `.env\n.env.example\n.ssh/\na.txt\n${one}`)
    }).pipe(Effect.scoped)
  )

  it.effect("counts for the tool that the rule names", () =>
    Effect.gen(function* () {
      const { say } = yield* setUp([on("a.txt", "read_file"), on("secret/**", "glob")])
      assert.strictEqual(yield* say("glob", { pattern: "*.txt" }), `a.txt\n${one}`)
      assert.include(yield* say("grep", { pattern: "needle" }), "secret/key.txt:1:needle key")
    }).pipe(Effect.scoped)
  )
})

describe("what may hold secrets", () => {
  it.effect("is searched only where it is asked for by name; an example is none", () =>
    Effect.gen(function* () {
      const { assess, say } = yield* setUp([on("secret/**")])
      const hidden = { pattern: "needle", include_hidden: true, mode: "files" }
      assert.strictEqual(
        yield* say("grep", hidden),
        ".env.example\na.txt\n[3 entries were left out: a rule denies or asks about them, or they may hold secrets]"
      )
      assert.strictEqual(yield* say("grep", { ...hidden, path: ".ssh" }), ".ssh/id")
      assert.strictEqual(yield* say("glob", { pattern: ".ssh/*", path: ".ssh" }), "(no files match)")
      assert.strictEqual(yield* say("glob", { pattern: ".ssh/*" }), `.ssh/id\n${one}`)
      const asked = { alwaysAsk: true, risk: "safe" } as const
      for (const [tool, args, reason] of [
        ["read_file", { path: ".env" }, "reads .env, which may hold secrets"],
        ["read_file", { path: ".ssh/id" }, "reads .ssh/id, which may hold secrets"],
        ["grep", { pattern: "x", path: ".ssh" }, "searches .ssh, which may hold secrets"],
        ["list_dir", { path: ".ssh" }, "lists .ssh, which may hold secrets"]
      ] as const)
        assert.deepInclude(yield* assess(tool, args), { ...asked, reason })
      assert.notProperty(yield* assess("read_file", { path: ".env.example" }), "alwaysAsk")
      assert.notProperty(yield* assess("read_file", { path: "a.txt" }), "alwaysAsk")
    }).pipe(Effect.scoped)
  )
})
