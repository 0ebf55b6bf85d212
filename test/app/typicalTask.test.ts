/**
 * How often a person is asked in a task as a coding model works (R140, R142): they answer each question with the widest
 * grant that is offered. The figures are the ones that closing notes state; a question more or less is to be seen here.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeJudge } from "../../src/app/policyJudge.ts"
import type { Mode } from "../../src/approval/ApprovalGate.ts"
import { contentOf } from "../../src/approval/Cover.ts"
import type { Grant, GrantOption } from "../../src/domain/Approval.ts"
import type { GrantId } from "../../src/domain/Ids.ts"
import { makeWorkspace } from "../support/approvalCorpus.ts"
import { type Files, writeFiles } from "../support/contentFiles.ts"

type Call = string | { readonly tool: string; readonly path: string; readonly from?: string; readonly to?: string }

const write = (path: string, to: string): Call => ({ tool: "write_file", path, to })
const edit = (path: string, from: string, to: string): Call => ({ tool: "edit_file", path, from, to })
const read = (path: string): Call => ({ tool: "read_file", path })

const JS_FILES: Files = {
  "package.json":
    '{"type":"module","scripts":{"test":"node --test","build":"node scripts/build.mjs","lint":"eslint ."}}',
  "src/add.mjs": "export const add = (a, b) => a + b\n",
  "src/server.mjs": "export const port = 3000\n",
  "test/add.test.mjs": 'import "../src/add.mjs"\n',
  "scripts/build.mjs": "",
  "tsconfig.json": "{}",
  Makefile: "test:\n\tnode --test\n"
}
const JS: ReadonlyArray<Call> = [
  "ls -la",
  "git status",
  "git log --oneline -5",
  "cat package.json",
  read("src/add.mjs"),
  "rg -n 'add' src test",
  "sed -n '1,40p' src/server.mjs",
  "find . -name '*.mjs' -not -path './node_modules/*' | head -20",
  "npm test 2>&1 | tail -20",
  "mkdir -p src/lib",
  write("src/lib/sum.mjs", "export const sum = (xs) => xs.reduce((a, b) => a + b, 0)\n"),
  edit("src/add.mjs", "a + b", "Number(a) + Number(b)"),
  "node --test",
  "node --test test/add.test.mjs",
  write("test/sum.test.mjs", 'import "../src/lib/sum.mjs"\n'),
  "node --test test/sum.test.mjs",
  "npm test",
  "git diff",
  "git diff --stat",
  "git add -A && git commit -m 'add sum'",
  "npx tsc --noEmit",
  "tsc --noEmit",
  "npm run build",
  "ls src && cat src/add.mjs",
  "node -e \"import('./src/add.mjs').then(m => console.log(m.add(1,2)))\"",
  "mv src/lib/sum.mjs src/sum.mjs",
  "grep -rn 'lib/sum' src test",
  "sed -i 's#lib/sum#sum#' test/sum.test.mjs",
  "npm test -- --test-name-pattern=s",
  "cd src && ls",
  "cd src && npm test",
  "wc -l $(git ls-files '*.mjs')",
  'git add src test && git commit -m "move sum"',
  "git log -1 --stat",
  "node src/server.mjs & sleep 1; curl -s localhost:3000; kill %1",
  "curl -s http://localhost:3000/",
  "npm run lint",
  "make test",
  "git show HEAD --stat",
  "git status --short",
  "npm test 2>&1 | grep -E 'pass|fail'",
  "cat > notes.md <<'EOF'\n# notes\nEOF",
  "git add notes.md",
  "git commit -m 'notes'"
]

const PY_FILES: Files = {
  "package.json": "{}",
  "pyproject.toml": '[project]\nname = "d"\n',
  "app/__init__.py": "",
  "app/core.py": "def add(a, b):\n    return a + b\n",
  "app/cli.py": "print(1)\n",
  "tests/test_core.py": "from app.core import add\n",
  "scripts/gen.py": 'open("gen.txt", "w").write("1")\n',
  Makefile: "test:\n\tpytest -q\n"
}
const PY: ReadonlyArray<Call> = [
  "ls",
  "git status --short",
  "git log --oneline | head -5",
  "cat pyproject.toml",
  read("app/core.py"),
  "rg -n 'def ' app",
  "sed -n '1,60p' app/core.py",
  "python3 --version",
  "pytest -q",
  "python3 -m pytest -q 2>&1 | tail -5",
  "python3 -m pytest tests/test_core.py -q",
  edit("app/core.py", "return a + b", "return int(a) + int(b)"),
  "pytest -q tests/test_core.py::test_add",
  write("app/util.py", "def twice(x):\n    return 2 * x\n"),
  write("tests/test_util.py", "from app.util import twice\n"),
  "pytest -x -q tests/",
  'python3 -c "from app.util import twice; print(twice(3))"',
  "python3 -m app.cli --help",
  "git diff",
  "git add -A",
  "git commit -m 'Add twice'",
  "ruff check .",
  "ruff check app tests",
  "mypy app",
  "black --check .",
  "grep -rn twice app tests",
  "mkdir -p docs/api",
  "mv app/util.py app/utils.py",
  "sed -i 's/app.util/app.utils/' tests/test_util.py",
  "pytest -q 2>&1 | tail -3",
  "pip list | head",
  "pip install -e .",
  "cat <<'EOF' > docs/api/index.md\n# API\nEOF",
  "git add -A && git commit -m 'Rename util'",
  "git log -2 --stat",
  "find . -name '*.pyc' -not -path './.git/*' | wc -l",
  "make test",
  "python3 scripts/gen.py",
  "curl -s localhost:8000/health",
  "git show --stat HEAD"
]

/** What the calls of these tasks leave behind. */
const carryOut = (root: string, call: Call): void => {
  if (typeof call === "string") {
    const [, from, to] = /^mv (\S+) (\S+)$/.exec(call) ?? []
    if (from !== undefined && to !== undefined) renameSync(join(root, from), join(root, to))
    const [, made] = /^mkdir -p (\S+)$/.exec(call) ?? []
    if (made !== undefined) mkdirSync(join(root, made), { recursive: true })
    return
  }
  const path = join(root, call.path)
  if (call.tool === "write_file") {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, call.to ?? "")
  }
  if (call.tool === "edit_file") writeFileSync(path, readFileSync(path, "utf8").replace(call.from ?? "", call.to ?? ""))
}

