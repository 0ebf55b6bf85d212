/**
 * `npm run fuzz:commands [-- --count N] [--seed S] [--case N]`: lines out of a grammar with random grants and rules, judged
 * by the real policy; those that it allows run in a throw-away repository under a system-call trace, and every program
 * started and every file written must be covered by the verdict. 2,000 lines by default, 100,000 with `-- --count 100000`.
 * A failure is shown with its seed and number; `--case` runs that one again.
 */
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { makeJudge } from "../src/app/policyJudge.ts"
import type { Rule } from "../src/approval/Rules.ts"
import type { CommandPlan, Grant } from "../src/domain/Approval.ts"
import { newGrantId } from "../src/domain/Ids.ts"
import { caseOf, type FuzzCase, type FuzzGrant } from "./fuzz/commandGrammar.ts"
import { faultOf } from "./fuzz/commandOracle.ts"
import { childEnvironment, makeTemplate, runLines } from "./fuzz/commandRun.ts"
import { optionsOf } from "./options.ts"

const options = optionsOf("fuzz:commands", {
  count: { type: "string", default: "2000" },
  seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 31)) },
  case: { type: "string" }
})
const [seed, count] = [Number(options.seed), Number(options.count)]
if (!Number.isInteger(seed) || !Number.isInteger(count) || count < 1) {
  console.error("fuzz:commands: --seed and --count take whole numbers")
  process.exit(2)
}

const BATCH = 100
const TOGETHER = 2

const root = realpathSync(mkdtempSync(join(tmpdir(), "claw-fuzz-")))
process.on("exit", () => rmSync(root, { recursive: true, force: true }))
const workspace = makeTemplate(root)
const { HOME: home, PATH: path } = childEnvironment(root)
const judge = await Effect.runPromise(makeJudge({ workspace, path, home, own: [], moved: [] }))

const words = ([first = "", ...rest]: ReadonlyArray<string>) => [first, ...rest] as const

const ruleOf = ({ argv }: FuzzGrant): Rule => ({
  name: argv.join(" "),
  tool: "bash",
  action: "allow",
  matcher: { kind: "command", argv: words(argv) }
})

const grantOf = ({ argv, kind }: FuzzGrant): Grant => ({
  grant_id: newGrantId(),
  tool_name: "bash",
  matcher: kind === "reads" ? { kind } : { kind: "command", argv: words(argv) },
  workspace,
  created_at: "2026-01-01T00:00:00.000Z",
  expires_at: "2126-01-01T00:00:00.000Z"
})

/** The plan of an allowed line; undefined: it is asked about or refused. */
const allowed = async ({ grants, line }: FuzzCase): Promise<CommandPlan | undefined> => {
  const around = {
    grants: grants.filter(({ kind }) => kind !== "rule").map(grantOf),
    rules: grants.filter(({ kind }) => kind === "rule").map(ruleOf),
    mode: "ask"
  } as const
  const judged = await Effect.runPromise(judge.judge("bash", JSON.stringify({ command: line }), around))
  return judged.kind === "judged" && judged.judgement.action === "allow" ? judged.subject.assessment.command : undefined
}

interface Allowed extends FuzzCase {
  readonly nth: number
  readonly plan: CommandPlan
}

const faults: Array<string> = []
const totals = { allowed: 0, ran: 0, programs: 0, writes: 0 }

const show = ({ grants, line, nth }: Allowed, fault: string): string =>
  `${fault}\n  line: ${JSON.stringify(line)}\n  granted: ${grants.map(({ argv, kind }) => `${kind} ${argv.join(" ")}`).join(", ")}\n` +
  `  again: npm run fuzz:commands -- --seed ${seed} --case ${nth}`

const runBatch = async (batch: ReadonlyArray<Allowed>, at: number): Promise<void> => {
  const lines = batch.map(({ line }) => line)
  const { cwds, effects, said } = await runLines(root, workspace, lines, at)
  if (effects.length !== batch.length) throw new Error(`traced ${effects.length} of ${batch.length} lines: ${said}`)
  for (const [index, one] of batch.entries()) {
    const seen = effects[index]!
    totals.ran += 1
    totals.programs += seen.filter(({ kind }) => kind === "exec").length
    totals.writes += seen.filter(({ kind }) => kind === "write").length
    const fault = faultOf(seen, { plan: one.plan, workspace, cwd: cwds[index]! }, one.line)
    if (fault !== undefined) faults.push(show(one, fault))
  }
}

const judgeAll = async (): Promise<ReadonlyArray<Allowed>> => {
  const found: Array<Allowed> = []
  const [from, to] = options.case === undefined ? [0, count] : [Number(options.case), Number(options.case) + 1]
  for (let nth = from; nth < to; nth += 1) {
    const made = caseOf(seed, nth)
    const plan = await allowed(made)
    if (plan !== undefined) found.push({ ...made, nth, plan })
  }
  return found
}

const started = performance.now()
console.log(`fuzz:commands: seed ${seed}`)
const todo = await judgeAll()
totals.allowed = todo.length
const batches = Array.from({ length: Math.ceil(todo.length / BATCH) }, (_, at) =>
  todo.slice(at * BATCH, (at + 1) * BATCH)
)
let next = 0
const worker = async (): Promise<void> => {
  for (let at = next++; at < batches.length; at = next++) await runBatch(batches[at]!, at)
}
await Promise.all(Array.from({ length: TOGETHER }, worker))
for (const fault of faults.slice(0, 20)) console.log(fault)
const seconds = ((performance.now() - started) / 1000).toFixed(1)
const lines = options.case === undefined ? count : 1
console.log(
  `fuzz:commands: ${lines} lines, ${totals.allowed} allowed and run, ${totals.programs} programs, ${totals.writes} writes, ` +
    `${faults.length} not covered, ${seconds} s, seed ${seed}`
)
process.exitCode = faults.length === 0 && totals.ran === totals.allowed && (totals.allowed > 0 || lines < 100) ? 0 : 1
