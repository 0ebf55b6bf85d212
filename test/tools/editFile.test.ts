/** edit_file (R082, LESSONS 21, case H07): what is replaced, what never changes, what is refused. */
import { chmodSync, readFileSync, readlinkSync, statSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { toolsIn } from "../support/builtinTools.ts"
import { dir } from "../support/workspaceDir.ts"

interface Row {
  readonly what: string
  readonly before: string
  readonly old_text: string
  readonly new_text: string
  readonly all?: boolean
  readonly after: string
}

/** Texts here are bytes: one character each. */
const ROWS: ReadonlyArray<Row> = [
  {
    what: "an LF text matches CRLF lines, and a last LF line keeps its LF (H07)",
    before: "one\r\ntwo = 2;\r\nthree\r\nfour\n",
    old_text: "two = 2;\nthree",
    new_text: "two = 22;\nTHREE",
    after: "one\r\ntwo = 22;\r\nTHREE\r\nfour\n"
  },
  {
    what: "everywhere, over line ends (H07)",
    before: "x\r\ny\r\nx\r\ny\r\n",
    old_text: "x\ny",
    new_text: "X\nY",
    all: true,
    after: "X\r\nY\r\nX\r\nY\r\n"
  },
  {
    what: "added lines take the style of those they join",
    before: "a\r\nb\r\nc\r\n",
    old_text: "b\n",
    new_text: "b\nb2\nb3\n",
    after: "a\r\nb\r\nb2\r\nb3\r\nc\r\n"
  },
  {
    what: "added lines in a match without a line end",
    before: "a\r\nb\r\n",
    old_text: "b",
    new_text: "b\nc",
    after: "a\r\nb\r\nc\r\n"
  },
  {
    what: "an LF file stays one whatever the model sends",
    before: "a\nb\n",
    old_text: "a\r\nb",
    new_text: "A\r\nB",
    after: "A\nB\n"
  },
  {
    what: "mixed line ends stay mixed",
    before: "a\nb\r\nc\nd",
    old_text: "a\nb\nc",
    new_text: "A\nB\nC",
    after: "A\nB\r\nC\nd"
  },
  {
    what: "replacement patterns are text",
    before: "price",
    old_text: "price",
    new_text: "$& $1 $$ $` $'",
    after: "$& $1 $$ $` $'"
  },
  {
    what: "search patterns are text",
    before: "a.c abc (x) [y]",
    old_text: "a.c",
    new_text: "\\n",
    after: "\\n abc (x) [y]"
  },
  {
    what: "a byte order mark is kept",
    before: "\xef\xbb\xbffirst\n",
    old_text: "first",
    new_text: "1st",
    after: "\xef\xbb\xbf1st\n"
  },
  { what: "no final newline stays none", before: "a\nb", old_text: "b", new_text: "c", after: "a\nc" },
  {
    what: "bytes that are not UTF-8 stay",
    before: "\xff\xfe\xe9 x \x80",
    old_text: "x",
    new_text: "\u00e9",
    after: "\xff\xfe\xe9 \xc3\xa9 \x80"
  },
  { what: "a lone CR is no line end", before: "a\rb\r\r\nc", old_text: "b", new_text: "B", after: "a\rB\r\r\nc" },
  { what: "deleting", before: "a\r\nb\r\nc", old_text: "b\n", new_text: "", after: "a\r\nc" },
  { what: "overlaps are replaced once", before: "aaaa", old_text: "aa", new_text: "b", all: true, after: "bb" }
]

describe("edit_file", () => {
  for (const row of ROWS) {
    it.effect(row.what, () =>
      Effect.gen(function* () {
        const there = yield* dir
        const path = there.file("ws/f.txt", Buffer.from(row.before, "latin1"))
        const { call } = yield* toolsIn(there)
        yield* call("read_file", { path: "f.txt" })
        const args = { path: "f.txt", old_text: row.old_text, new_text: row.new_text }
        yield* call("edit_file", row.all === true ? { ...args, replace_all: true } : args)
        assert.strictEqual(readFileSync(path, "latin1"), row.after)
      })
    )
  }

  it.effect("what is not exactly one place is refused, with the count, and nothing changes", () =>
    Effect.gen(function* () {
      const there = yield* dir
      const path = there.file("ws/f.txt", "aaa\n  indented line\nb\nb\n")
      there.file("ws/image", "\x00\x01")
      const { say } = yield* toolsIn(there)
      const edit = (old_text: string, new_text = "z", file = "f.txt") =>
        say("edit_file", { path: file, old_text, new_text })
      const said = yield* Effect.all([
        edit(""),
        edit("nothing"),
        edit("b"),
        edit("aa"),
        edit("b", "b"),
        edit("indented  line\nb"),
        edit("x", "y", "image"),
        edit("x", "y", "none")
      ])
      assert.deepStrictEqual(said, [
        "! f.txt: old_text is empty: give the text to replace, or use write_file for a whole file.",
        "! f.txt: old_text was not found (0 matches): read the file again and copy the text exactly.",
        "! f.txt: old_text was found 2 times: add lines around it until it is unique, or set replace_all.",
        "! f.txt: old_text was found 2 times: add lines around it until it is unique, or set replace_all.",
        "! f.txt: old_text and new_text are the same; nothing would change.",
        "! f.txt: old_text was not found (0 matches): a text that differs only in blanks is at line 2; copy it exactly.",
        '! "image" is not a text file.',
        '! "none" does not exist.'
      ])
      assert.strictEqual(readFileSync(path, "utf8"), "aaa\n  indented line\nb\nb\n")
    })
  )

  it.effect("says how many and where", () =>
    Effect.gen(function* () {
      const there = yield* dir
      there.file("ws/f.txt", "x\r\ny\r\nx\r\n")
      const { say } = yield* toolsIn(there)
      assert.strictEqual(
        yield* say("edit_file", { path: "f.txt", old_text: "y", new_text: "x" }),
        "Edited f.txt: 1 replacement, the first at line 2."
      )
      assert.strictEqual(
        yield* say("edit_file", { path: "f.txt", old_text: "x\n", new_text: "z\n", replace_all: true }),
        "Edited f.txt: 3 replacements, the first at line 1."
      )
    })
  )

  it.effect("a file that changed since it was read is refused with a hint; after reading it again it is edited", () =>
    Effect.gen(function* () {
      const there = yield* dir
      there.file("ws/f.txt", "one")
      const { say } = yield* toolsIn(there)
      yield* say("read_file", { path: "f.txt" })
      there.file("ws/f.txt", "one, by somebody else")
      const edit = say("edit_file", { path: "f.txt", old_text: "one", new_text: "two" })
      assert.strictEqual(yield* edit, '! "f.txt" changed since it was last read here; read it again before editing it.')
      assert.strictEqual(
        yield* say("write_file", { path: "f.txt", content: "mine" }),
        '! "f.txt" changed since it was last read here; read it again before writing it.'
      )
      yield* say("read_file", { path: "f.txt" })
      assert.strictEqual(yield* edit, "Edited f.txt: 1 replacement, the first at line 1.")
      // Its own edit is no foreign change.
      assert.include(yield* say("edit_file", { path: "f.txt", old_text: "two", new_text: "three" }), "Edited")
    })
  )

  it.effect("mode bits and a link survive", () =>
    Effect.gen(function* () {
      const there = yield* dir
      const path = there.file("ws/run.sh", "echo old")
      chmodSync(path, 0o755)
      const link = there.link("ws/link.sh", "run.sh")
      const { call } = yield* toolsIn(there)
      yield* call("edit_file", { path: "link.sh", old_text: "old", new_text: "new" })
      assert.deepStrictEqual(
        [readFileSync(path, "utf8"), statSync(path).mode & 0o777, readlinkSync(link)],
        ["echo new", 0o755, "run.sh"]
      )
    })
  )

  it.effect("after a crash the file says whether it happened, and only where nobody else changed it (C10–C12)", () =>
    Effect.gen(function* () {
      const there = yield* dir
      there.file("ws/f.txt", "one\r\n")
      const { call, intent, probe } = yield* toolsIn(there)
      const calls = {
        edit_file: { path: "f.txt", old_text: "one\n", new_text: "two\n" },
        write_file: { path: "f.txt", content: "all" }
      }
      const begun = {
        edit_file: (yield* intent("edit_file", calls.edit_file)) ?? { after: "" },
        write_file: (yield* intent("write_file", calls.write_file)) ?? { after: "" }
      }
      const states = Effect.forEach(["edit_file", "write_file"] as const, (name) =>
        Effect.map(probe(name, calls[name], begun[name]), ({ state }) => state)
      )
      assert.deepStrictEqual(yield* states, ["not_done", "not_done"])
      yield* call("edit_file", calls.edit_file)
      assert.deepStrictEqual(yield* states, ["done", "unknown"])
      yield* call("write_file", calls.write_file)
      assert.deepStrictEqual(yield* states, ["unknown", "done"])
      there.file("ws/f.txt", "what a person wrote meanwhile")
      assert.deepStrictEqual(yield* states, ["unknown", "unknown"])
    })
  )

  it.effect("an edit that does not fit has no intent: nothing will come of it", () =>
    Effect.gen(function* () {
      const there = yield* dir
      there.file("ws/f.txt", "one\n")
      const { intent } = yield* toolsIn(there)
      assert.strictEqual(yield* intent("edit_file", { path: "f.txt", old_text: "no", new_text: "two" }), undefined)
    })
  )
})