const argumentsOf = (call: Call): readonly [tool: string, args: object] => {
  if (typeof call === "string") return ["bash", { command: call }]
  const { from, path, to, tool } = call
  if (tool === "edit_file") return [tool, { path, old_text: from, new_text: to }]
  return [tool, tool === "write_file" ? { path, content: to } : { path }]
}

const WIDEST = ["reads", "command", "directory", "file", "exact"]
const widest = (options: ReadonlyArray<GrantOption>): GrantOption | undefined =>
  WIDEST.flatMap((id) => options.find((one) => one.id === id) ?? [])[0]

/** The calls that asked, with the grant that was given for each. */
const questions = Effect.fnUntraced(function* (files: Files, calls: ReadonlyArray<Call>, mode: Mode) {
  const { path: workspace, remove } = makeWorkspace()
  try {
    rmSync(join(workspace, "docs"), { recursive: true })
    writeFiles(workspace, files)
    const { judge } = yield* makeJudge({ workspace, own: [], moved: [] })
    const grants: Array<Grant> = []
    const asked: Array<string> = []
    for (const call of calls) {
      const [tool, args] = argumentsOf(call)
      const judged = yield* judge(tool, JSON.stringify(args), { rules: [], grants, mode })
      assert.strictEqual(judged.kind, "judged")
      if (judged.kind !== "judged") continue
      const { action, grant_options } = judged.judgement
      assert.notStrictEqual(action, "deny")
      carryOut(workspace, call)
      if (action !== "ask") continue
      const option = widest(grant_options)
      asked.push(`${typeof call === "string" ? call : `${tool} ${call.path}`} → ${option?.label ?? "once"}`)
      if (option === undefined) continue
      const content = contentOf(judged.subject.assessment)
      grants.push({
        grant_id: `grant_${grants.length}` as GrantId,
        tool_name: tool,
        matcher: option.matcher,
        workspace,
        created_at: "2026-01-01T00:00:00.000Z",
        expires_at: "2126-01-01T00:00:00.000Z",
        ...(content === undefined ? {} : { content })
      })
    }
    return asked
  } finally {
    remove()
  }
})

describe("questions of one task", () => {
  const rows: ReadonlyArray<readonly [string, Files, ReadonlyArray<Call>, Mode, number]> = [
    ["JavaScript", JS_FILES, JS, "ask", 22],
    ["JavaScript", JS_FILES, JS, "accept-edits", 18],
    ["Python", PY_FILES, PY, "ask", 22],
    ["Python", PY_FILES, PY, "accept-edits", 18]
  ]
  it.effect.each(rows)("%s", ([, files, calls, mode, expected]) =>
    Effect.gen(function* () {
      const asked = yield* questions(files, calls, mode)
      assert.strictEqual(asked.length, expected, `${mode} of ${calls.length}:\n${asked.join("\n")}`)
    })
  )

  it.effect("asks the second time only for what another file, host or program would be", () =>
    Effect.gen(function* () {
      const asked = yield* questions(
        JS_FILES,
        [...JS, ...JS.filter((call) => typeof call !== "string" || !/^(?:mv|mkdir) /.test(call))],
        "ask"
      )
      assert.deepStrictEqual(
        asked.slice(22).map((line) => line.split(" → ")[0]),
        []
      )
    })
  )
})
