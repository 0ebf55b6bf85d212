/** Size is limited by text, never by parts: a rule that long lines could outrun is no rule (SECURITY T2, P3). */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { MAX_COMMAND_BYTES, analyse } from "../../src/sandbox/CommandAnalysis.ts"
import { couldMatch } from "../../src/sandbox/commandGlob.ts"
import { denyRule, judgeBash, makeGrant, makeWorkspace } from "../support/approvalCorpus.ts"

/** What this thread computed, in milliseconds: a busy machine is no fault of the line. */
const spent = (): number => {
  const { system, user } = process.threadCpuUsage()
  return (system + user) / 1_000
}

const TOO_MUCH = /^is (?:too much|nested too deeply) to be judged$/
const WORKSPACE = "/nowhere/ws"
const context = { workspace: WORKSPACE, home: "/home/someone" }

it("the last of ten thousand parts is judged like the first (T2: under 200 ms when nothing else runs)", () => {
  const parts = Array.from({ length: 10_000 }, (_, at) => `w${at % 7}`)
  const line = `${parts.join(";")};curl x`
  assert.strictEqual(analyse(line, context).commands.length, 10_001)
  const judged = judgeBash({
    command: line,
    workspace: WORKSPACE,
    rules: [denyRule(["curl"])],
    grants: [0, 1, 2, 3, 4, 5, 6].map((at) => makeGrant(WORKSPACE, "prefix", [`w${at}`]))
  })
  assert.strictEqual(judged.action, "deny")
})

it("64 KiB are judged, one byte more is refused, counted in bytes", () => {
  const exactly = "e".repeat(MAX_COMMAND_BYTES)
  assert.isUndefined(analyse(exactly, context).refused)
  assert.strictEqual(analyse(`${exactly}e`, context).refused, "is longer than 64 KiB")
  assert.strictEqual(analyse("é".repeat(MAX_COMMAND_BYTES / 2 + 1), context).refused, "is longer than 64 KiB")
})

it("deep nesting ends in a refusal or a doubt, never in an overflow", () => {
  const nested = (depth: number, open: string, close: string) => open.repeat(depth) + "curl x" + close.repeat(depth)
  for (const line of [
    nested(3_000, "(", ")"),
    nested(3_000, "$(", ")"),
    nested(3_000, "{ ", ";}"),
    "env ".repeat(3_000) + "curl"
  ]) {
    const plan = analyse(line, context)
    assert.isTrue(
      plan.refused !== undefined || plan.doubts.length > 0 || plan.commands.some((one) => one.notPlain.length > 0),
      line.slice(0, 20)
    )
  }
})

it("launchers within launchers have an end, though each can be read in several ways (P4, T2)", () => {
  for (const line of [`${"bwrap ".repeat(9_000)}sudo id`, `${"perf setarch ip ".repeat(3_000)}sudo id`])
    assert.match(analyse(line, context).refused ?? "", TOO_MUCH)
  const few = analyse(`${"bwrap a b ".repeat(5)}sudo id`, context)
  assert.strictEqual(few.refused, "sudo takes other rights")
  assert.isBelow(few.commands.length, 40)
})

it("a line whose words, patterns or directories are too many is refused within its budget (T13, T14)", () => {
  const fill = (text: string) => text.repeat(Math.floor(60_000 / text.length))
  const programs = Array.from({ length: 40_000 }, (_, at) => `p${at}`).join(";")
  const { path, remove } = makeWorkspace()
  for (const line of [
    `rm ${fill("{1..1000} ")}`,
    fill("echo {1..1000} {1..1000} {1..1000} {1..1000} {1..1000}; "),
    `cat ${fill("*/* ")}`,
    programs.slice(0, 60_000),
    `${fill("nice --x ")}rm`
  ]) {
    const from = spent()
    assert.match(analyse(line, { ...context, workspace: path }).refused ?? "", TOO_MUCH, line.slice(0, 20))
    assert.isBelow(spent() - from, 20_000)
  }
  remove()
})

const fill = (text: string) => text.repeat(Math.floor(64_000 / text.length))
const each = (make: (at: number) => string) =>
  Array.from({ length: 5_000 }, (_, at) => make(at))
    .join(";")
    .slice(0, 64_000)

const FULL = [
  fill("docker run a b c d rm; "),
  `${fill("docker run ")}rm`,
  `${fill("nix shell ")}sudo id`,
  fill("alias a='b c'; "),
  fill("PAGER='a b' x; "),
  fill("vim -c '!a b'; "),
  fill("socat EXEC:a,b SYSTEM:c; "),
  fill("rm -rf src; "),
  fill("git checkout a b; "),
  `crontab - <<E\n${fill("* * * * * rm x\n")}\nE`,
  `python3 -c '${fill('"a" ')}'`,
  `python3 -c '${fill("from a import (")}'`,
  `node -e '${fill("require( ")}'`,
  `perl -e '${fill("use lib ")}'`,
  each((at) => `npm run s${at}`),
  `cd src; ${each((at) => `npm run s${at}`)}`.slice(0, 64_000),
  each((at) => `cd d${at}; make`),
  each((at) => `eslint f${at}`),
  each((at) => `node many.js ${at}`),
  each((at) => `sh long.sh ${at}`),
  each((at) => `gradle t${at}`),
  fill("find . | xargs wc; "),
  `git commit -m "$(cat <<'E'\n${fill("a (b) 'c' ")}\nE\n)"`,
  "php wide.php",
  "sh long.sh"
].map((line) => [line.slice(0, 30), line] as const)

describe("whatever table it meets, a line is judged or refused within the budget (T13, T14)", () => {
  let workspace: ReturnType<typeof makeWorkspace>
  beforeAll(() => {
    workspace = makeWorkspace()
    const { path } = workspace
    writeFileSync(
      join(path, "many.js"),
      each((at) => `require("./m${at}")`)
    )
    writeFileSync(join(path, "long.sh"), "echo a b c\n".repeat(200_000))
    writeFileSync(join(path, "wide.php"), `include${" ".repeat(1_000)}`.repeat(2_000))
  })
  afterAll(() => workspace.remove())

  it.each(FULL)("%j and so on", (_, line) => {
    const from = spent()
    const { refused } = analyse(line, { ...context, workspace: workspace.path })
    if (refused !== undefined) assert.match(refused, /^(?:is (?:too much|nested too deeply) to be judged|sudo takes)/)
    assert.isBelow(spent() - from, 15_000)
  })
})

it("a pattern with many stars is matched within bounds of its length and the name's", () => {
  assert.isFalse(couldMatch(`${"*a".repeat(100)}b`, "a".repeat(255)))
  assert.isTrue(couldMatch("*a".repeat(100), "a".repeat(255)))
  for (const [pattern, name] of [
    ["[a-c]*.ts", "b.ts"],
    ["[!]]x", "ax"],
    ["[]a]x", "]x"],
    ["[ab", "[ab"],
    ["[x]*", "[x]y"],
    [".g?t", ".git"],
    ["?*", "a"]
  ] as const)
    assert.isTrue(couldMatch(pattern, name), `${pattern} ${name}`)
  for (const [pattern, name] of [
    ["*", ".git"],
    ["a?", "a"],
    ["[a]x", "ay"]
  ] as const)
    assert.isFalse(couldMatch(pattern, name), `${pattern} ${name}`)
})
