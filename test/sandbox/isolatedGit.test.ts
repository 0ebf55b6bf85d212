/** What an isolated command leaves to git, the user's own git never runs: not meanwhile, not afterwards (SECURITY P11, T5, T8). */
import { execFileSync, spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { isolatedRunnerOf, receipt, script } from "../support/processes.ts"
import { dir, type Dir } from "../support/workspaceDir.ts"

const ENV = { PATH: process.env["PATH"], HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1" }

/** The user's own git, outside. */
const git = (cwd: string, ...args: ReadonlyArray<string>) => {
  const { status, stderr, stdout } = spawnSync("git", args, { cwd, env: ENV, encoding: "utf8" })
  return { status, text: stdout + stderr }
}

const repository = (path: string): void => {
  mkdirSync(path, { recursive: true })
  for (const args of [
    ["init", "-q", "-b", "main"],
    ["config", "user.email", "a@b"],
    ["config", "user.name", "n"]
  ])
    execFileSync("git", args, { cwd: path, env: ENV })
}

const started = (there: Dir) =>
  Effect.map(
    isolatedRunnerOf({ environment: { PATH: process.env["PATH"], HOME: join(there.root, "home") } }),
    ({ run }) =>
      (text: string, more: Partial<Parameters<typeof run>[0]> = {}) =>
        run(script(text, { cwd: there.ws, ...more }))
  )

const ls = (...parts: ReadonlyArray<string>) => readdirSync(join(...parts)).toSorted()

const escaped = (there: Dir): boolean => existsSync(join(there.root, "ESCAPED"))
const monitor = (there: Dir): string => `[core]\\n\\tfsmonitor = touch ${there.root}/ESCAPED; false\\n`

/** Runs the script up to its word `up`, does something outside, lets it go on. */
const during = Effect.fnUntraced(function* (there: Dir, text: string, outside: () => void, rest = "true") {
  const run = yield* started(there)
  const up = receipt("up")
  const command = `${text}\necho up; while [ ! -e go ]; do sleep 0.02; done\n${rest}`
  const fiber = yield* Effect.forkChild(run(command, { emit: up.emit }))
  yield* up.arrived
  outside()
  there.file("ws/go", "")
  return yield* Fiber.join(fiber)
})

describe("git outside, while a command runs and afterwards", () => {
  it.live("settings elsewhere (commondir, config.worktree) are never there, and nothing is left", () =>
    Effect.gen(function* () {
      const there = yield* dir
      repository(there.ws)
      git(there.ws, "config", "extensions.worktreeConfig", "true")
      const before = ls(there.ws, ".git")
      const evil = `cp -r .git evilgit; printf '${monitor(there)}' >> evilgit/config; rm -f .git/commondir .git/*.lock
        echo ../evilgit > .git/commondir; printf '${monitor(there)}' > new; mv -f new .git/config.worktree; cp evilgit/config .git/config
        rm -rf .git/claw-calls; mv .git/claw-calls .git/c; rm -rf evilgit new`
      yield* during(there, evil, () => assert.strictEqual(git(there.ws, "status", "--short").status, 0))
      git(there.ws, "status")
      assert.deepStrictEqual([escaped(there), ls(there.ws, ".git")], [false, before])
    })
  )

  it.live("git outside cannot take the mount off a setting by rewriting it: its lock is held, and says so", () =>
    Effect.gen(function* () {
      const there = yield* dir
      repository(there.ws)
      const { notes, output } = yield* during(
        there,
        "true",
        () => assert.match(git(there.ws, "config", "a.b", "c").text, /could not lock config file/),
        `printf '${monitor(there)}' >> .git/config && echo written; echo end`
      )
      assert.match(output.text, /Read-only file system\nend\n$/)
      assert.deepStrictEqual([notes, git(there.ws, "config", "a.b", "c").status], [undefined, 0])
    })
  )

  it.live("who replaces a setting all the same keeps his content, and is told to look at it", () =>
    Effect.gen(function* () {
      const there = yield* dir
      repository(there.ws)
      const mine = "[core]\n\tmine = 1\n"
      const { notes } = yield* during(there, "true", () => {
        for (const name of ["config.worktree", "config"]) {
          there.file("ws/new", name === "config" ? readFileSync(join(there.ws, ".git/config"), "utf8") : mine)
          renameSync(join(there.ws, "new"), join(there.ws, ".git", name))
        }
      })
      assert.strictEqual(readFileSync(join(there.ws, ".git/config.worktree"), "utf8"), mine)
      assert.match(String(notes), /replaced from outside while the command ran.*\.git\/config.*; the user should look/)
    })
  )

  it.live("what a killed claw left there is nothing to git, and goes with the next call", () =>
    Effect.gen(function* () {
      const there = yield* dir
      repository(there.ws)
      const before = ls(there.ws, ".git")
      const held = yield* Effect.sync(() => new Map<string, string>())
      yield* during(there, "true", () => {
        for (const name of ["commondir", "config.worktree", "config.lock", "config.worktree.lock"])
          held.set(name, readFileSync(join(there.ws, ".git", name), "utf8"))
      })
      assert.deepStrictEqual(ls(there.ws, ".git"), before)
      for (const [name, text] of held) there.file(`ws/.git/${name}`, text)
      there.file("ws/.git/claw-calls/next", "")
      mkdirSync(join(there.ws, ".git/claw-calls/0 process 999999999@1@boot"))
      symlinkSync("process 999999999@1@boot", join(there.ws, ".git/claw-calls/lock"))
      assert.strictEqual(git(there.ws, "status").status, 0)
      const run = yield* started(there)
      yield* run("true")
      assert.deepStrictEqual(ls(there.ws, ".git"), before)
    })
  )

  it.live("the workspace itself is never taken for a repository, also where .git is made unreadable", () =>
    Effect.gen(function* () {
      const there = yield* dir
      repository(there.ws)
      const evil = `rm .git/HEAD; echo 'ref: refs/heads/main' > HEAD; mkdir objects refs; printf '${monitor(there)}\\tworktree = .\\n' > config`
      yield* during(there, evil, () => void git(there.ws, "status"), "rm -r commondir; rm -r HEAD objects refs")
      git(there.ws, "status")
      assert.isFalse(escaped(there))
    })
  )

  it.live("where the configuration leads (hooks, included files, programs) nothing is written or made", () =>
    Effect.gen(function* () {
      const there = yield* dir
      repository(there.ws)
      for (const path of [".husky/_/pre-commit", ".husky/pre-commit", "tools/monitor.sh", "settings/gitconfig"])
        there.file(`ws/${path}`, "")
      const settings = [
        ["core.hooksPath", ".husky/_"],
        ["core.fsmonitor", "tools/monitor.sh"],
        ["include.path", "../settings/gitconfig"],
        ["includeIf.gitdir:/.path", "../later"],
        ["include.path", "../further/down"]
      ] as const
      for (const [key, value] of settings) git(there.ws, "config", "--add", key, value)
      const paths = [...settings.slice(0, 2).map(([, path]) => path), ".husky/_/pre-commit", ".husky/pre-commit"]
      const evil = [...paths, ".husky/_/post-commit", "settings/gitconfig", "later", "further", "further/down"]
        .map((path) => `mkdir -p further; mv -f ${path} gone; echo x > ${path} && echo wrote ${path}`)
        .join("\n")
      const moved = ["settings", ".husky", "tools"].map(
        (path) => `mv ${path} m; mv ${path} m/x; mkdir ${path} && echo wrote ${path}`
      )
      const { output } = yield* during(there, `${[evil, ...moved].join("\n")}\ngit status --short`, () => {})
      assert.notInclude(output.text, "wrote")
      assert.deepStrictEqual(
        [["later", "further"].some((name) => existsSync(join(there.ws, name))), ls(there.ws, ".husky/_")],
        [false, ["pre-commit"]]
      )
      git(there.ws, "config", "core.hooksPath", "afterwards/hooks")
      const run = yield* started(there)
      yield* run("mkdir -p afterwards/hooks; echo x > afterwards/hooks/pre-commit")
      assert.isFalse(existsSync(join(there.ws, "afterwards")))
    })
  )
})

const HELD = "config.claw-held"

describe("repositories inside the workspace", () => {
  it.live("the settings of one that is there stay as they are, and work in it goes on", () =>
    Effect.gen(function* () {
      const there = yield* dir
      repository(there.ws)
      repository(join(there.ws, "deep/lib"))
      there.file("ws/deep/lib/f", "")
      const config = readFileSync(join(there.ws, "deep/lib/.git/config"), "utf8")
      const { notes, output } = yield* during(
        there,
        `cd deep/lib && git add f && git commit -qm one && git log --oneline | wc -l; git config core.fsmonitor x; echo x > .git/hooks/pre-commit; echo . > .git/commondir; cd ../..`,
        () => {}
      )
      assert.match(output.text, /^1\n/)
      assert.deepStrictEqual(
        [notes, readFileSync(join(there.ws, "deep/lib/.git/config"), "utf8"), ls(there.ws, "deep/lib/.git")],
        [undefined, config, ls(there.ws, "deep/lib/.git").filter((name) => name !== "commondir")]
      )
      assert.notInclude(ls(there.ws, "deep/lib/.git/hooks"), "pre-commit")
    })
  )

  it.live("one that a command makes keeps what git itself writes; what would run a program is put aside and said", () =>
    Effect.gen(function* () {
      const there = yield* dir
      repository(there.ws)
      const run = yield* started(there)
      const plain = yield* run(
        "git init -q a && cd a && git config user.email a@b && git config user.name n && echo x > f && git add f && git commit -qm x && cd .. && git clone -q a b && git -c protocol.file.allow=always submodule --quiet add ./a c 2>/dev/null; git commit -qm x --allow-empty && git worktree add -q d"
      )
      assert.deepStrictEqual([plain.notes, ls(there.ws, "a/.git").includes(HELD)], [undefined, false])
      // What adds it comes last: from then on the call may be ended at any moment.
      const evil = yield* run(
        `git init -q lib; cd lib; git config user.name n; git config user.email a@b; echo x > f; git add f; git commit -qm x; cp .git/hooks/pre-commit.sample .git/hooks/pre-commit; git config core.fsmonitor 'touch ${there.root}/ESCAPED; false'; cd ..; mkdir p; echo "gitdir: ../lib2" > p/.git; cp -r lib/.git lib2; git add lib 2>/dev/null`
      )
      assert.match(
        String(evil.notes),
        /put aside.*lib\/\.git\/config, lib\/\.git\/hooks.*; each is kept as NAME\.claw-held, and only the user/
      )
      assert.match(String(evil.notes), /lib2\/config/)
      git(there.ws, "status")
      for (const place of ["lib", "lib2", "p"]) git(join(there.ws, place), "status")
      assert.isFalse(escaped(there))
      assert.match(readFileSync(join(there.ws, "lib/.git", HELD), "utf8"), /fsmonitor/)
      assert.match(git(join(there.ws, "lib"), "log", "--oneline").text, / x\n$/)
    })
  )

  it.live("what a call made before claw was killed is put aside with the next one", () =>
    Effect.gen(function* () {
      const there = yield* dir
      repository(there.ws)
      repository(join(there.ws, "mine"))
      git(join(there.ws, "mine"), "config", "core.editor", "mine")
      const state = join(there.root, "state")
      const { run } = yield* isolatedRunnerOf({ own: [state] })
      const up = receipt("up")
      const text = `git init -q lib; printf '${monitor(there)}' >> lib/.git/config; echo up; while [ ! -e go ]; do sleep 0.02; done`
      const fiber = yield* Effect.forkChild(run(script(text, { cwd: there.ws, emit: up.emit })))
      yield* up.arrived
      const [name = ""] = ls(state, "calls")
      const record = readFileSync(join(state, "calls", name), "utf8")
      const planted = readFileSync(join(there.ws, "lib/.git/config"), "utf8")
      there.file("ws/go", "")
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(ls(state), [])
      // As a killed claw leaves it: its record, and what its call had made.
      there.file("state/calls/1-0.json", record.replace(/"process \d+@/, '"process 999999999@'))
      there.file("ws/lib/.git/config", planted)
      const next = yield* run(script("true", { cwd: there.ws }))
      assert.match(String(next.notes), /put aside.*: lib\/\.git\/config;/)
      git(join(there.ws, "lib"), "status")
      assert.deepStrictEqual([escaped(there), ls(state), ls(there.ws, "mine/.git").includes(HELD)], [false, [], false])
      assert.isUndefined((yield* run(script("true", { cwd: there.ws }))).notes)
    })
  )

  const tricks: ReadonlyArray<readonly [what: string, text: (bad: string) => string]> = [
    ["a bare one", (bad) => `git init -q --bare x; printf '${bad}' >> x/config`],
    ["a comment that goes on", (bad) => `git init -q x; printf '# c \\\\\\n${bad}' >> x/.git/config`],
    ["an included file", (bad) => `git init -q x; printf '${bad}' > x/i; git -C x config include.path ../i`],
    [
      "a common directory",
      (bad) => `git init -q x; cp -r x/.git o; printf '${bad}' >> o/config; echo ../../o > x/.git/commondir`
    ],
    [
      "a pointer to parts",
      (bad) =>
        `git init -q o; mkdir x h; mv o/.git/HEAD h; echo ../o/.git > h/commondir; printf '${bad}' >> o/.git/config; echo "gitdir: ../h" > x/.git`
    ],
    ["a link", (bad) => `git init -q o; mv o/.git g; rmdir o; mkdir x; ln -s ../g x/.git; printf '${bad}' >> g/config`],
    [
      "one in place of another",
      (bad) => `mv there old; git init -q x; mv x there; printf '${bad}' >> there/.git/config`
    ],
    ["one where one was", (bad) => `mv there/.git there/old; git init -q there; printf '${bad}' >> there/.git/config`],
    [
      "a module that nobody named",
      (bad) =>
        `git init -q x; mkdir -p .git/modules; mv x/.git .git/modules/x; printf '${bad}' >> .git/modules/x/config; echo 'gitdir: ../.git/modules/x' > x/.git`
    ],
    [
      "a work tree's own settings",
      (bad) => `git init -q x; git -C x config extensions.worktreeConfig true; printf '${bad}' > x/.git/config.worktree`
    ]
  ]
  for (const [what, text] of tricks) {
    it.live(`${what} runs nothing`, () =>
      Effect.gen(function* () {
        const there = yield* dir
        repository(there.ws)
        repository(join(there.ws, "there"))
        const run = yield* started(there)
        const { notes } = yield* run(text(monitor(there)))
        for (const place of ["", ...ls(there.ws).filter((name) => name !== ".git")])
          if (existsSync(join(there.ws, place, "."))) git(join(there.ws, place), "status")
        assert.isFalse(escaped(there))
        assert.match(String(notes), /put aside/)
      })
    )
  }
})
