/**
 * `claw policy check` over the corpora: each line answered by the decision code of the gate, nothing wrongly allowed and
 * nothing ordinary stricter (SECURITY §2, DESIGN §9). Requirements: R137, R138, R160, R167. No entry is excepted.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { type Checked, checkLine } from "../../src/app/policyCheck.ts"
import { load } from "../../src/config/AppConfig.ts"
import {
  bashCorpus,
  type BashEntry,
  type CorpusFile,
  makeWorkspace,
  passes,
  readCorpus,
  writeFile
} from "../support/approvalCorpus.ts"
import { writeFiles } from "../support/directories.ts"

const config = (workspace: string) =>
  Result.getOrThrow(load({ workspace, env: { HOME: "/nowhere/home" }, operator: "/nowhere/operator.json" }))

/** A repository with the files that the corpus takes for granted, and the entry's own. */
const workspaceWith = (files: ReadonlyArray<CorpusFile> = []) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const made = makeWorkspace()
      writeFiles(made.path, { "src/index.ts": "x\n", "docs/x.md": "x\n", "a..b/c.md": "x\n" })
      for (const file of files)
        writeFile(made.path, {
          ...file,
          ...(file.symlink === undefined ? {} : { symlink: file.symlink.replace("{{OUTSIDE}}", `${made.path}/..`) })
        })
      return made
    }),
    ({ remove }) => Effect.sync(remove)
  )

interface Entry {
  readonly id: string
  readonly kind: string
  readonly benign: boolean
  readonly input: string
  readonly expect: string
  readonly why: string
  readonly expand?: unknown
  readonly context?: { readonly fixture?: ReadonlyArray<CorpusFile> }
}

const judge = Effect.fnUntraced(function* ({ benign: _b, expect: _e, why: _w, context = {}, ...line }: Entry) {
  const { path } = yield* workspaceWith(context.fixture)
  return yield* checkLine(JSON.stringify({ ...line, context: { ...context, workspace: path } }), config(path))
})

const told = ({ verdict, reasons }: Checked) => `was ${verdict}: ${reasons.join("; ")}`

/** No control, no bidi mark, nothing invisible: what is left over is an unambiguous visible form. */
const VISIBLE = /^(?:(?![\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]).|\n)*$/u

const contextOf = (entry: BashEntry) => ({
  grants: entry.grants ?? [],
  deny_rules: (entry.deny ?? []).map((argv) => ({ tool: "bash", argv })),
  raw_args: entry.raw_arguments === true,
  ...(entry.path === undefined ? {} : { shell_state: { PATH: entry.path.replace("{{workspace}}", "{{WS}}") } })
})

const fromBash = (entry: BashEntry): Entry => ({
  id: entry.id,
  kind: "bash",
  benign: entry.benign,
  input: entry.command,
  expect: entry.expect,
  why: entry.why,
  ...(entry.repeat === undefined
    ? {}
    : { expand: { [entry.repeat.mark]: { repeat: entry.repeat.text, times: entry.repeat.times } } }),
  context: {
    ...(entry.files === undefined ? {} : { fixture: entry.files }),
    ...contextOf(entry)
  }
})

const decisions: ReadonlyArray<Entry> = [
  ...(readCorpus("lines") as ReadonlyArray<Entry>),
  ...bashCorpus("bash").map(fromBash)
]

describe("claw policy check", () => {
  it.effect.each(decisions)("$kind $id $why", (entry) =>
    Effect.gen(function* () {
      const checked = yield* judge(entry)
      assert.strictEqual(checked.id, entry.id)
      assert.notProperty(checked, "error")
      if (entry.expect === "sanitised") {
        assert.deepStrictEqual([checked.sanitised, VISIBLE.test(checked.shown)], [true, true], checked.shown)
        return
      }
      const expect = entry.expect as Checked["verdict"]
      assert.isTrue(passes({ benign: entry.benign, expect }, checked.verdict), `expected ${expect}, ${told(checked)}`)
    })
  )

  it.effect.each([
    ["no JSON", "{", null, "bad_json"],
    ["no object", "[1]", null, "bad_message"],
    ["a missing field", '{"id":"a","kind":"bash"}', "a", "bad_message"],
    ["a field of another kind", '{"id":7,"kind":"bash","input":1}', 7, "bad_message"],
    [
      "a mode that does not exist",
      '{"id":"b","kind":"bash","input":"ls","context":{"mode":"yes"}}',
      "b",
      "bad_message"
    ],
    ["a kind that is no decision", '{"id":"c","kind":"ws","input":"x"}', "c", "bad_message"],
    [
      "a deny rule that would never meet anything",
      '{"id":"e","kind":"bash","input":"git push","context":{"deny_rules":[{"argv":["git push"]}]}}',
      "e",
      "bad_message"
    ],
    [
      "a workspace that is not there",
      '{"id":"d","kind":"bash","input":"ls","context":{"workspace":"/nowhere"}}',
      "d",
      "workspace_unreadable"
    ]
  ] as const)("%s is refused by its code, with its id", ([, text, id, code]) =>
    Effect.gen(function* () {
      const { path } = yield* workspaceWith()
      const checked = yield* checkLine(text, config(path))
      assert.deepStrictEqual([checked.id, checked.verdict, checked.error?.code], [id, "deny", code])
    })
  )

  it.effect("says why: the deciding reason first, then each part that nothing covers", () =>
    Effect.gen(function* () {
      const { path } = yield* workspaceWith()
      const grants = [{ match: "prefix", tool: "bash", argv: ["npm", "test"] }]
      const context = { workspace: path, grants }
      const text = JSON.stringify({ id: "x", kind: "bash", input: "npm test && npm publish > log", context })
      const checked = yield* checkLine(text, config(path))
      assert.deepStrictEqual(checked, {
        id: "x",
        verdict: "ask",
        reasons: ["writes log", "npm publish: writes log"],
        shown: "npm test && npm publish > log"
      })
    })
  )
})
