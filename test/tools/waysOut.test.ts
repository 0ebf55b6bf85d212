/** Ways out of the workspace, through the tools (case H08, R165, R166): refused whatever anybody approved. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { toolsIn } from "../support/builtinTools.ts"
import { dir, type Dir } from "../support/workspaceDir.ts"

const layOut = (there: Dir): void => {
  there.file("ws/in.txt", "in")
  there.file("ws/sub/deep.txt", "deep")
  there.file("ws-evil/secret.txt", "S1")
  there.file("outside/secret.txt", "S2")
  there.link("ws/ldir", "../outside")
  there.link("ws/lfile", "../outside/secret.txt")
  there.link("ws/inner", "sub")
}

const CALLS: ReadonlyArray<readonly [tool: string, args: Record<string, unknown>, allowed: boolean]> = [
  ["read_file", { path: "in.txt" }, true],
  ["read_file", { path: "inner/deep.txt" }, true],
  ["read_file", { path: "../outside/secret.txt" }, false],
  ["read_file", { path: "../ws-evil/secret.txt" }, false],
  ["read_file", { path: "lfile" }, false],
  ["read_file", { path: "ldir/secret.txt" }, false],
  ["write_file", { path: "ldir/new.txt", content: "x" }, false],
  ["write_file", { path: "sub/../../outside/new2.txt", content: "x" }, false],
  ["edit_file", { path: "lfile", old_text: "S2", new_text: "pwned" }, false],
  ["write_file", { path: "sub/nested/dir/ok.txt", content: "ok" }, true],
  ["read_file", { path: "{root}/ws/in.txt" }, true],
  ["read_file", { path: "{root}/ws-evil/secret.txt" }, false],
  ["read_file", { path: "in.txt\u0000.png" }, false],
  ["list_dir", { path: "ldir" }, false],
  ["list_dir", { path: ".." }, false],
  ["glob", { pattern: "*", path: "ldir" }, false],
  ["glob", { pattern: "../outside/*" }, false],
  ["grep", { pattern: "S", path: "ldir" }, false],
  ["grep", { pattern: "S", path: "lfile" }, false]
]

it.live("each call is allowed or refused as the table says, and nothing outside is read or changed", () =>
  Effect.gen(function* () {
    const there = yield* dir
    layOut(there)
    const { assess, call, preview } = yield* toolsIn(there)
    for (const [tool, template, allowed] of CALLS) {
      const args = {
        ...template,
        ...(typeof template["path"] === "string" ? { path: template["path"].replace("{root}", there.root) } : {})
      }
      const label = `${tool} ${JSON.stringify(template)}`
      const assessment = yield* assess(tool, args)
      const hasPath = args.path !== undefined
      assert.strictEqual(assessment.forbidden === undefined, allowed || !hasPath, label)
      const seen = JSON.stringify([yield* preview(tool, args), assessment])
      const result = yield* Effect.result(call(tool, args))
      assert.strictEqual(Result.isSuccess(result), allowed, label)
      const said = Result.isSuccess(result) ? result.success.content : result.failure.detail
      if (!allowed && hasPath) assert.include(said, JSON.stringify(args.path), label)
      for (const secret of ["S1", "S2"])
        assert.notInclude(`${seen}${said}`.replaceAll("old_text", "").replaceAll('"S2"', ""), secret, label)
    }
    assert.strictEqual(readFileSync(join(there.root, "outside/secret.txt"), "utf8"), "S2")
    assert.strictEqual(readFileSync(join(there.root, "ws-evil/secret.txt"), "utf8"), "S1")
    assert.deepStrictEqual(
      ["outside/new.txt", "outside/new2.txt"].map((path) => existsSync(join(there.root, path))),
      [false, false]
    )
    assert.strictEqual(readFileSync(join(there.ws, "sub/nested/dir/ok.txt"), "utf8"), "ok")
  })
)

it.live("a search follows no link to outside", () =>
  Effect.gen(function* () {
    const there = yield* dir
    layOut(there)
    const { say } = yield* toolsIn(there)
    assert.strictEqual(yield* say("grep", { pattern: "." }), "in.txt:1:in\nsub/deep.txt:1:deep")
    assert.strictEqual(yield* say("glob", { pattern: "**" }), "in.txt\nsub/deep.txt")
    assert.strictEqual(yield* say("list_dir", {}), "in.txt\ninner@ (link)\nldir@ (link)\nlfile@ (link)\nsub/")
  })
)
