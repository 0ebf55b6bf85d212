/** What a call did is put back, and given back; every kind of file (issue 5, fork and undo). */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  writeFileSync
} from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { redo, type Scene, scene, treeOf, undo } from "../../support/checkpointKit.ts"

interface Case {
  readonly before: (scene: Scene) => void
  readonly call: (scene: Scene) => void
}

const bytes = (name: string) => Buffer.from(name, "latin1")
const inRoot = ({ root }: Scene, name: string) => Buffer.concat([Buffer.from(`${root}/`), bytes(name)])

const cases: Readonly<Record<string, Case>> = {
  "changed, made and deleted files": {
    before: ({ write }) => (write("a", "one\n"), write("d/b", "two\n")),
    call: ({ write, remove }) => (write("a", "1\n"), write("new/deep/c", "three\n"), remove("d"))
  },
  "a renamed directory": {
    before: ({ write }) => (write("old/a", "a"), write("old/b", "b")),
    call: ({ at }) => renameSync(at("old"), at("fresh"))
  },
  "executable or not": {
    before: ({ write }) => (write("run", "#!/bin/sh\n", 0o755), write("plain", "x", 0o644)),
    call: ({ at }) => (chmodSync(at("run"), 0o644), chmodSync(at("plain"), 0o755))
  },
  "a private file that is deleted": {
    before: ({ write }) => write("key", "secret", 0o600),
    call: ({ remove }) => remove("key")
  },
  links: {
    before: ({ at, write }) => (write("a", "a"), symlinkSync("a", at("l")), symlinkSync("/nowhere", at("gone"))),
    call: ({ at }) => (
      unlinkSync(at("l")),
      symlinkSync("b", at("l")),
      unlinkSync(at("gone")),
      symlinkSync("a", at("m"))
    )
  },
  "a file that becomes a directory, and the other way round": {
    before: ({ write }) => (write("file", "f"), write("dir/inside/x", "x")),
    call: ({ at, remove, write }) => (
      remove("file"),
      write("file/y", "y"),
      remove("dir"),
      writeFileSync(at("dir"), "d")
    )
  },
  "a link that becomes a directory, and the other way round": {
    before: ({ at, write }) => (write("t/a", "a"), symlinkSync("t", at("l")), write("d/b", "b")),
    call: ({ at, remove, write }) => (unlinkSync(at("l")), write("l/c", "c"), remove("d"), symlinkSync("t", at("d")))
  },
  "bytes that are no text, and line ends": {
    before: ({ write }) => (write("bin", Buffer.from([0, 255, 1, 2])), write("crlf", "a\r\nb\r\n")),
    call: ({ write }) => (write("bin", Buffer.from([0, 254])), write("crlf", "a\nb\n"))
  },
  "names that are no UTF-8, and names that look like something else": {
    before: (own) => (writeFileSync(inRoot(own, "caf\xe9"), "1"), own.write("-rf", "2"), own.write(":(top)*", "3")),
    call: (own) => {
      writeFileSync(inRoot(own, "caf\xe9"), "other")
      writeFileSync(inRoot(own, "n\xff\nline"), "new")
      own.write("-rf", "x")
      own.remove(":(top)*")
      own.write('quo"te\\back', "q")
    }
  },
  "attributes that ask for other bytes": {
    before: ({ write }) => (
      write(".gitattributes", "* text=auto eol=crlf ident working-tree-encoding=UTF-16\n"),
      write("a", "a\r\n$Id$\n")
    ),
    call: ({ write }) => write("a", "b\n$Id$\n")
  },
  "an empty file": {
    before: ({ write }) => write("e", ""),
    call: ({ write, remove }) => (remove("e"), write("f", ""))
  }
}

describe("undo and redo", () => {
  it.live.each(Object.entries(cases))("%s", ([, { before, call }]) =>
    Effect.gen(function* () {
      const own = yield* scene()
      before(own)
      const was = treeOf(own.root)
      const step = yield* own.call(() => call(own))
      const became = treeOf(own.root)
      assert.notDeepEqual(became, was)
      const undone = yield* undo(own, [step])
      assert.deepStrictEqual([treeOf(own.root), undone.kept], [was, []])
      const redone = yield* redo(own, undone.plan)
      assert.deepStrictEqual([treeOf(own.root), redone.kept], [became, []])
      assert.deepStrictEqual((yield* undo(own, [step])).kept, [])
      assert.deepStrictEqual(treeOf(own.root), was)
    }).pipe(Effect.scoped)
  )

  it.live("a call that names its file needs no look at the rest, and takes an ignored file along", () =>
    Effect.gen(function* () {
      const own = yield* scene({ path: "/nonexistent" })
      own.write(".gitignore", ".env\n")
      own.write(".env", "A=1\n", 0o600)
      const step = yield* own.call(() => own.write(".env", "A=2\n"), { kind: "paths", paths: [own.at(".env")] })
      yield* undo(own, [step])
      assert.strictEqual(treeOf(own.root)[".env"], "600 A=1\n")
    }).pipe(Effect.scoped)
  )

  it.live("a call that changes nothing leaves no step", () =>
    Effect.gen(function* () {
      const own = yield* scene()
      own.write("a", "a")
      const same = () => own.write("a", readFileSync(own.at("a")))
      assert.deepStrictEqual([yield* own.call(same), yield* own.call(() => {})], [undefined, undefined])
    }).pipe(Effect.scoped)
  )

  it.live("directories that the call made go with their files; older ones stay, also empty", () =>
    Effect.gen(function* () {
      const own = yield* scene()
      mkdirSync(own.at("mine"))
      const step = yield* own.call(() => (own.write("mine/x", "x"), own.write("its/own/y", "y")))
      yield* undo(own, [step])
      assert.deepStrictEqual(treeOf(own.root), {})
      rmdirSync(own.at("mine"))
      assert.isFalse(existsSync(own.at("its")))
    }).pipe(Effect.scoped)
  )
})
