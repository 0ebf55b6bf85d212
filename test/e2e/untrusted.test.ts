/**
 * Opening somebody's repository starts nothing and reaches nobody (SECURITY T8, T21; R272): each hostile repository is
 * opened by the built program under a trace of the system calls that start programs and open connections.
 */
import { execFileSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { writeFiles } from "../support/directories.ts"
import { CLAW, KEY, NODE, SIDE_BY_SIDE, world } from "../support/e2eProgram.ts"
import * as FakeModel from "../support/fakeModel.ts"
import { calls, text } from "../support/fakeModelScript.ts"
import { type Hostile, hostileRepositories } from "../support/hostileRepositories.ts"
import { run } from "../support/programs.ts"
import { folder } from "../support/realSession.ts"

/** Quiet tools over the whole tree: each reads, none starts anything. */
const LOOK = calls([
  { id: "l1", name: "list_dir", arguments: '{"path":"."}' },
  { id: "l2", name: "glob", arguments: '{"pattern":"**/*"}' },
  { id: "l3", name: "grep", arguments: '{"pattern":"pwned"}' }
])

interface Place {
  readonly workspace: string
  readonly mark: string
  readonly evil: string
}

const lay = ({ files, programs = [], links = {} }: Hostile, { workspace, mark, evil }: Place) =>
  Effect.sync(() => {
    const fill = (value: string) =>
      value
        .replaceAll("{{TOUCH}}", `touch ${mark}`)
        .replaceAll("{{MARKNAME}}", "touch pwned")
        .replaceAll("{{EVIL}}", evil)
    writeFiles(workspace, Object.fromEntries(Object.entries(files).map(([path, body]) => [fill(path), fill(body)])))
    for (const path of programs) chmodSync(join(workspace, path), 0o755)
    for (const [path, target] of Object.entries(links)) {
      mkdirSync(dirname(join(workspace, path)), { recursive: true })
      symlinkSync(target, join(workspace, path))
    }
  })

/** What was started and whom it spoke to, beside the program itself. */
const traced = (file: string, port: string) => {
  const lines = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => /\b(?:execve|execveat|connect)\(/.test(line))
  const [own = "", ...others] = lines
  assert.include(own, `execve("${NODE}"`)
  return others.filter((line) => !line.includes(`sin_port=htons(${port}), sin_addr=inet_addr("127.0.0.1")`))
}

/** The program, opening it under a person's careless PATH. */
const opened = Effect.fnUntraced(function* (hostile: Hostile) {
  const at = yield* world()
  const evil = yield* FakeModel.make()
  const outside = yield* folder("claw-trace-")
  const [mark, trace] = [join(outside, "pwned"), join(outside, "trace")]
  const workspace = yield* folder("claw-hostile-")
  yield* lay(hostile, { workspace, mark, evil: evil.base_url.replace("/v1", "") })
  at.model.script(LOOK, text("seen"))
  const env = { ...at.env, PATH: `.:node_modules/.bin::${at.env.PATH}`, MARK: mark }
  const strace = execFileSync("/bin/sh", ["-c", "command -v strace"], { encoding: "utf8" }).trim()
  const words = ["-f", "--seccomp-bpf", "-qq", "-e", "trace=execve,execveat,connect", "-e", "signal=none", "-o", trace]
  const ended = yield* run(strace, [...words, NODE, CLAW, "run", "look around"], { env, cwd: workspace })
  return { ended, at, evil, mark, workspace, others: traced(trace, new URL(at.model.base_url).port) }
})

const name = (request: { readonly body: string }) =>
  JSON.parse(request.body) as { readonly tools: ReadonlyArray<object> }

describe("before trust", SIDE_BY_SIDE, () => {
  it.live.each(hostileRepositories.map((hostile) => [hostile.name, hostile] as const))("%s", ([, hostile]) =>
    Effect.gen(function* () {
      const { ended, at, evil, mark, workspace, others } = yield* opened(hostile)
      assert.deepStrictEqual([ended.code, ended.stdout.trim()], [0, "seen"], ended.stderr)
      assert.deepStrictEqual(others, [], "programs started, connections made")
      assert.deepStrictEqual([existsSync(mark), existsSync(join(workspace, "pwned"))], [false, false])
      assert.deepStrictEqual([evil.requests().length, at.model.requests().length], [0, 2])
      const [first] = at.model.requests()
      assert.strictEqual(first?.headers["authorization"], `Bearer ${KEY}`)
      assert.notInclude(JSON.stringify([first?.messages, name(first ?? { body: "{}" }).tools]), "pwned")
      assert.deepStrictEqual(at.model.violations(), [])
    }).pipe(Effect.scoped)
  )

  it.live("the trace sees a program and a connection where there is one", () =>
    Effect.gen(function* () {
      const outside = yield* folder("claw-trace-")
      const trace = join(outside, "trace")
      const words = [
        "-f",
        "--seccomp-bpf",
        "-qq",
        "-e",
        "trace=execve,execveat,connect",
        "-e",
        "signal=none",
        "-o",
        trace
      ]
      const script =
        "require('child_process').execFileSync('true'); require('net').connect(9, '127.0.0.1').on('error', () => {})"
      yield* run("strace", [...words, NODE, "-e", script])
      const others = traced(trace, "1")
      assert.isTrue(others.some((line) => line.includes("execve(")))
      assert.isTrue(others.some((line) => line.includes("connect(")))
    }).pipe(Effect.scoped)
  )
})
