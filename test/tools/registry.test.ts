/** The registry (R076, R081, R083, LESSONS 24, 25): complaints for the model, permits spent once, defects contained. */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Result, Schema } from "effect"
import * as Tool from "../../src/tools/Tool.ts"
import * as ToolRegistry from "../../src/tools/ToolRegistry.ts"
import { contextFor, permitFor, toolCall, toolsIn } from "../support/builtinTools.ts"
import { dir } from "../support/workspaceDir.ts"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"

const toolWith = (run: Tool.ToolSpec<{}>["run"], more: Partial<Tool.ToolSpec<{}>> = {}) =>
  Tool.make({
    name: "t",
    description: "",
    parameters: Schema.Struct({}),
    run,
    ...more,
    assess: more.assess ?? (() => Effect.succeed({ risk: "safe", reason: "", paths: [], opaque: false }))
  })

describe("the registry", () => {
  it.effect("an unknown tool and invalid arguments are complaints for the model, and touch nothing", () =>
    Effect.gen(function* () {
      const there = yield* dir
      const path = there.file("ws/f.txt", "precious")
      const { registry } = yield* toolsIn(there)
      const complaint = (name: string, args: unknown) => {
        const resolved = registry.resolve(toolCall(name, args))
        return Result.isFailure(resolved) ? [resolved.failure.code, resolved.failure.detail] : ["resolved"]
      }
      assert.deepStrictEqual(complaint("rm", {}), [
        "tool_not_found",
        'There is no tool "rm". Tools: read_file, write_file, edit_file, bash, glob, grep, list_dir, todo, write_plan, subagent.'
      ])
      assert.deepStrictEqual(complaint("write_file", { path: "f.txt" }), [
        "tool_bad_arguments",
        'write_file: Missing key\n  at ["content"]'
      ])
      for (const args of [
        { path: "f.txt", content: null },
        { path: "f.txt", contents: "x" },
        { path: "f.txt", content: 1 },
        [],
        "{",
        { path: "f.txt", content: "x", mode: "append" }
      ]) {
        assert.strictEqual(complaint("write_file", args)[0], "tool_bad_arguments", JSON.stringify(args))
      }
      assert.strictEqual(readFileSync(path, "utf8"), "precious")
      // What a model leaves out it may also write as null; blank arguments are none.
      assert.deepStrictEqual(complaint("read_file", { path: "f.txt", offset: null }), ["resolved"])
      assert.deepStrictEqual(complaint("list_dir", ""), ["resolved"])
    })
  )

  it.effect("a permit is for one call with these arguments, once", () =>
    Effect.gen(function* () {
      const there = yield* dir
      const { registry } = yield* toolsIn(there)
      const resolve = (args: object) => Effect.fromResult(registry.resolve(toolCall("write_file", args)))
      const approved = yield* resolve({ path: "a.txt", content: "a" })
      const other = yield* resolve({ path: "b.txt", content: "b" })
      const permit = permitFor(approved)
      const dies = (resolved: ToolRegistry.ResolvedCall) =>
        Effect.map(
          Effect.exit(registry.execute(resolved, permit, contextFor(resolved))),
          (exit) => Exit.isFailure(exit) && Cause.hasDies(exit.cause)
        )
      assert.isTrue(yield* dies(other))
      assert.isTrue(yield* dies({ ...other, call: approved.call }))
      assert.isFalse(yield* dies(approved))
      assert.isTrue(yield* dies(approved))
      assert.deepStrictEqual([existsSync(join(there.ws, "a.txt")), existsSync(join(there.ws, "b.txt"))], [true, false])
    })
  )

  it.effect("the order of keys changes nothing about a digest, their values do", () =>
    Effect.gen(function* () {
      const { registry } = yield* toolsIn(yield* dir)
      const digest = (args: string) =>
        Effect.map(Effect.fromResult(registry.resolve(toolCall("write_file", args))), (resolved) => resolved.digest)
      const a = yield* digest('{"path":"x","content":"y"}')
      assert.strictEqual(yield* digest('{ "content" : "y", "path":"x"}'), a)
      assert.notStrictEqual(yield* digest('{"path":"x","content":"z"}'), a)
    })
  )

  it.effect("a tool that throws, in any part of it, is a defect the engine can catch", () =>
    Effect.gen(function* () {
      const explode = (): never => {
        throw new Error("boom")
      }
      const tool = toolWith(explode, { assess: explode, preview: explode, probe: explode })
      const registry = ToolRegistry.make([tool])
      const resolved = yield* Effect.fromResult(registry.resolve(toolCall("t", {})))
      const parts = [
        registry.execute(resolved, permitFor(resolved), contextFor(resolved)),
        tool.assess({}),
        tool.preview({}),
        tool.probe?.({}) ?? Effect.void
      ]
      for (const part of parts) {
        const exit = yield* Effect.exit(part)
        assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      }
    })
  )

  it.live("a tool that takes too long is stopped with a named error (R076)", () =>
    Effect.gen(function* () {
      const registry = ToolRegistry.make([toolWith(() => Effect.never, { timeout_ms: 20 })])
      const resolved = yield* Effect.fromResult(registry.resolve(toolCall("t", {})))
      const error = yield* Effect.flip(registry.execute(resolved, permitFor(resolved), contextFor(resolved)))
      assert.deepStrictEqual([error.code, error.detail], ["tool_timeout", "t was stopped after 20 ms."])
    })
  )
})
