/** What git's settings name is git's own, wherever it lies: settings are never written, programs and hooks ask (SECURITY P11, T5). */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { dir, workspaceOf } from "../support/workspaceDir.ts"

const CONFIG = `[core]
  hooksPath = hk
  fsmonitor = cfg/fs.sh
  editor = "cfg/ed.sh --wait"
  attributesFile = cfg/attrs
[include]
  path = ../cfg/gitconfig
[diff]
  external = cfg/diff
[filter "x"]
  clean = sh cfg/clean.sh %f
[merge "y"]
  driver = cfg/merge %A
[alias]
  z = !cfg/alias.sh
`
const SETTINGS = ["cfg/gitconfig", "CFG/gitconfig", "cfg/more"]
const ASKS =
  `hk/pre-push hk/pre-commit hk/lib/x cfg/fs.sh cfg/ed.sh cfg/attrs cfg/diff cfg/clean.sh cfg/merge cfg/alias.sh
  cfg/pager link/pre-commit sub/tools/fs.sh`.split(/\s+/)
const FREE = ["cfg/other", "src/a.ts", "hk2/x", "tools/fs.sh"]

it.effect("whatever a configuration leads to", () =>
  Effect.gen(function* () {
    const there = yield* dir
    there.file("ws/.git/config", CONFIG)
    there.file("ws/cfg/gitconfig", "[core]\n\tpager = cfg/pager\n[include]\n\tpath = more\n")
    there.file("ws/sub/.git/config", "[core]\n\tfsmonitor = tools/fs.sh\n")
    there.file("ws/hk/pre-commit", "")
    there.link("ws/link", "hk")
    const workspace = yield* workspaceOf(there)
    const kind = Effect.fnUntraced(function* (path: string) {
      return [path, (yield* workspace.locate(path)).guard.kind]
    })
    const all = (kinds: ReadonlyArray<string>, wanted: string) =>
      Effect.map(Effect.forEach(kinds, kind), (found) =>
        assert.deepStrictEqual(
          found,
          kinds.map((path) => [path, wanted])
        )
      )
    yield* all(SETTINGS, "forbidden")
    yield* all(ASKS, "alwaysAsk")
    yield* all(FREE, "free")
    there.file("ws/.git/config", "[core]\n\thooksPath = hk2\n")
    yield* all(["hk2/x"], "alwaysAsk")
    yield* all(["hk/pre-push"], "free")
  })
)
