/** What a call takes of memory is bounded as a whole, whatever it keeps it in (SECURITY T14). */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { findGroups } from "../../src/sandbox/bubblewrap/controlGroup.ts"
import { directoryWith } from "../support/directories.ts"
import { isolatedRunnerOf, script } from "../support/processes.ts"

const MEBIBYTES = 192
const settings = { memory_mb: MEBIBYTES }
const detail = `its processes and temporary files took more than ${MEBIBYTES} MiB of memory (isolation.memory_mb)`

/** None of them holds more than a part; each waits until somebody ends it. */
const WAYS: ReadonlyArray<readonly [what: string, text: string]> = [
  ["many processes", `for i in 1 2 3 4 5 6; do perl -e '$x = "a" x 60_000_000; sleep 60' & done; wait`],
  [
    "shared memory that nobody holds",
    `perl -e 'for (1 .. 6) { my $id = shmget(0, 60_000_000, 0600); shmwrite($id, "a" x 60_000_000, 0, 60_000_000) } sleep 60'`
  ],
  [
    "files in several directories",
    "for d in /tmp /dev/shm /var/tmp; do head -c 100000000 /dev/zero > $d/big; done; sleep 60"
  ],
  [
    "a deleted file, and a process beside it",
    `exec 9> /tmp/gone; rm /tmp/gone; head -c 120000000 /dev/zero >&9; perl -e '$x = "a" x 60_000_000; sleep 60'`
  ]
]

describe("the memory of a call", () => {
  for (const [what, text] of WAYS) {
    it.live(
      `is watched where no control group can be made: ${what}`,
      () =>
        Effect.gen(function* () {
          const { run } = yield* isolatedRunnerOf({ settings, watched: true })
          const { limit, signal, timed_out } = yield* run(script(text))
          assert.deepStrictEqual(
            { limit, signal, timed_out },
            {
              limit: { kind: "memory_limit", detail },
              signal: "SIGKILL",
              timed_out: false
            }
          )
        }),
      30_000
    )
  }

  it.live.skipIf(findGroups()?.memory === undefined)(
    "is bounded by a control group, of which the kernel ends what takes too much",
    () =>
      Effect.gen(function* () {
        const { run } = yield* isolatedRunnerOf({ settings })
        for (const [what, text] of WAYS) {
          const { limit, timed_out } = yield* run(script(text.replaceAll("sleep 60", "sleep 0.1")))
          assert.deepStrictEqual(
            { limit, timed_out },
            { limit: { kind: "memory_limit", detail }, timed_out: false },
            what
          )
        }
      }),
    60_000
  )

  it.live("holds for each directory in memory, and none is there that has no limit", () =>
    Effect.gen(function* () {
      const { run } = yield* isolatedRunnerOf({ settings: { memory_mb: 24 }, watched: true })
      const write = "for d in /tmp /dev/shm /var/tmp /run; do stat -f -c '%n %b %S' $d; done; echo x > /dev/file"
      const { output } = yield* run(script(write))
      const sizes = output.text.trim().split("\n").slice(0, 4)
      assert.deepStrictEqual(
        sizes.map((line) => line.split(" ")).map(([path, blocks, size]) => [path, Number(blocks) * Number(size)]),
        ["/tmp", "/dev/shm", "/var/tmp", "/run"].map((path) => [path, 24 * 1_048_576])
      )
      assert.match(output.text, /\/dev\/file: Read-only file system/)
    })
  )

  it.live("cannot be kept in files without a name where it is watched; where a group bounds it, it can", () =>
    Effect.gen(function* () {
      const text = `perl -e '$n = "x"; print syscall(319, $n, 0) >= 0 ? "made" : "none"'`
      const make = process.arch === "x64" ? text : text.replace("319", "279")
      for (const watched of [true, false]) {
        const { run } = yield* isolatedRunnerOf({ settings, watched })
        const bounded = !watched && findGroups()?.memory !== undefined
        assert.strictEqual((yield* run(script(make))).output.text, bounded ? "made" : "none")
      }
    })
  )

  it.live("what is shared by many processes counts once", () =>
    Effect.gen(function* () {
      const { run } = yield* isolatedRunnerOf({ settings, watched: true })
      const text = `perl -e '$x = "a" x 40_000_000; for (1 .. 5) { fork or do { sleep 1; exit } } 1 while wait > 0; print "done"'`
      const { limit, output } = yield* run(script(text))
      assert.deepStrictEqual([limit, output.text], [undefined, "done"])
    })
  )
})

describe("where a control group is made", () => {
  const tree = Effect.fnUntraced(function* (files: Readonly<Record<string, string>>) {
    const root = yield* directoryWith()
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(root, path, ".."), { recursive: true })
      writeFileSync(join(root, path), text)
    }
    return root
  })
  const AT = "user/app/term.scope"
  const base = {
    "cgroup.controllers": "memory pids",
    "user/cgroup.procs": "",
    "user/cgroup.subtree_control": "memory pids",
    "user/app/cgroup.procs": "",
    [`${AT}/cgroup.procs`]: ""
  }

  it.effect("v2: beside our own, in the first group above that gives away what is needed", () =>
    Effect.gen(function* () {
      const root = yield* tree(base)
      const place = join(root, "user")
      assert.deepStrictEqual(findGroups(root, `0::/${AT}\n`), { version: 2, pids: place, memory: place })
      const pids = yield* tree({ ...base, "user/app/cgroup.subtree_control": "pids\n" })
      const near = join(pids, "user/app")
      assert.deepStrictEqual(findGroups(pids, `0::/${AT}\n`), { version: 2, pids: near, memory: undefined })
    })
  )

  it.effect("v2: not where that would leave a limit of our own behind, and not where nothing is given away", () =>
    Effect.gen(function* () {
      const limited = yield* tree({ ...base, [`${AT}/memory.max`]: "1000000\n" })
      const free = yield* tree({ ...base, [`${AT}/memory.max`]: "max\n" })
      const none = yield* tree({ ...base, "user/cgroup.subtree_control": "cpu\n" })
      const found = [limited, free, none].map((root) => findGroups(root, `0::/${AT}\n`)?.memory)
      assert.deepStrictEqual(found, [undefined, join(free, "user"), undefined])
    })
  )

  it.effect("v1: below our own, of each controller", () =>
    Effect.gen(function* () {
      const root = yield* tree({ "memory/own/cgroup.procs": "", "pids/cgroup.procs": "" })
      assert.deepStrictEqual(findGroups(root, "8:pids:/\n4:memory:/own\n0::/\n"), {
        version: 1,
        pids: join(root, "pids"),
        memory: join(root, "memory/own")
      })
      assert.isUndefined(findGroups(yield* tree({}), "0::/\n"))
    })
  )
})
