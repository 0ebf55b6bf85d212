/** Where paths lead, as a table (R165, R166, LESSONS 26, case H08; the resolution entries of the attack corpus). */
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { dir, workspaceOf, type Dir } from "../support/workspaceDir.ts"

const layOut = (there: Dir): void => {
  there.file("ws/in.txt", "in")
  there.file("ws/sub/deep.txt", "deep")
  there.file("ws/a..b/c.md", "dots")
  there.file("ws/docs/x.md", "x")
  there.file("ws-evil/secret.txt", "S1")
  there.file("outside/secret.txt", "S2")
  there.link("ws/ldir", "../outside")
  there.link("ws/lfile", "../outside/secret.txt")
  there.link("ws/inner", "sub")
  there.link("ws/innerfile", "sub/deep.txt")
  there.link("ws/absolute", join(there.ws, "sub"))
  there.link("ws/etc", "/etc")
  there.link("ws/dangling", "../outside/created.txt")
  there.link("ws/danglingInside", "sub/nowhere.txt")
  there.link("ws/loop", "loop")
  there.link("ws/a-loop", "b-loop")
  there.link("ws/b-loop", "a-loop")
  there.link("ws/p", "/proc")
  there.link("ws/roundabout", "/proc/self/root" + there.ws + "/in.txt")
  execFileSync("mkfifo", [join(there.ws, "fifo")])
}

/** Each row: a path as a tool was given it; `{ws}` is the workspace's own absolute path. */
const REFUSED: ReadonlyArray<readonly [path: string, why: string]> = [
  ["../outside/secret.txt", "a parent step"],
  ["sub/../../outside/secret.txt", "parent steps after a real directory"],
  ["nowhere/../../outside/secret.txt", "parent steps after a missing directory"],
  [".//..///outside/secret.txt", "doubled separators"],
  ["../outside/not-there.txt", "outside, missing"],
  ["../ws-evil/secret.txt", "a sibling whose name begins with the workspace's"],
  ["{ws}-evil/secret.txt", "the same, absolute"],
  ["..\\..\\outside.txt", "backslash parents"],
  ["sub\\..\\..\\outside.txt", "backslash parents inside"],
  ["C:\\Windows\\system.ini", "a drive"],
  ["file:///etc/passwd", "a URL"],
  ["https://example.com/x", "a URL"],
  ["in.txt\u0000.png", "NUL"],
  ["", "empty"],
  ["~/.bashrc", "home shorthand"],
  ["in\u200b.txt", "an invisible character"],
  ["in\u202etxt.exe", "a bidirectional override"],
  ["in\n.txt", "a control character"],
  ["\ud800.txt", "a lone surrogate"],
  ["a/".repeat(4000) + "x", "longer than 4096 bytes"],
  ["lfile", "a link to a file outside"],
  ["ldir/secret.txt", "through a link to a directory outside"],
  ["ldir/new.txt", "a new file through it"],
  ["etc/passwd", "an absolute link outside"],
  ["dangling", "a dangling link outside"],
  ["danglingInside", "a dangling link inside"],
  ["loop/x", "a link loop"],
  ["a-loop", "a loop of two"],
  ["/proc/self/root/etc/passwd", "a kernel alias of the root"],
  ["/proc/self/cwd/in.txt", "a kernel alias of a directory"],
  ["/proc/self/root{ws}/in.txt", "a kernel alias that comes back inside"],
  ["/tmp/../proc/self/root{ws}/in.txt", "the same, hidden behind a parent step"],
  ["p/self/environ", "a link to /proc"],
  ["roundabout", "a link through /proc that comes back inside"],
  ["/dev/zero", "a device"],
  ["/etc/passwd", "absolute, outside"],
  ["fifo", "a FIFO"],
  ["in.txt/x", "below a file"]
]

const ALLOWED: ReadonlyArray<readonly [path: string, relative: string, kind: string]> = [
  ["in.txt", "in.txt", "file"],
  ["./sub/./deep.txt", "sub/deep.txt", "file"],
  ["sub/../in.txt", "in.txt", "file"],
  ["inner/deep.txt", "sub/deep.txt", "file"],
  ["innerfile", "sub/deep.txt", "file"],
  ["absolute/deep.txt", "sub/deep.txt", "file"],
  ["a..b/c.md", "a..b/c.md", "file"],
  ["{ws}/in.txt", "in.txt", "file"],
  ["{ws}", "", "directory"],
  [".", "", "directory"],
  ["docs", "docs", "directory"],
  ["sub/nested/dir/ok.txt", "sub/nested/dir/ok.txt", "missing"],
  ["inner/new.txt", "sub/new.txt", "missing"],
  ["...", "...", "missing"],
  ["ünïcode 文件 👨‍👩‍👧.md", "ünïcode 文件 👨‍👩‍👧.md", "missing"]
]

describe("paths", () => {
  it.effect("what leads outside, or cannot be resolved, is refused with the path as given", () =>
    Effect.gen(function* () {
      const there = yield* dir
      layOut(there)
      const workspace = yield* workspaceOf(there)
      for (const [path, why] of REFUSED) {
        const given = path.replace("{ws}", there.ws)
        const result = yield* Effect.result(workspace.locate(given))
        assert.isTrue(Result.isFailure(result), why)
        if (Result.isSuccess(result)) continue
        assert.strictEqual(result.failure.path, given, why)
        assert.notInclude(result.failure.detail.replace(JSON.stringify(given), ""), there.root, why)
        assert.isTrue(Result.isFailure(yield* Effect.result(workspace.read(given, 1000))), why)
        assert.isTrue(Result.isFailure(yield* Effect.result(workspace.write(given, Buffer.from("pwned")))), why)
      }
    })
  )

  it.effect("a refusal outside says the same of what exists and of what does not", () =>
    Effect.gen(function* () {
      const there = yield* dir
      layOut(there)
      const workspace = yield* workspaceOf(there)
      const sentence = (path: string) =>
        Effect.map(Effect.flip(workspace.locate(path)), ({ code, detail }) => [code, detail.replace(/".*"/, "")])
      const expected = ["workspace_escape", " leads outside the workspace."]
      for (const path of [
        "../outside/secret.txt",
        "../outside/nothing.txt",
        "../nowhere/x",
        "/etc/passwd/x",
        "/root/x/y"
      ]) {
        assert.deepStrictEqual(yield* sentence(path), expected, path)
      }
    })
  )

  it.effect("what stays inside is found where it really is", () =>
    Effect.gen(function* () {
      const there = yield* dir
      layOut(there)
      const workspace = yield* workspaceOf(there)
      for (const [path, relative, kind] of ALLOWED) {
        const place = yield* workspace.locate(path.replace("{ws}", there.ws))
        assert.deepStrictEqual(
          [place.relative, place.kind, place.real],
          [relative, kind, join(there.ws, relative)],
          path
        )
      }
    })
  )

  it.effect("a root that is itself reached through a link is resolved once", () =>
    Effect.gen(function* () {
      const there = yield* dir
      layOut(there)
      there.link("alias", "ws")
      const workspace = yield* workspaceOf({ ...there, ws: join(there.root, "alias") })
      assert.strictEqual((yield* workspace.locate(join(there.root, "alias", "in.txt"))).relative, "in.txt")
      assert.strictEqual(workspace.root, there.ws)
    })
  )
})
