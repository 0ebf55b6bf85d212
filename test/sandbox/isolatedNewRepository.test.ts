/** A repository that an isolated command makes is live for nobody's `git status` for longer than a moment (SECURITY T5, T8). */
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { gitlinksOf } from "../../src/sandbox/bubblewrap/gitlinks.ts"
import { isolatedRunnerOf, script } from "../support/processes.ts"
import { dir, type Dir } from "../support/workspaceDir.ts"

const ENV = { PATH: process.env["PATH"], HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1" }

const git = (cwd: string, ...args: ReadonlyArray<string>): string =>
  execFileSync("git", ["-c", "user.email=a@b", "-c", "user.name=n", ...args], { cwd, env: ENV, encoding: "utf8" })

const repository = (path: string): void => {
  mkdirSync(path, { recursive: true })
  git(path, "init", "-q", "-b", "main")
}

const run = (there: Dir, text: string) =>
  Effect.flatMap(
    isolatedRunnerOf({ environment: { PATH: process.env["PATH"], HOME: join(there.root, "home") } }),
    (runner) => runner.run(script(text, { cwd: there.ws }))
  )

/** Makes a repository there that would run a program outside, with one commit. */
const armed = (there: Dir, path: string): string =>
  [
    `git init -q ${path}; cd ${path}; echo x > x; git add x; git -c user.email=a@b -c user.name=n commit -qm x`,
    `printf '[core]\\n\\tfsmonitor = touch ${there.root}/ESCAPED; false\\n' >> .git/config; cd "$OLDPWD"`
  ].join("; ")

describe("a repository that a command makes", () => {
  for (const path of ["lib", "deep/er/lib"]) {
    it.live(`and adds as a submodule with settings that run programs ends the command: ${path}`, () =>
      Effect.gen(function* () {
        const there = yield* dir
        repository(there.ws)
        const { limit, notes, signal, timed_out } = yield* run(
          there,
          `${armed(there, path)}; git add ${path} 2>/dev/null; sleep 60`
        )
        assert.deepStrictEqual([limit?.kind, signal, timed_out], ["git_settings", "SIGKILL", false])
        assert.include(notes?.join(), `${path}/.git/config`)
        assert.include(git(there.ws, "status", "--porcelain"), path)
        assert.isFalse(existsSync(join(there.root, "ESCAPED")))
      })
    )
  }

  it.live("in the place of a submodule that is not there yet counts the same", () =>
    Effect.gen(function* () {
      const there = yield* dir
      repository(there.ws)
      git(there.ws, "update-index", "--add", "--cacheinfo", "160000,0123456789012345678901234567890123456789,lib")
      mkdirSync(join(there.ws, "lib"))
      const { limit } = yield* run(there, `${armed(there, "lib")}; sleep 60`)
      assert.strictEqual(limit?.kind, "git_settings")
    })
  )

  it.live("inside another one that lies there counts by that one's index", () =>
    Effect.gen(function* () {
      const there = yield* dir
      repository(there.ws)
      repository(join(there.ws, "known"))
      const text = `${armed(there, "known/lib")}; git -C known add lib 2>/dev/null; sleep 60`
      assert.strictEqual((yield* run(there, text)).limit?.kind, "git_settings")
    })
  )

  it.live("is nobody's business where git does not go into it, or where it says nothing but what git writes", () =>
    Effect.gen(function* () {
      const there = yield* dir
      repository(there.ws)
      const harmless = `git init -q plain; cd plain; git -c user.email=a@b -c user.name=n commit -q --allow-empty -m x; cd ..; git add plain 2>/dev/null`
      const { limit, notes, output } = yield* run(there, `${armed(there, "lib")}; ${harmless}; sleep 1; echo end`)
      assert.deepStrictEqual([limit, output.text], [undefined, "end\n"])
      assert.include(notes?.join(), "lib/.git/config")
      assert.notInclude(notes?.join(), "plain")
    })
  )
})

describe("an index", () => {
  const linked = (ws: string) =>
    git(ws, "ls-files", "-s", "-z")
      .split("\0")
      .filter((line) => line.startsWith("160000"))
      .map((line) => line.slice(line.indexOf("\t") + 1))

  it.effect("is read as git reads it: each version, split, with long and odd names", () =>
    Effect.gen(function* () {
      for (const [format, ...settings] of [
        ["sha1", "2"],
        ["sha1", "3"],
        ["sha1", "4"],
        ["sha256", "2"],
        ["sha256", "4"],
        ["sha1", "4", "split"]
      ] as const) {
        const { ws, file } = yield* dir
        git(ws, "init", "-q", `--object-format=${format}`)
        git(ws, "config", "index.version", settings[0])
        const id = "1".repeat(format === "sha1" ? 40 : 64)
        const names = ["lib", "a/b", "a/bc", "library", "é 你", `${"long/".repeat(60)}x`, "z"]
        for (const name of names) git(ws, "update-index", "--add", "--cacheinfo", `160000,${id},${name}`)
        for (const name of ["a/a", "m", "lib2"]) file(`ws/${name}`, name)
        git(ws, "add", "-N", "a/a", "m")
        git(ws, "add", "lib2")
        if (settings[1] === "split") git(ws, "update-index", "--split-index")
        if (settings[1] === "split") git(ws, "update-index", "--add", "--cacheinfo", `160000,${id},new`)
        assert.deepStrictEqual(
          gitlinksOf(join(ws, ".git")).toSorted(),
          linked(ws).toSorted(),
          `${format} ${settings.join(" ")}`
        )
      }
      assert.deepStrictEqual(gitlinksOf("/nonexistent"), [])
    })
  )

  it.effect("that is cut off or damaged anywhere ends the reading and nothing else", () =>
    Effect.gen(function* () {
      const { ws } = yield* dir
      git(ws, "init", "-q")
      for (const name of ["lib", "library", "z"])
        git(ws, "update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},${name}`)
      const index = join(ws, ".git/index")
      const whole = readFileSync(index)
      for (let at = 0; at < whole.length; at += 1) {
        writeFileSync(index, whole.subarray(0, at))
        assert.isAtMost(gitlinksOf(join(ws, ".git")).length, 3)
        const damaged = Buffer.from(whole)
        damaged.writeUInt8(0xff - (whole[at] ?? 0), at)
        writeFileSync(index, damaged)
        assert.isAtMost(gitlinksOf(join(ws, ".git")).length, 3)
      }
    })
  )
})
