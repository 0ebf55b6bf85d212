/**
 * How many questions ordinary work asks (issue 4, R140–R144, LESSONS 28): five tasks as the calls of a model, through the
 * real gate and tools, and a person who answers `s` each time. bash asks (R142), the tools that read do not (R140).
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { asked, bash, type Call, type Choice } from "../support/askedKit.ts"
import type { Mode } from "../../src/approval/ApprovalGate.ts"

const read = (path: string): Call => ["read_file", { path }]
const edit = (path: string, old_text: string, new_text: string): Call => ["edit_file", { path, old_text, new_text }]

interface Task {
  readonly name: string
  readonly calls: ReadonlyArray<Call>
  /** Questions in modes `ask` and `accept-edits`, where the person takes the widest grant, and the exact one. */
  readonly ask: readonly [widest: number, exact: number]
  readonly edits: readonly [widest: number, exact: number]
}

const tasks: ReadonlyArray<Task> = [
  {
    name: "fix a bug and run the tests",
    calls: [
      ["glob", { pattern: "src/**/*.js" }],
      ["grep", { pattern: "sum" }],
      read("src/sum.js"),
      read("test/sum.js"),
      bash("npm test"),
      edit("src/sum.js", "a - b", "b + a"),
      bash("npm test"),
      edit("src/sum.js", "b + a", "a + b"),
      bash("npm test 2>&1 | tail -n 20"),
      bash("npm test")
    ],
    ask: [2, 3],
    edits: [1, 1]
  },
  {
    name: "look at a change and commit it",
    calls: [
      read("src/sum.js"),
      edit("src/sum.js", "a - b", "a + b"),
      bash("git status"),
      bash("git diff"),
      bash("git diff src/sum.js"),
      bash("git add src/sum.js"),
      bash("git diff --staged"),
      bash("git commit -m 'add what is to be added'"),
      bash("git status --short"),
      bash("git log --oneline -3")
    ],
    ask: [4, 9],
    edits: [3, 8]
  },
  {
    name: "search and edit in several files",
    calls: [
      ["grep", { pattern: "sum", mode: "files" }],
      read("src/sum.js"),
      read("src/index.js"),
      read("src/twice.js"),
      edit("src/sum.js", "export const sum", "export const add"),
      edit("src/index.js", "{ sum }", "{ add }"),
      edit("src/twice.js", "{ sum }", "{ add }"),
      edit("src/twice.js", "sum(a, a)", "add(a, a)"),
      ["write_file", { path: "docs/changes.md", content: "sum is add now\n" }],
      ["grep", { pattern: "\\bsum\\b", path: "src" }],
      bash("git diff --stat")
    ],
    ask: [3, 6],
    edits: [1, 1]
  },
  {
    name: "install nothing and run the linter",
    calls: [
      read("package.json"),
      bash("npm run lint"),
      read("src/sum.js"),
      edit("src/sum.js", "(a, b)", "(one, two)"),
      edit("src/sum.js", "a - b", "one + two"),
      bash("npm run lint"),
      bash("npm test")
    ],
    ask: [3, 4],
    edits: [2, 2]
  },
  {
    name: "look around a repository",
    calls: [
      ["list_dir", { path: "." }],
      read("README.md"),
      ["glob", { pattern: "**/*.js" }],
      bash("ls -la"),
      bash("ls src"),
      bash("git log --oneline -5"),
      bash("cat package.json"),
      bash("cat src/index.js"),
      bash("find . -name '*.js' -not -path './node_modules/*'"),
      bash("wc -l src/*.js"),
      bash("grep -rn sum src | head -n 5"),
      bash("git status")
    ],
    ask: [1, 9],
    edits: [1, 9]
  }
]

const rows = tasks.flatMap(({ ask, calls, edits, name }) =>
  (
    [
      ["ask", "widest", ask[0]],
      ["ask", "exact", ask[1]],
      ["accept-edits", "widest", edits[0]],
      ["accept-edits", "exact", edits[1]]
    ] as ReadonlyArray<readonly [Mode, Choice, number]>
  ).map(([mode, choice, count]) => [name, mode, choice, count, calls] as const)
)

describe("questions of ordinary work", () => {
  it.live.each(rows)(
    "%s, mode %s, the %s grant each time: %i questions",
    ([, mode, choice, count, calls]) =>
      Effect.gen(function* () {
        const requests = yield* asked(calls, mode, choice)
        assert.strictEqual(requests.length, count, requests.map(({ content }) => content).join("\n"))
      }),
    60_000
  )
})
