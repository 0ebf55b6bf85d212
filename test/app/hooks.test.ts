/** Hooks as programs: a guard that does not say clearly that it has no objection refuses, and none can allow (issue 7). */
import { execFileSync } from "node:child_process"
import { existsSync, readdirSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { writeFiles } from "../support/directories.ts"
import { calls, text } from "../support/fakeModelScript.ts"
import { prompted, scene, WRITE } from "../support/hookKit.ts"
import { newSession } from "../support/realSession.ts"
import { watch } from "../support/runtimeKit.ts"

const GUARD = "hook user hooks.before_tool[0] (sh)"

/** What the guard does with a call whose content names the case. */
const GUARDED = [
  ["denies", `echo '{"decision":"deny","reason":"no writing today"}'`, `${GUARD}: no writing today`],
  ["ends with 2", "echo not here >&2; exit 2", `${GUARD}: not here`],
  ["ends with another code", "echo oops >&2; exit 1", `${GUARD} ended with 1: oops`],
  ["is killed", "kill -9 $$", `${GUARD} ended by SIGKILL`],
  ["prints nonsense", "echo fine", `${GUARD} did not answer as a hook does`],
  ["misspells the key", `echo '{"decison":"deny"}'`, `${GUARD} did not answer as a hook does`],
  ["says an unknown word", `echo '{"decision":"maybe"}'`, `${GUARD} did not answer as a hook does`],
  ["answers twice", `echo '{}'; echo '{}'`, `${GUARD} did not answer as a hook does`]
] as const

describe("a guard", () => {
  it.live("that denies, fails, is slow, is not there or says nonsense refuses the call, by its name", () =>
    Effect.gen(function* () {
      const cases = GUARDED.map(([what, body]) => `*"${what}"*) ${body};;`)
      const { model, state, within, workspace } = yield* scene({})
      const before_tool = [
        { match: "write_*", command: ["/bin/sh", join(state, "guard.sh")] },
        { match: "list_dir", command: ["/bin/sleep", "100"], timeout_ms: 200 },
        { match: "glob", command: ["/nonexistent/guard"] }
      ]
      writeFiles(state, {
        "guard.sh": `case "$(cat)" in ${cases.join(" ")} esac\n`,
        ".config/claw/config.json": JSON.stringify({ hooks: { before_tool } })
      })
      const writes = GUARDED.map(([content], i) => ({
        name: "write_file",
        arguments: JSON.stringify({ path: `a${i}.txt`, content })
      }))
      const others = [
        { name: "list_dir", arguments: "{}" },
        { name: "glob", arguments: '{"pattern":"*"}' },
        { name: "write_file", arguments: '{"path":"b.txt","content":"x"}' }
      ]
      model.script(calls([...writes, ...others]), text("done"))
      const { end, of } = yield* within(prompted(workspace))
      assert.strictEqual(end?.status, "completed")
      const slow = "hook user hooks.before_tool[1] (sleep) took longer than 200 ms"
      const missing = "hook user hooks.before_tool[2] (guard)"
      const whys = [...GUARDED.map(([, , why]) => why), slow, missing]
      const refused = of("approval_resolved").filter(({ decision }) => decision === "deny")
      assert.deepStrictEqual(
        refused.map(({ reason = "", rule = "", via }, i) => [
          via,
          reason.startsWith(rule),
          reason.includes(whys[i] ?? "?")
        ]),
        whys.map(() => ["policy", true, true])
      )
      const results = new Map(of("tool_result").map(({ call_id, result }) => [call_id, result]))
      for (const [i, { call_id }] of refused.entries()) {
        assert.match(results.get(call_id) ?? "", /^Denied by policy: .*\. The call was not executed\.$/)
        assert.include(results.get(call_id), whys[i])
      }
      assert.deepStrictEqual(readdirSync(workspace), ["b.txt"])
    }).pipe(Effect.scoped)
  )

  const NOT_WIDER = [
    ["allow in mode never-ask", "never-ask", `echo '{"decision":"allow"}'`, "deny", false, "policy"],
    ["allow in mode ask: the person is asked", "ask", `echo '{"decision":"allow"}'`, "deny", false, "user"],
    [
      "ask in mode accept-edits: a no",
      "accept-edits",
      `echo '{"decision":"ask","reason":"sure"}'`,
      "deny",
      false,
      "user"
    ],
    ["ask in mode accept-edits: a yes", "accept-edits", `echo '{"decision":"ask"}'`, "allow_once", true, "user"],
    ["nothing said", "accept-edits", "cat > /dev/null", "deny", true, "policy"]
  ] as const
  it.live.each(NOT_WIDER)("says %s", ([, mode, body, answer, written, via]) =>
    Effect.gen(function* () {
      const there = yield* scene({ mode, hooks: { before_tool: body } })
      there.model.script(WRITE, text("done"))
      const { of } = yield* there.within(prompted(there.workspace, answer))
      assert.deepStrictEqual([there.written(), of("approval_resolved")[0]?.via], [written, via])
      const asked = of("approval_request")
      assert.strictEqual(asked.length, via === "user" ? 1 : 0)
      if (body.includes("sure")) assert.include(asked[0]?.reason, `${GUARD}: sure`)
    }).pipe(Effect.scoped)
  )

  it.live("of a prompt ends the task before the model hears of it", () =>
    Effect.gen(function* () {
      const { file, model, within, workspace } = yield* scene({
        hooks: { before_prompt: `cat > $DIR/in; echo '{"decision":"ask","reason":"too late in the day"}'` }
      })
      const { end } = yield* within(prompted(workspace))
      assert.deepStrictEqual(
        [end?.error?.code, end?.error?.message],
        ["hook_denied", "hook user hooks.before_prompt[0] (sh): too late in the day."]
      )
      assert.strictEqual(model.requests().length, 0)
      const { event, prompt, v, workspace: at } = JSON.parse(file("in")) as Readonly<Record<string, unknown>>
      assert.deepStrictEqual([v, event, prompt, at], [1, "before_prompt", "do it", workspace])
    }).pipe(Effect.scoped)
  )

  it.live("of what a summary is to keep is asked as of a prompt", () =>
    Effect.gen(function* () {
      const { model, within, workspace } = yield* scene({
        hooks: { before_prompt: `if grep -q password; then echo "no passwords" >&2; exit 2; fi` }
      })
      model.rule(() => text("fine"))
      const { last } = yield* Effect.gen(function* () {
        const session = yield* newSession(workspace)
        const { task } = yield* session.prompt({ content: "do it" })
        yield* task?.await ?? Effect.void
        const seen = yield* watch(session)
        yield* session.compact("the password above all")
        yield* seen.until("task_failed")
        return yield* session.state
      }).pipe(within)
      assert.deepStrictEqual(
        [last?.error?.code, last?.error?.message],
        ["hook_denied", "hook user hooks.before_prompt[0] (sh): no passwords."]
      )
      assert.isFalse(JSON.stringify(model.requests()).includes("password"))
    }).pipe(Effect.scoped)
  )
})

describe("a hook", () => {
  it.live("that says something else after each call hides from nobody that the model goes in circles", () =>
    Effect.gen(function* () {
      const { model, within, workspace } = yield* scene({
        hooks: { after_tool: `echo "{\\"context\\":\\"$(date +%N)\\"}"` }
      })
      model.rule(() => calls([{ name: "list_dir", arguments: "{}" }]))
      const { end, of } = yield* within(prompted(workspace))
      assert.strictEqual(end?.error?.code, "doom_loop")
      const said = new Set(of("tool_result").map(({ result }) => result))
      assert.isAbove(said.size, 1)
      for (const { own_chars, result } of of("tool_result"))
        assert.strictEqual(result.slice(0, own_chars), "(the folder is empty)")
    }).pipe(Effect.scoped)
  )

  it.live("is told what happens, adds to what the model reads, and has no key in its environment", () =>
    Effect.gen(function* () {
      const say = (word: string) => `cat > $DIR/${word}; env > $DIR/${word}.env; echo '{"context":"note ${word}"}'`
      const { file, model, within, workspace } = yield* scene({
        hooks: {
          before_tool: say("before"),
          after_tool: say("after"),
          before_prompt: say("prompt"),
          after_task: say("task")
        }
      })
      model.script(WRITE, text("done"))
      const { end, of } = yield* within(prompted(workspace))
      assert.strictEqual(end?.status, "completed")
      const json = (name: string) => JSON.parse(file(name)) as Readonly<Record<string, unknown>>
      assert.deepInclude(json("before"), { tool_name: "write_file", arguments: { path: "a.txt", content: "x" } })
      assert.deepInclude(json("after"), { status: "ok", result: "Created a.txt (1 bytes)." })
      assert.deepInclude(json("task"), { event: "after_task", status: "completed" })
      assert.deepStrictEqual(
        of("tool_result").map(({ result }) => result),
        [
          "Created a.txt (1 bytes).\n\n[hook user hooks.before_tool[0] (sh)]\nnote before\n[hook user hooks.after_tool[0] (sh)]\nnote after"
        ]
      )
      const [first] = model.requests()
      assert.deepStrictEqual(
        first?.messages.slice(1).map(({ content }) => content),
        ["do it", "[hook user hooks.before_prompt[0] (sh)]\nnote prompt"]
      )
      for (const name of ["before", "after", "prompt", "task"]) assert.notMatch(file(`${name}.env`), /sk-test|API_KEY/)
      assert.deepStrictEqual(model.violations(), [])
    }).pipe(Effect.scoped)
  )

  it.live("is for the tools that it names; one that fails afterwards is told, and costs nobody the result", () =>
    Effect.gen(function* () {
      const { model, within, workspace } = yield* scene({
        match: "read_*|write_file",
        hooks: { after_tool: "echo broken >&2; exit 3", after_task: "exit 4" }
      })
      model.script(calls([{ name: "list_dir", arguments: "{}" }]), WRITE, WRITE, text("done"))
      const { of } = yield* within(prompted(workspace))
      assert.deepStrictEqual(
        of("tool_result").map(({ result }) => result),
        [
          "(the folder is empty)",
          "Created a.txt (1 bytes).\n\n[hook user hooks.after_tool[0] (sh) ended with 3: broken]",
          "Replaced a.txt (1 bytes).\n\n[hook user hooks.after_tool[0] (sh) ended with 3: broken]"
        ]
      )
      // Once for each: a person who is told with every call stops reading.
      const failed = of("hook_failed").map(({ call_id, event, hook, reason }) => [event, hook, reason, call_id])
      assert.deepStrictEqual(failed, [
        ["after_tool", "hook user hooks.after_tool[0] (sh)", "ended with 3: broken", of("tool_result")[1]?.call_id],
        ["after_task", "hook user hooks.after_task[0] (sh)", "ended with 4", undefined]
      ])
    }).pipe(Effect.scoped)
  )

  // What a tool did, and how a task ended, stays what it was.
  it.live.each([
    ["before_prompt", "canceled", undefined],
    ["before_tool", "canceled", "cancelled"],
    ["after_tool", "canceled", "ok"],
    ["after_task", "completed", "ok"]
  ] as const)("%s that is cut off leaves nothing behind", ([event, ended, called]) =>
    Effect.gen(function* () {
      const there = yield* scene({ hooks: { [event]: "echo $$ > $DIR/begun; sleep 100" } })
      const begun = join(there.state, "begun")
      execFileSync("mkfifo", [begun])
      there.model.script(WRITE, text("done"))
      const { pid, status } = yield* Effect.gen(function* () {
        const session = yield* newSession(there.workspace)
        const { task } = yield* session.prompt({ content: "do it" })
        const pid = yield* Effect.promise(() => readFile(begun, "utf8"))
        yield* session.interrupt()
        const end = yield* task?.await ?? Effect.undefined
        const { history } = yield* session.state
        const answer = history.find((item) => item.kind === "answer")
        return { pid, status: [end?.status, answer?.kind === "answer" ? answer.calls[0]?.result?.status : undefined] }
      }).pipe(there.within)
      assert.deepStrictEqual(status, [ended, called])
      assert.strictEqual(there.written(), called === "ok")
      assert.isFalse(existsSync(`/proc/${pid.trim()}`))
    }).pipe(Effect.scoped)
  )
})
