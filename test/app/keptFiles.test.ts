/**
 * Rules on paths and places of secrets as the gate judges them: for every tool, and for commands that name them or walk
 * over them (R138, R142; SECURITY P1, T2, T6).
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { makeJudge } from "../../src/app/policyJudge.ts"
import type { Mode } from "../../src/approval/ApprovalGate.ts"
import type { Rule } from "../../src/approval/Rules.ts"
import { movedSecrets } from "../../src/config/SecretPlaces.ts"
import { dir } from "../support/workspaceDir.ts"

const deny = (glob: string): Rule => ({
  name: `no ${glob}`,
  tool: "*",
  action: "deny",
  matcher: { kind: "path", glob }
})
const allow = (argv: string): Rule => ({
  name: `allow ${argv}`,
  tool: "bash",
  action: "allow",
  matcher: { kind: "command", argv: argv.split(" ") as [string, ...Array<string>] }
})

const setUp = Effect.gen(function* () {
  const there = yield* dir
  for (const path of ["a.txt", "secret/key", "src/b.ts", "out/x", "conf/app/.env.local", "conf/app/.env.sample"])
    there.file(`ws/${path}`, "x\n")
  for (const path of [".ssh/id_rsa", ".config/gh/hosts.yml", "moved/credentials.toml"]) there.file(`ws/${path}`, "x\n")
  // The workspace is the home: what the sandbox hides from commands, the file tools do not show either.
  const moved = movedSecrets({ HOME: there.ws, CARGO_HOME: join(there.ws, "moved") })
  const judge = yield* makeJudge({ workspace: there.ws, home: there.ws, own: [], moved })
  return (tool: string, args: object, { rules = [] as ReadonlyArray<Rule>, mode = "ask" as Mode } = {}) =>
    Effect.map(judge.judge(tool, JSON.stringify(args), { rules, grants: [], mode }), (judged) => {
      if (judged.kind === "refused") throw new Error(judged.why)
      return [judged.judgement.action, judged.judgement.reason] as const
    })
})

describe("a deny rule on paths", () => {
  const rules = [deny("secret/**"), ...["grep", "cp", "mv", "rg", "find", "ls", "tar", "cat"].map(allow)]
  it.effect.each([
    "grep -r X .",
    "grep -r X",
    "grep -rn X secret",
    "grep --recursive X secret",
    "rg X",
    "find . -name key",
    "cp -r secret out",
    "cp -a . out/all",
    "mv secret public",
    "tar cf out/a.tar secret",
    "ls -R",
    "cd secret && cat key",
    "cat secret/key"
  ])("meets %s", (command) =>
    Effect.gen(function* () {
      const judge = yield* setUp
      assert.deepStrictEqual(yield* judge("bash", { command }, { rules }), ["deny", "the rule no secret/** denies it"])
    }).pipe(Effect.scoped)
  )

  it.effect.each(["grep -r X src", "grep X a.txt", "rg X src", "cp -r src out", "ls", "find src"])(
    "lets pass %s, which reaches nothing of it",
    (command) =>
      Effect.gen(function* () {
        const judge = yield* setUp
        const [action] = yield* judge("bash", { command }, { rules: [...rules, allow("cp -r src out")] })
        assert.strictEqual(action, "allow")
      }).pipe(Effect.scoped)
  )
})

describe("git's commands that name no file", () => {
  const [MEETS, NOT] = [
    `git show|git show HEAD|git show HEAD~1 -- secret|git diff|git diff main|git --no-pager diff HEAD~1|git log -p|git log --patch
    |git log -L1,2:secret/key|git diff --stat -p|git stash|git stash push -u|git stash show -p|git restore .|git restore :/
    |git checkout .|git checkout -- .|git checkout -f|git reset --hard|git clean -fdx|git format-patch -1|git archive HEAD
    |git -C . diff|git diff-tree -p HEAD|cd src && git show`,
    `git status|git log|git log --oneline -5|git log --stat|git show HEAD:a.txt|git show --stat|git diff --name-only|git diff -- src
    |git diff src a.txt|git log -p src|git checkout main|git switch main|git pull|git stash list|git restore a.txt
    |git clean -n|git reset HEAD~1|git branch`
  ].map((text) => text.split("|").map((line) => line.trim()))

  it.effect("meet a deny rule on what they would show or put back, and on nothing else", () =>
    Effect.gen(function* () {
      const there = yield* dir
      for (const path of ["a.txt", "secret/key", "src/b.ts", ".env"]) there.file(`ws/${path}`, "x\n")
      const env = { PATH: process.env["PATH"], HOME: there.ws, GIT_CONFIG_NOSYSTEM: "1" }
      execFileSync("sh", ["-c", "git init -q . && git add a.txt secret src"], { cwd: there.ws, env })
      const judge = yield* makeJudge({ workspace: there.ws, home: there.ws, own: [], moved: [] })
      const denied = Effect.fnUntraced(function* (command: string) {
        const asked = { rules: [deny("secret/**")], grants: [], mode: "bypass" as const }
        const judged = yield* judge.judge("bash", JSON.stringify({ command }), asked)
        return judged.kind !== "refused" && judged.judgement.action === "deny"
      })
      assert.deepStrictEqual(yield* Effect.filter(MEETS!, (one) => Effect.map(denied(one), (yes) => !yes)), [])
      assert.deepStrictEqual(yield* Effect.filter(NOT!, denied), [])
    }).pipe(Effect.scoped)
  )
})

describe("secrets that git's commands show without naming them", () => {
  const [ASKS, NOT] = [
    `git diff|git diff HEAD|git diff --no-index docs src|git diff --no-ind docs src|git diff docs src|git show|git show 0123456
    |git show HEAD:.env|git log -p|git log --pa|git log --uni|git diff-files -p|git stash show -p|git diff src :/
    |git diff src '*'|git diff --check|git cat-file -p 0123456789|git cat-file blob 0123456789|git cat-file --batch <<< HEAD:.env
    |git cat-file --batch-all-objects --batch|echo HEAD:.env | git cat-file --batch|git grep X src :/|cat .npmrc|cat .netrc
    |git status -v|git status -vv|git status --verb|git status -vb|git show -s 0123456|git show --stat v1|git show -s HEAD 0123456
    |git show 0123456 -- a.txt|git show 'HEAD^{/a: b}'|git for-each-ref --format='%(raw)' refs/tags|git tag -l --format '%(contents)'
    |git log -G '^TOKEN' --oneline|git log -S x|git log --dd|git log -m|git stash list -p|git shortlog -Gx|git rev-list -Sx HEAD
    |git commit --dry-run -v|git log --never-heard-of`,
    `git status|git log|git log --color|git log --stat|git show HEAD:a.txt|git cat-file -p HEAD:a.txt|git cat-file -t 0123456
    |git diff --stat|git diff src|git diff src a.txt|git log -p src|cat src/.npmrc|git status -sb|git status --short --branch
    |git log -5 --pretty=%h --since=yesterday|git log --oneline --graph --all -n 5|git show -s HEAD~1|git show --stat|git branch -a
    |git for-each-ref --format='%(refname)'|git tag -l|git shortlog -sn|git diff --cached --name-only|git commit -m verbose`
  ].map((text) => text.split(/\s*\|(?=\S)/))

  it.effect("ask every time, and what shows none of them does not", () =>
    Effect.gen(function* () {
      const there = yield* dir
      for (const path of ["a.txt", "src/b.ts", ".env", "docs/.env", ".netrc"]) there.file(`ws/${path}`, "x\n")
      there.file("ws/.npmrc", "//registry.npmjs.org/:_authToken=npm_1\n")
      there.file("ws/src/.npmrc", '//registry.npmjs.org/:_authToken="${NPM_TOKEN}"\n')
      const env = { PATH: process.env["PATH"], HOME: there.ws, GIT_CONFIG_NOSYSTEM: "1" }
      execFileSync("sh", ["-c", "git init -q . && git add a.txt src .env"], { cwd: there.ws, env })
      const judge = yield* makeJudge({ workspace: there.ws, home: "/nowhere", own: [], moved: [] })
      const rules = ["git", "cat", "echo"].map(allow)
      const action = (command: string) =>
        Effect.map(judge.judge("bash", JSON.stringify({ command }), { rules, grants: [], mode: "ask" }), (judged) =>
          judged.kind === "refused" ? judged.why : judged.judgement.action
        )
      const other = (wanted: string) => (one: string) => Effect.map(action(one), (found) => found !== wanted)
      assert.deepStrictEqual(yield* Effect.filter(ASKS!, other("ask")), [])
      assert.deepStrictEqual(yield* Effect.filter(NOT!, other("allow")), [])
    }).pipe(Effect.scoped)
  )
})

describe("what git leaves out by itself", () => {
  const [ASKS, NOT] = [
    `git add -f .|git add --force .env|git add .env|git add -A sub|git add kept.env -A|git mv .env x|echo '!.env' > .gitignore && git add -A
    |rm .gitignore && git add -A|git mv .gitignore x && git add -A|git rm -r .|git add -A && grep -r x .`,
    `git add -A|git add .|git add -A && git commit -m x|git mv a.txt b.txt|git add a.txt|git status && git add src`
  ].map((text) => text.split("|").map((line) => line.trim()))

  it.effect("is not reached by what adds the rest", () =>
    Effect.gen(function* () {
      const there = yield* dir
      there.file("ws/.gitignore", ".env\n")
      there.file("ws/sub/.gitignore", "!.env\n")
      for (const path of ["a.txt", "src/b.ts", ".env", "src/.env"]) there.file(`ws/${path}`, "x\n")
      const env = { PATH: process.env["PATH"], HOME: there.ws, GIT_CONFIG_NOSYSTEM: "1" }
      execFileSync("sh", ["-c", "git init -q . && git add a.txt src .gitignore"], { cwd: there.ws, env })
      const judge = yield* makeJudge({ workspace: there.ws, home: "/nowhere", own: [], moved: [] })
      const rules = ["git", "echo", "rm", "grep"].map(allow)
      const action = (command: string) =>
        Effect.map(judge.judge("bash", JSON.stringify({ command }), { rules, grants: [], mode: "ask" }), (judged) =>
          judged.kind === "refused" ? judged.why : judged.judgement.action
        )
      const isNot = (wanted: string) => (one: string) => Effect.map(action(one), (found) => found !== wanted)
      assert.deepStrictEqual(yield* Effect.filter(NOT!, isNot("allow")), [])
      there.file("ws/sub/.env", "x\n")
      there.file("ws/kept.env", "x\n")
      assert.deepStrictEqual(yield* Effect.filter([...ASKS!, ...NOT!.slice(0, 2)], isNot("ask")), [])
    }).pipe(Effect.scoped)
  )
})

describe("a place of secrets", () => {
  it.effect("asks in every mode that asks, is refused where nobody is asked, whatever a rule allows", () =>
    Effect.gen(function* () {
      const judge = yield* setUp
      const rules: ReadonlyArray<Rule> = [
        { name: "all", tool: "*", action: "allow", matcher: { kind: "path", glob: "**" } },
        allow("cat"),
        allow("ls")
      ]
      const names = ["ls", "find", "tree", "du"].map(allow)
      for (const path of [".ssh/id_rsa", ".config/gh/hosts.yml", "moved/credentials.toml", "conf/app/.env.local"]) {
        const reason = `reads ${path}, which may hold secrets`
        for (const mode of ["ask", "accept-edits", "plan"] as const)
          assert.deepStrictEqual(yield* judge("read_file", { path }, { rules, mode }), ["ask", reason])
        assert.deepStrictEqual(yield* judge("read_file", { path }, { rules, mode: "never-ask" }), [
          "deny",
          `it would need an approval: ${reason}`
        ])
        assert.deepStrictEqual(yield* judge("bash", { command: `cat ${path}` }, { rules }), [
          "ask",
          `reaches ${path}, which may hold secrets`
        ])
        assert.strictEqual((yield* judge("bash", { command: `cat < ${path}` }, { rules }))[0], "ask")
      }
      for (const command of ["grep -r x conf", "find conf | xargs cat", "cp -r conf out"])
        assert.match((yield* judge("bash", { command }, { rules }))[1], /^reaches (?:conf|out)\/app\/\.env\.local, /)
      // The names alone are no secret.
      for (const command of ["ls -R conf", "find conf -type f | head", "tree conf", "du -a conf | sort"])
        assert.strictEqual((yield* judge("bash", { command }, { rules: names }))[0], "allow", command)
      assert.strictEqual((yield* judge("read_file", { path: "conf/app/.env.sample" }, { rules }))[0], "allow")
      assert.strictEqual((yield* judge("bash", { command: "cat conf/app/.env.sample" }, { rules }))[0], "allow")
    }).pipe(Effect.scoped)
  )
})

it("homes that variables move are places of secrets; a device, or the home itself, is none", () => {
  const found = [
    ...movedSecrets({
      HOME: "/home/u",
      CARGO_HOME: "/c",
      XDG_CONFIG_HOME: "/x",
      GNUPGHOME: "/g",
      AWS_SHARED_CREDENTIALS_FILE: "/a/creds",
      KUBECONFIG: "/k/one:/k/two",
      DOCKER_CONFIG: "/home/u",
      NPM_CONFIG_USERCONFIG: "/dev/null",
      HISTFILE: "relative"
    })
  ]
  assert.includeMembers(found, [
    "/c/credentials",
    "/c/credentials.toml",
    "/x/gh",
    "/x/gcloud",
    "/x/claw",
    "/g",
    "/a/creds",
    "/k/one",
    "/k/two"
  ])
  assert.notIncludeMembers(found, ["/home/u", "/dev/null", "relative"])
})
