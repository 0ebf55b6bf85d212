/** Nothing of a directory takes effect before the person trusts just that directory with just that content (T8, R272). */
import {
  appendFileSync,
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import * as AppConfig from "../../src/config/AppConfig.ts"
import { forget, offered, records, remember, standing } from "../../src/config/WorkspaceTrust.ts"
import { directoryWith, type Files } from "../support/directories.ts"
import { trusted } from "../support/trust.ts"

const SETTINGS = { ".claw/config.json": '{"mode":"plan"}' }

const place = Effect.fnUntraced(function* (files: Files = SETTINGS) {
  const [state_dir, base] = yield* Effect.all([directoryWith(), directoryWith()])
  const workspace = join(base, "repo")
  mkdirSync(workspace)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(workspace, path, ".."), { recursive: true })
    writeFileSync(join(workspace, path), text)
  }
  const status = (at = workspace) => standing({ state_dir, workspace: at }).status
  const mode = (at = workspace) => {
    const loaded = AppConfig.load({ workspace: at, env: { HOME: state_dir, CLAW_STATE_DIR: state_dir } })
    return Result.getOrThrow(loaded).mode
  }
  return { state_dir, base, workspace, status, mode }
})

describe("trust", () => {
  it.effect("a workspace's settings count after it and not before, and no more once it is taken back", () =>
    Effect.gen(function* () {
      const { state_dir, workspace, status, mode } = yield* place()
      assert.deepStrictEqual([status(), mode()], ["unknown", "ask"])
      yield* trusted(state_dir, workspace)
      assert.deepStrictEqual([status(), mode()], ["trusted", "plan"])
      assert.strictEqual(forget({ state_dir, workspace }), 1)
      assert.deepStrictEqual([status(), mode()], ["unknown", "ask"])
    })
  )

  it.effect("both names of the settings count, and are bound together", () =>
    Effect.gen(function* () {
      const { state_dir, workspace, status, mode } = yield* place({
        ".claw/config.json": '{"mode":"never-ask"}',
        ".claw/settings.json": '{"mode":"plan"}'
      })
      assert.deepStrictEqual([status(), mode()], ["unknown", "ask"])
      yield* trusted(state_dir, workspace)
      assert.deepStrictEqual([status(), mode()], ["trusted", "plan"])
      rmSync(join(workspace, ".claw/settings.json"))
      assert.deepStrictEqual([status(), mode()], ["changed", "ask"])
    })
  )

  it.effect("a person's no is kept, and is no yes", () =>
    Effect.gen(function* () {
      const { state_dir, workspace, status, mode } = yield* place()
      remember(state_dir, standing({ state_dir, workspace }), "declined", 0)
      assert.deepStrictEqual([status(), mode()], ["declined", "ask"])
    })
  )

  it.effect("a changed, an added and a removed-and-replaced file are not what was trusted", () =>
    Effect.gen(function* () {
      const { state_dir, workspace, status, mode } = yield* place()
      const file = join(workspace, ".claw/config.json")
      yield* trusted(state_dir, workspace)
      appendFileSync(file, "\n")
      assert.deepStrictEqual([status(), mode()], ["changed", "ask"])
      writeFileSync(file, '{"mode":"plan"}')
      assert.strictEqual(status(), "trusted", "the same content again")
      rmSync(file)
      assert.strictEqual(status(), "empty")
      writeFileSync(file, "{}")
      assert.strictEqual(status(), "changed")
    })
  )

  it.effect("what is used is what was judged: nothing is read a second time", () =>
    Effect.gen(function* () {
      const { state_dir, workspace } = yield* place()
      yield* trusted(state_dir, workspace)
      const judged = standing({ state_dir, workspace })
      writeFileSync(join(workspace, ".claw/config.json"), '{"mode":"bypass"}')
      assert.strictEqual(judged.offers[0]?.text, '{"mode":"plan"}')
    })
  )

  it.effect("it belongs to one directory: not to what was moved, copied, put in its place, above or below", () =>
    Effect.gen(function* () {
      const { state_dir, base, workspace, status } = yield* place()
      yield* trusted(state_dir, workspace)
      const child = join(workspace, "child")
      cpSync(join(workspace, ".claw"), join(child, ".claw"), { recursive: true })
      cpSync(join(workspace, ".claw"), join(base, ".claw"), { recursive: true })
      assert.deepStrictEqual([status(child), status(base)], ["unknown", "unknown"])
      const moved = join(base, "moved")
      renameSync(workspace, moved)
      assert.strictEqual(status(moved), "unknown")
      cpSync(moved, workspace, { recursive: true })
      assert.strictEqual(status(), "unknown", "another directory at the same path")
      rmSync(workspace, { recursive: true })
      renameSync(moved, workspace)
      assert.strictEqual(status(), "trusted", "the very same one, back at its place")
    })
  )

  it.effect("a link to a trusted directory is that directory; a link put in its place is not", () =>
    Effect.gen(function* () {
      const { state_dir, base, workspace, status } = yield* place()
      yield* trusted(state_dir, workspace)
      symlinkSync(workspace, join(base, "link"))
      assert.strictEqual(status(join(base, "link")), "trusted")
      const other = yield* directoryWith(SETTINGS)
      rmSync(workspace, { recursive: true })
      symlinkSync(other, workspace)
      assert.strictEqual(status(), "unknown")
    })
  )

  it.effect("the records are private, one for each directory", () =>
    Effect.gen(function* () {
      const { state_dir, workspace } = yield* place()
      yield* trusted(state_dir, workspace)
      yield* trusted(state_dir, workspace)
      const [name = "", ...others] = readdirSync(join(state_dir, "trust"))
      assert.deepStrictEqual(others, [])
      const modes = ["trust", join("trust", name)].map((path) => statSync(join(state_dir, path)).mode & 0o777)
      assert.deepStrictEqual(modes, [0o700, 0o600])
    })
  )

  it.effect.each(["cut", "other", "link", "writable"] as const)(
    "a record that was damaged counts for nothing: %s",
    (how) =>
      Effect.gen(function* () {
        const { state_dir, workspace, status, mode } = yield* place()
        yield* trusted(state_dir, workspace)
        const [{ file } = { file: "" }] = records(state_dir)
        const text = readFileSync(file, "utf8")
        if (how === "cut") writeFileSync(file, text.slice(0, 40))
        if (how === "other") writeFileSync(file, text.replace(workspace, "/elsewhere"))
        if (how === "writable") chmodSync(file, 0o666)
        if (how === "link") {
          renameSync(file, join(state_dir, "away"))
          symlinkSync(join(state_dir, "away"), file)
        }
        assert.deepStrictEqual([status(), mode()], ["unknown", "ask"])
        assert.deepStrictEqual(records(state_dir), [{ file }])
      })
  )

  it.effect("a repository cannot bring its own trust: with the state directory inside, nothing is trusted", () =>
    Effect.gen(function* () {
      const { workspace } = yield* place()
      const state_dir = join(workspace, "state")
      yield* trusted(state_dir, workspace)
      const { status, why } = standing({ state_dir, workspace })
      assert.deepStrictEqual([status, why], ["unusable", "own_state"])
    })
  )

  it.effect.each(["directory", "file", "no file"] as const)(
    "a control directory or file that is a link or no file is never trusted (C015): %s",
    (how) =>
      Effect.gen(function* () {
        const outside = yield* directoryWith({ "config.json": '{"mode":"plan"}' })
        const { state_dir, workspace, status, mode } = yield* place(how === "directory" ? {} : { ".claw/x": "" })
        if (how === "directory") symlinkSync(outside, join(workspace, ".claw"))
        if (how === "file") symlinkSync(join(outside, "config.json"), join(workspace, ".claw/config.json"))
        if (how === "no file") mkdirSync(join(workspace, ".claw/config.json/deep"), { recursive: true })
        yield* trusted(state_dir, workspace)
        assert.deepStrictEqual([status(), mode()], ["unusable", "ask"])
      })
  )
})

