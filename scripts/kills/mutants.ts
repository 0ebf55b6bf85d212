/**
 * Guards taken away one at a time, in a copy of the sources: the kill table or a test has to turn red. Owns: which guards,
 * and what notices each. Invariant: a guard whose text is not found any more is a failure, not a pass.
 */
import { spawn } from "node:child_process"
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Pair } from "./job.ts"
import { openModel } from "./model.ts"
import { build, discard, openPool } from "./pool.ts"
import { run } from "./run.ts"
import { scenes } from "./scenes.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

/** A kill in a scene, or a test file. */
type Witness = { readonly scene: string; readonly at: Pair } | { readonly test: string }

interface Mutant {
  readonly guard: string
  readonly file: string
  readonly from: string
  readonly to: string
  readonly seen: Witness
}

export const list: ReadonlyArray<Mutant> = [
  {
    guard: "the intent is stored before the call runs",
    file: "src/engine/beginning.ts",
    from: "yield* batch.reporter.report(started)",
    to: "batch.reporter.later(started)",
    seen: { scene: "write", at: { name: "file renamed", nth: 1 } }
  },
  {
    guard: "what may have an effect is no look",
    file: "src/engine/beginning.ts",
    from: 'item.resolved.tool.effect === "pure" && ',
    to: "",
    seen: { test: "test/runtime/appends.test.ts" }
  },
  {
    guard: "a task ends once",
    file: "src/domain/Decide.ts",
    from: "  if (state.task === undefined) return []\n  return [\n    ...closeSubagents",
    to: "  if (state.task === undefined) return state.last === undefined ? [] : [terminal(state.last.task_id, state, outcome)]\n  return [\n    ...closeSubagents",
    seen: { scene: "read", at: { name: "commit task_completed after", nth: 1 } }
  },
  {
    guard: "what is not harmless to repeat is not repeated",
    file: "src/engine/recovering.ts",
    from: 'if (tool.effect === "pure" || tool.effect === "idempotent") return',
    to: 'if (tool.effect !== "probe") return',
    seen: { scene: "bash", at: { name: "tool after", nth: 1 } }
  },
  {
    guard: "a resumed approval keeps its id",
    file: "src/engine/pendingCall.ts",
    from: "{ open: request }",
    to: "{}",
    seen: { scene: "bash", at: { name: "published approval_request", nth: 1 } }
  },
  {
    guard: "left-over processes are ended",
    file: "src/runtime/crashed.ts",
    from: "log.marks.processes()",
    to: "log.marks.processes().slice(0, 0)",
    seen: { scene: "cancel", at: { name: "process output", nth: 1 } }
  },
  {
    guard: "a cancellation survives the process",
    file: "src/runtime/tasks.ts",
    from: 'log.later([{ type: "cancel_requested", task_id }])',
    to: "log.later([])",
    seen: { test: "test/runtime/canceling.test.ts" }
  },
  {
    guard: "only the newest epoch writes",
    file: "src/store/appendRule.ts",
    from: "head.epoch !== epoch ||",
    to: "",
    seen: { test: "test/contract/journal.sqlite.test.ts" }
  },
  {
    guard: "a commit is synced (FULL)",
    file: "src/store/sqlite/database.ts",
    from: "PRAGMA synchronous = FULL;",
    to: "PRAGMA synchronous = NORMAL;",
    seen: { test: "test/store/sqlClient.test.ts" }
  },
  {
    guard: "a file is synced before it has its name",
    file: "src/sandbox/replaceFile.ts",
    from: "await handle.sync()\n",
    to: "\n",
    seen: { test: "test/sandbox/write.test.ts" }
  },
  {
    guard: "what runs is what was allowed (digest)",
    file: "src/tools/ToolRegistry.ts",
    from: "permit.digest !== resolved.digest ||",
    to: "",
    seen: { test: "test/tools/registry.test.ts" }
  }
]

const copied = ({ file, from, to }: Mutant): string => {
  const scratch = mkdtempSync(join(tmpdir(), "claw-mutant-"))
  for (const name of ["src", "scripts", "test", "package.json", "tsconfig.json"])
    cpSync(join(root, name), join(scratch, name), { recursive: true })
  symlinkSync(join(root, "node_modules"), join(scratch, "node_modules"))
  const text = readFileSync(join(scratch, file), "utf8")
  const at = text.indexOf(from)
  if (at === -1) throw new Error(`${file} has no ${JSON.stringify(from)} any more`)
  writeFileSync(join(scratch, file), text.slice(0, at) + to + text.slice(at + from.length))
  return scratch
}

/** The first complaint; undefined: nothing noticed. */
const killed = async (scratch: string, { scene: name, at }: Extract<Witness, { readonly scene: string }>) => {
  const scene = scenes.find((one) => one.name === name)
  if (scene === undefined) throw new Error(`there is no scene ${name}`)
  const { program, directory } = await build(join(scratch, "scripts/kills/victim.ts"))
  const pool = await openPool(program, `${directory}/cache`, 1)
  const model = await openModel()
  try {
    const { complaints } = await run({ pool, model }, scene, [{ kill: at }])
    return complaints[0]
  } finally {
    await pool.close()
    model.close()
    discard(directory)
  }
}

interface Report {
  readonly testResults: ReadonlyArray<{
    readonly assertionResults: ReadonlyArray<{ readonly status: string; readonly fullName: string }>
  }>
}

/** The name of the first test that failed. */
const tested = (scratch: string, test: string): Promise<string | undefined> =>
  new Promise((done) => {
    const report = join(scratch, "report.json")
    const config = ["-c", "test/vitest.config.ts", "--reporter=json", `--outputFile=${report}`]
    const args = ["node_modules/vitest/vitest.mjs", "run", ...config, test]
    const child = spawn(process.execPath, args, { cwd: scratch, stdio: "ignore" })
    child.once("close", () => {
      const { testResults } = JSON.parse(readFileSync(report, "utf8")) as Report
      const failed = testResults.flatMap(({ assertionResults }) =>
        assertionResults.filter(({ status }) => status === "failed")
      )
      done(failed[0]?.fullName)
    })
  })

/** True: each is noticed. */
export const mutants = async (say: (text: string) => void, only?: RegExp): Promise<boolean> => {
  const wanted = list.filter(({ guard }) => only?.test(guard) !== false)
  let noticed = 0
  for (const mutant of wanted) {
    const { seen } = mutant
    const scratch = copied(mutant)
    try {
      const red = await ("test" in seen ? tested(scratch, seen.test) : killed(scratch, seen))
      const where = "test" in seen ? seen.test : `npm run kills: ${seen.scene}, ${seen.at.name}`
      if (red !== undefined) noticed += 1
      say(`${red === undefined ? "FAIL" : "ok  "} ${mutant.guard} → ${where}: ${red ?? "nothing turned red"}`)
    } finally {
      rmSync(scratch, { recursive: true, force: true })
    }
  }
  say(`${wanted.length} guards taken away, ${noticed} noticed`)
  return noticed === wanted.length
}
