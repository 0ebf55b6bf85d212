/**
 * A repository whose name is bytes and no UTF-8, or that lies where nobody may read, is found like any other (SECURITY T5):
 * git goes into it by its index, not by a list of the directory.
 */
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, renameSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import { onDisk, readingsOf, shownName, textOfBytes } from "../../src/sandbox/fileNames.ts"
import { isolatedRunnerOf, script } from "../support/processes.ts"
import { dir, type Dir } from "../support/workspaceDir.ts"

const ENV = { PATH: process.env["PATH"], HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1" }

const git = (cwd: string, ...args: ReadonlyArray<string>): string =>
  execFileSync("git", ["-c", "user.email=a@b", "-c", "user.name=n", ...args], { cwd, env: ENV, encoding: "utf8" })

const run = (there: Dir, text: string) =>
  Effect.flatMap(
    isolatedRunnerOf({ environment: { PATH: process.env["PATH"], HOME: join(there.root, "home") } }),
    (runner) => runner.run(script(text, { cwd: there.ws }))
  )

const workspace = Effect.tap(dir, ({ ws }) => Effect.sync(() => git(ws, "init", "-q", "-b", "main")))

const NAME = `d=$(printf 'l\\377b')`
const MADE = `git init -q "$d"; cd "$d"; git -c user.email=a@b -c user.name=n commit -q --allow-empty -m x; cd ..`
const arming = (there: Dir) =>
  `printf '[core]\\n\\tfsmonitor = touch ${there.root}/ESCAPED; false\\n' >> "$d/.git/config"`

const live = (there: Dir): boolean => {
  git(there.ws, "status", "--porcelain")
  return existsSync(join(there.root, "ESCAPED"))
}

describe("a repository at a name that is no UTF-8", () => {
  it.live("is put aside where it runs a program, before anybody's status", () =>
    Effect.gen(function* () {
      const there = yield* workspace
      const { notes } = yield* run(there, `${NAME}; ${MADE}; ${arming(there)}; git add . 2>/dev/null; true`)
      assert.include(notes?.join(), "l\\xffb/.git/config")
      assert.isFalse(live(there))
    })
  )

  it.live("ends a call that stays, as soon as git would go there", () =>
    Effect.gen(function* () {
      const there = yield* workspace
      const { limit } = yield* run(there, `${NAME}; ${MADE}; ${arming(there)}; git add . 2>/dev/null; sleep 60`)
      assert.strictEqual(limit?.kind, "git_settings")
      assert.isFalse(live(there))
    })
  )

  it.live("that an earlier call made is judged again, as nothing can be laid over it", () =>
    Effect.gen(function* () {
      const there = yield* workspace
      const first = yield* run(there, `${NAME}; ${MADE}; git add . 2>/dev/null; true`)
      assert.isUndefined(first.notes?.join())
      const { notes } = yield* run(there, `${NAME}; ${arming(there)}`)
      assert.include(notes?.join(), "l\\xffb/.git/config")
      assert.isFalse(live(there))
    })
  )

  it.live("that ran a program already before keeps a command from starting", () =>
    Effect.gen(function* () {
      const there = yield* workspace
      execFileSync("sh", ["-c", `${NAME}; ${MADE}; ${arming(there)}`], { cwd: there.ws, env: ENV })
      const { detail } = yield* Effect.flip(run(there, "true"))
      assert.include(detail, "l\\xffb/.git has a name that is not UTF-8")
    })
  )
})

describe("names as bytes", () => {
  it("give their bytes back, whatever they are, and stay text where they are text", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        assert.deepStrictEqual(Buffer.from(onDisk(textOfBytes(Buffer.from(bytes)))), Buffer.from(bytes))
      }),
      { numRuns: 2000 }
    )
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 40 }), (text) => {
        assert.strictEqual(textOfBytes(Buffer.from(text)), text)
      })
    )
    assert.strictEqual(shownName(textOfBytes(Buffer.from("6c ff 62".replaceAll(" ", ""), "hex"))), "l\\xffb")
    assert.deepStrictEqual(
      readingsOf("é").map(({ length }) => length),
      [1, 1, 2]
    )
  })
})

/** The superuser reads everything. */
const other = process.getuid?.() === 0

describe.runIf(other)("a directory that nobody may list", () => {
  it.live("hides no repository in it, and is named", () =>
    Effect.gen(function* () {
      const there = yield* workspace
      mkdirSync(join(there.ws, "lib"))
      git(join(there.ws, "lib"), "init", "-q")
      git(join(there.ws, "lib"), "config", "core.fsmonitor", "touch x")
      mkdirSync(join(there.ws, "shut"))
      renameSync(join(there.ws, "lib"), join(there.ws, "shut/lib"))
      git(join(there.ws), "update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},shut/lib`)
      execFileSync(
        "sh",
        ["-c", `chown -R 65534 '${there.root}' && chmod 0311 shut shut/lib && chmod 755 '${there.root}'`],
        {
          cwd: there.ws
        }
      )
      const text = `import { lookAround } from ${JSON.stringify(join(import.meta.dirname, "../../src/sandbox/bubblewrap/lookAround.ts"))}
        process.seteuid(65534)
        const { review, repositories } = lookAround(process.argv[1], undefined)
        console.log(JSON.stringify([repositories.map(({ path }) => path.slice(process.argv[1].length + 1)), review()]))`
      const out = execFileSync(process.execPath, ["--input-type=module", "-e", text, there.ws], { encoding: "utf8" })
      const [repositories, notes] = JSON.parse(out) as [ReadonlyArray<string>, ReadonlyArray<string>]
      assert.deepStrictEqual(repositories, ["shut/lib/.git"])
      assert.match(notes.join(), /cannot be read.*shut; the user should look/)
    })
  )
})
