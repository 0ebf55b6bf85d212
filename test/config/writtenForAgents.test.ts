/** Which files for agents count in a directory: the person's own, and a workspace's as it was trusted (T8, R272). */
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import * as AppConfig from "../../src/config/AppConfig.ts"
import { offered, standing } from "../../src/config/WorkspaceTrust.ts"
import { memoryOf, skillFilesOf, standingOf } from "../../src/config/WrittenForAgents.ts"
import { directoryWith, type Files, writeFiles } from "../support/directories.ts"
import { trusted } from "../support/trust.ts"

const place = Effect.fnUntraced(function* (files: Files, below = "repo") {
  const [home, base] = yield* Effect.all([directoryWith(), directoryWith()])
  writeFiles(base, files)
  const workspace = join(base, below)
  mkdirSync(workspace, { recursive: true })
  const state_dir = join(home, "state")
  const load = () => Result.getOrThrow(AppConfig.load({ workspace, env: { HOME: home, CLAW_STATE_DIR: state_dir } }))
  const told = () => {
    const config = load()
    return memoryOf(config, config.trust).map(({ of, path, text }) => [of, path, text])
  }
  return { base, home, load, state_dir, told, workspace, trust: trusted(state_dir, workspace) }
})

describe("files for agents", () => {
  it.effect("of a workspace count once trusted, as they were then; a change takes them out again", () =>
    Effect.gen(function* () {
      const { base, state_dir, told, trust, workspace } = yield* place({ "repo/AGENTS.md": "Use tabs." })
      assert.deepStrictEqual(told(), [])
      yield* trust
      assert.deepStrictEqual(told(), [["project", "AGENTS.md", "Use tabs."]])
      writeFiles(base, { "repo/AGENTS.md": "Use spaces." })
      assert.deepStrictEqual([told(), standing({ state_dir, workspace }).status], [[], "changed"])
    })
  )

  it.effect("of the directories above count too, from the repository's root down", () =>
    Effect.gen(function* () {
      const files = {
        "AGENTS.md": "outside of the repository",
        "repo/.git/HEAD": "",
        "repo/AGENTS.md": "root",
        "repo/a/CLAUDE.md": "middle",
        "repo/a/b/AGENTS.md": "here",
        "repo/a/b/CLAUDE.md": "not beside AGENTS.md"
      }
      const { told, trust, load, base } = yield* place(files, "repo/a/b")
      yield* trust
      assert.deepStrictEqual(told(), [
        ["project", "../../AGENTS.md", "root"],
        ["project", "../CLAUDE.md", "middle"],
        ["project", "AGENTS.md", "here"]
      ])
      writeFiles(base, { "repo/AGENTS.md": "another root" })
      assert.deepStrictEqual([told(), load().trust.status], [[], "changed"])
    })
  )

  it.effect("above count only below a repository's root, and not where everybody may write", () =>
    Effect.gen(function* () {
      const files = { "a/AGENTS.md": "above", "a/b/README.md": "" }
      const { base, load } = yield* place(files, "a/b")
      assert.strictEqual(load().trust.status, "empty", "no repository")
      mkdirSync(join(base, "a/.git"))
      assert.deepStrictEqual(
        load().trust.offers.map(({ path }) => path),
        ["../AGENTS.md"]
      )
      chmodSync(join(base, "a"), 0o777)
      assert.strictEqual(load().trust.status, "empty")
    })
  )

  const LINKS = [
    ["AGENTS.md is a link to CLAUDE.md", "AGENTS.md", "CLAUDE.md"],
    ["CLAUDE.md is a link to AGENTS.md", "CLAUDE.md", "AGENTS.md"]
  ] as const
  it.effect.each(LINKS)("%s: the file counts", ([, link, file]) =>
    Effect.gen(function* () {
      const { told, trust, workspace } = yield* place({ [`repo/${file}`]: "Use tabs." })
      symlinkSync(file, join(workspace, link))
      yield* trust
      assert.deepStrictEqual(told(), [["project", file, "Use tabs."]])
    })
  )

  const BAD = [
    ["a link elsewhere", (path: string) => symlinkSync("/etc/hostname", path), "link"],
    ["a directory", (path: string) => mkdirSync(path), "not_a_file"],
    ["too large", (path: string) => writeFileSync(path, "x".repeat(262_145)), "too_large"],
    ["no text", (path: string) => writeFileSync(path, Buffer.from([0xff, 0xfe])), "unreadable"]
  ] as const
  it.effect.each(BAD)("%s: it can never be trusted, and is never told", ([, make, problem]) =>
    Effect.gen(function* () {
      const { load, told, trust, workspace } = yield* place({})
      make(join(workspace, "AGENTS.md"))
      yield* trust
      const { status, offers } = load().trust
      assert.deepStrictEqual([status, offers[0]?.problem, told()], ["unusable", problem, []])
    })
  )

  it.effect("a folder of skills that is too large is left out, and keeps nothing else from being trusted", () =>
    Effect.gen(function* () {
      const { load, told, trust, workspace } = yield* place({
        "repo/AGENTS.md": "x",
        "repo/.claw/skills/a/SKILL.md": ""
      })
      for (let i = 0; i < 3; i++) writeFileSync(join(workspace, `.claw/skills/a/${i}`), Buffer.alloc(3_000_000))
      yield* trust
      assert.deepStrictEqual([told().length, skillFilesOf(load(), load().trust)], [1, []])
      const skills = offered(workspace).find(({ kind }) => kind === "skills")
      assert.deepStrictEqual([skills?.taken, skills?.problem], ["never", "too_large"])
    })
  )

  it.effect("of the person's own need no trust, may be a link, and come first", () =>
    Effect.gen(function* () {
      const { home, told, trust } = yield* place({ "repo/AGENTS.md": "theirs" })
      writeFiles(home, { "dotfiles/agents.md": "mine" })
      mkdirSync(join(home, ".config/claw"), { recursive: true })
      const own = join(home, ".config/claw/AGENTS.md")
      symlinkSync(join(home, "dotfiles/agents.md"), own)
      assert.deepStrictEqual(told(), [["user", own, "mine"]])
      yield* trust
      assert.deepStrictEqual(
        told().map(([of]) => of),
        ["user", "project"]
      )
      rmSync(own)
      assert.deepStrictEqual(
        told().map(([of]) => of),
        ["project"]
      )
    })
  )

  it.effect("of another workspace are judged by what was trusted there", () =>
    Effect.gen(function* () {
      const { base, load, state_dir } = yield* place({ "other/AGENTS.md": "other" })
      const other = join(base, "other")
      assert.strictEqual(standingOf(load(), other).status, "unknown")
      yield* trusted(state_dir, other)
      assert.deepStrictEqual(
        memoryOf(load(), standingOf(load(), other)).map(({ text }) => text),
        ["other"]
      )
    })
  )

  it("the reply's language is a name and nothing else", () => {
    const load = (CLAW_LANGUAGE: string) => AppConfig.load({ env: { HOME: "/nonexistent", CLAW_LANGUAGE } })
    for (const name of ["Deutsch", "zh-CN", "简体中文", "Portuguese (Brazil)"])
      assert.strictEqual(Result.getOrThrow(load(name)).language, name)
    for (const name of ["English.\nObey", "x".repeat(41), "a. Run b"]) assert.isTrue(Result.isFailure(load(name)), name)
  })
})
