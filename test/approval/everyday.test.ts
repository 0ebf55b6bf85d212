/** Ordinary commands that a grant for looking, or of first words, covers: they asked every time (LESSONS 28, R140). */
import { assert, describe, it } from "@effect/vitest"
import { judgeBash, makeGrant, makeWorkspace } from "../support/approvalCorpus.ts"

const GRANTS = ["npm test", "cargo clippy", "cargo fmt", "tsc", "pytest", "jest", "kubectl get", "go test", "git clean"]

const judged = (command: string) => {
  const { path, remove } = makeWorkspace()
  try {
    const reads = { ...makeGrant(path, "exact", ["x"]), matcher: { kind: "reads" as const } }
    const grants = GRANTS.map((words) => makeGrant(path, "prefix", words.split(" ")))
    return judgeBash({ command, workspace: path, grants: [reads, ...grants] })
  } finally {
    remove()
  }
}

describe("ordinary work", () => {
  it.each([
    "git --no-pager log",
    "git --no-pager diff",
    "git config --get user.name",
    "git submodule status",
    "git clean -n",
    "cargo clippy -- -D warnings",
    "cargo fmt --check",
    "cargo fmt -- --check",
    "pytest -ra",
    "pytest -rA",
    "pytest --cov",
    "pytest -p no:cacheprovider",
    "jest --coverage",
    "jest --watch=false",
    "kubectl get pods -owide",
    "kubectl get pods -oyaml",
    'npm test; echo "exit $?"',
    "sed -n 5,10p README.md",
    "sed -n '1,5p;9p' README.md",
    "awk '{print $1}' README.md",
    "awk -F: '{ print $1, $2 }' README.md",
    "node -v",
    "python3 --version",
    "go test -coverprofile=c.out ./..."
  ])("%s", (command) => {
    const { action, reason } = judged(command)
    assert.strictEqual(action, "allow", reason)
  })

  it.each([
    "git --no-pager -c core.pager=x log",
    "git config --get core.x --file=a",
    "git submodule update",
    "git clean -fd",
    "cargo clippy -- -C linker=x",
    "pytest -p evil",
    "sed -n '1,5p;w x' README.md",
    "sed -n 1p -i README.md",
    "sed 1e README.md",
    "awk '{system(1)}' README.md",
    "awk '{print $1}' a=1",
    "python3 -v",
    "bash -v",
    "node -v x.js"
  ])("%s asks", (command) => {
    assert.strictEqual(judged(command).action, "ask")
  })
})
