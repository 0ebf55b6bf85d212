/** The records of the built-in tools: names, effect classes, schemas, risks and previews (R081, R083, LESSONS 15). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { toolsIn } from "../support/builtinTools.ts"
import { dir } from "../support/workspaceDir.ts"

describe("tool records", () => {
  it.effect("order, names and effect classes are fixed", () =>
    Effect.gen(function* () {
      const { tools } = yield* toolsIn(yield* dir)
      assert.deepStrictEqual(
        tools.map(({ effect, name, probe }) => [name, effect, probe !== undefined]),
        [
          ["read_file", "pure", false],
          ["write_file", "probe", true],
          ["edit_file", "probe", true],
          ["bash", "once", false],
          ["glob", "pure", false],
          ["grep", "pure", false],
          ["list_dir", "pure", false],
          ["todo", "idempotent", false],
          ["write_plan", "once", false],
          ["subagent", "once", false]
        ]
      )
    })
  )

  it.effect("schemas are closed objects whose every field is described, the same bytes every time", () =>
    Effect.gen(function* () {
      const there = yield* dir
      const { registry } = yield* toolsIn(there)
      const { registry: again } = yield* toolsIn(there)
      assert.strictEqual(JSON.stringify(registry.definitions), JSON.stringify(again.definitions))
      for (const { name, parameters } of registry.definitions) {
        assert.strictEqual(parameters["type"], "object", name)
        assert.strictEqual(parameters["additionalProperties"], false, name)
        for (const [field, schema] of Object.entries(parameters["properties"] as Record<string, object>)) {
          assert.include(JSON.stringify(schema), "description", `${name}.${field}`)
        }
      }
      const required = Object.fromEntries(
        registry.definitions.map(({ name, parameters }) => [name, parameters["required"] ?? []])
      )
      assert.deepStrictEqual(required, {
        read_file: ["path"],
        write_file: ["path", "content"],
        edit_file: ["path", "old_text", "new_text"],
        bash: ["command"],
        glob: ["pattern"],
        grep: ["pattern"],
        list_dir: [],
        todo: ["items"],
        write_plan: ["kind", "content"],
        subagent: ["title", "prompt"]
      })
    })
  )

  it.effect(
    "risk follows the arguments: reading is safe, writing mutates, manifests ask every time, .git is forbidden",
    () =>
      Effect.gen(function* () {
        const there = yield* dir
        there.file("ws/a.txt", "a")
        there.link("ws/alias.txt", "a.txt")
        const { assess } = yield* toolsIn(there)
        const write = (path: string) => assess("write_file", { path, content: "" })
        assert.deepStrictEqual(yield* assess("read_file", { path: "alias.txt" }), {
          risk: "safe",
          reason: "reads a.txt",
          paths: [`${there.ws}/a.txt`],
          opaque: false
        })
        assert.deepStrictEqual(yield* write("alias.txt"), {
          risk: "mutating",
          reason: "changes a.txt",
          paths: [`${there.ws}/a.txt`],
          opaque: false
        })
        assert.deepStrictEqual(yield* write("new/b.txt"), {
          risk: "mutating",
          reason: "creates new/b.txt",
          paths: [`${there.ws}/new/b.txt`],
          opaque: false
        })
        assert.deepStrictEqual(yield* write("package.json"), {
          risk: "dangerous",
          reason: "creates package.json, which can make other programs run code",
          paths: [`${there.ws}/package.json`],
          opaque: false,
          alwaysAsk: true
        })
        const forbidden = '".git/config" belongs to the control plane (.git, .claw), which tools never write.'
        assert.deepStrictEqual(yield* write(".git/config"), {
          risk: "dangerous",
          reason: forbidden,
          paths: [],
          opaque: false,
          forbidden
        })
      })
  )

  it.effect("a change is shown as a unified diff, a huge one as a sentence, and showing changes nothing", () =>
    Effect.gen(function* () {
      const there = yield* dir
      there.file("ws/a.txt", "one\ntwo\n")
      there.file("ws/big.txt", "x\n".repeat(200_000))
      const { preview, say } = yield* toolsIn(there)
      assert.deepStrictEqual(yield* preview("edit_file", { path: "a.txt", old_text: "two", new_text: "2" }), {
        kind: "diff",
        path: "a.txt",
        diff: "--- a.txt\n+++ a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"
      })
      const created = yield* preview("write_file", { path: "new.txt", content: "x\n" })
      assert.include(JSON.stringify(created), "--- /dev/null")
      assert.deepStrictEqual(yield* preview("write_file", { path: "big.txt", content: "y\n".repeat(100_000) }), {
        kind: "text",
        text: "big.txt: the change is too large to be shown as a diff; 200000 lines become 100000."
      })
      assert.strictEqual(yield* say("list_dir", {}), "a.txt\nbig.txt")
      assert.strictEqual(yield* say("read_file", { path: "a.txt" }), "one\ntwo\n")
    })
  )
})