describe("what a directory brings along", () => {
  it.effect("is listed with what becomes of it, whatever its kind", () =>
    Effect.gen(function* () {
      const { workspace } = yield* place({
        ...SETTINGS,
        "AGENTS.md": "x",
        "CLAUDE.md": "x",
        ".claw/skills/a/SKILL.md": "x",
        ".claw/commands/a.md": "x",
        ".claw/hooks/start.sh": "x",
        ".mcp.json": "{}",
        ".claw/grants.json": "[]",
        ".claw/settings.json": "{}",
        ".env": "A=1"
      })
      const found = offered(workspace).map(({ kind, path, taken }) => `${kind} ${path} ${taken}`)
      assert.deepStrictEqual(found, [
        "settings .claw/config.json trusted",
        "settings .claw/settings.json trusted",
        "memory AGENTS.md trusted",
        "skills .claw/skills trusted",
        "commands .claw/commands trusted",
        "hooks .claw/hooks trusted",
        "servers .mcp.json later",
        "grants .claw/grants.json never",
        "environment .env never"
      ])
    })
  )

  it.effect("a directory's digest is that of everything in it; a link in it is a problem, or leads nowhere", () =>
    Effect.gen(function* () {
      const { workspace } = yield* place({ ".claw/skills/a/SKILL.md": "x" })
      const skills = () => offered(workspace)[0]
      const before = skills()?.digest
      writeFileSync(join(workspace, ".claw/skills/a/run.sh"), "y")
      const more = skills()?.digest
      renameSync(join(workspace, ".claw/skills/a/run.sh"), join(workspace, ".claw/skills/a/run2.sh"))
      assert.strictEqual(new Set([before, more, skills()?.digest]).size, 3)
      symlinkSync("/etc", join(workspace, ".claw/skills/etc"))
      assert.isUndefined(skills()?.problem)
      assert.strictEqual(new Set([before, more, skills()?.digest]).size, 3)
      mkdirSync(join(workspace, ".claw/hooks"))
      symlinkSync("/etc", join(workspace, ".claw/hooks/etc"))
      assert.strictEqual(offered(workspace).find(({ kind }) => kind === "hooks")?.problem, "link")
    })
  )
})
