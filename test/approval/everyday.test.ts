/** Ordinary commands that a grant for looking, or of first words, covers: they asked every time (LESSONS 28, R140). */
import { assert, describe, it } from "@effect/vitest"
import { judgeBash, makeGrant, makeWorkspace } from "../support/approvalCorpus.ts"
import { type Files, writeFiles } from "../support/contentFiles.ts"

const GRANTS = [
  "npm test",
  "cargo clippy",
  "cargo fmt",
  "tsc",
  "pytest",
  "jest",
  "kubectl get",
  "go test",
  "git clean",
  "git commit",
  "kubectl logs"
]

const judged = (text: string, files: Files = {}) => {
  const { path, remove } = makeWorkspace()
  const command = text.replaceAll("{{workspace}}", path)
  try {
    writeFiles(path, files)
    const reads = { ...makeGrant(path, "exact", ["x"]), matcher: { kind: "reads" as const } }
    const grants = GRANTS.map((words) => makeGrant(path, "prefix", words.split(" ")))
    return judgeBash({ command, workspace: path, grants: [reads, ...grants] })
  } finally {
    remove()
  }
}

const commit = (text: string, mark = "'EOF'", end = 'EOF\n)"') => `git commit -m "$(cat <<${mark}\n${text}${end}`

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
    "go test -coverprofile=c.out ./...",
    "cd {{workspace}} && npm test",
    "cd {{workspace}}/ && git status; ls",
    "kubectl logs -f web",
    "kubectl logs web --follow=true",
    "gofmt -l .",
    "gofmt -d src/a.go",
    "ls *.md",
    "cat *.md | head -n 3",
    "find . -name '*.md' | xargs wc -l",
    "find src docs -type f | xargs -n 5 grep -n x | sort",
    "find . -name '*.md' -print0 | xargs -0 cat",
    commit("fix: x\n\nit's (a) text, isn't it\n"),
    commit('say "hello" to a@b.c # 5\n')
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
    "node -v x.js",
    "cd src && npm test",
    "cd {{workspace}}/src && npm test",
    'cd "$X" && npm test',
    "kubectl get -f x",
    "gofmt -w .",
    "gofmt -r a->b x.go",
    "gofmt -cpuprofile=x .",
    "cat *",
    "ls *.md; touch x",
    "cat *.md > x",
    "sort *.md *",
    "uniq *.md",
    "find . -printf '/etc/passwd' | xargs cat",
    "find -L . | xargs cat",
    "find . -print0 | xargs cat",
    "find . | xargs -0 cat",
    "find . | xargs -I{} cat {}/../../x",
    "find . | xargs rm",
    "find . | xargs sort -o x",
    "find . | xargs cat < x",
    "find docs |& xargs cat",
    "find docs 2>&1 | xargs cat",
    "find /etc | xargs cat",
    "find .; xargs cat",
    "cat x | xargs cat",
    commit("a $(touch x)\n", "EOF"),
    commit("it's\n"),
    commit("a) b\n"),
    commit("a `b`\n"),
    commit("a\n", '"E"F', 'EF\n)"'),
    commit("a\n", "'EOF'", 'EOF\ntouch x\n)"'),
    commit("a\n", "'EOF' README.md", 'EOF\n)"'),
    "git commit -m $(cat <<'EOF'\na b\nEOF\n)"
  ])("%s asks", (command) => {
    assert.strictEqual(judged(command).action, "ask")
  })

  it.each([
    ["ls *.md", { "--x.md": "" }],
    ["ls *.md", { "-R.md": "" }],
    ["find docs | xargs wc", { "docs/a b": "" }],
    // A root is printed in front of each name below it (P10).
    ["find 'docs/a /etc' -type f | xargs cat", { "docs/a /etc/hostname": "" }],
    ['find docs "docs/a b" | xargs cat', { "docs/a b/c": "" }],
    ["find doc*/a* -type f | xargs cat", { "docs/a /etc/hostname": "" }],
    ["find -files0-from l -type f | xargs cat", { l: "docs" }],
    ["find docs | xargs wc", { "docs/a'b": "" }]
  ] as ReadonlyArray<readonly [string, Files]>)("%s with %j asks", (command, files) => {
    assert.strictEqual(judged(command, files).action, "ask")
  })
})
