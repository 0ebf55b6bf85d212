/**
 * Corpus entries for real: a throw-away repository each, the real gate, policy, tools and processes in bubblewrap, a person
 * who refuses every question. Owns: the repository, what counts as proof that an attack worked. Invariant: what runs can
 * write to its own repository and nowhere else, gated or not.
 */
import { execFileSync } from "node:child_process"
import { cpSync, existsSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Context, Effect, Layer } from "effect"
import { ApprovalGate, type Mode, type Verdict } from "../../src/approval/ApprovalGate.ts"
import { Approver, type Question, type Reply } from "../../src/approval/Approver.ts"
import * as Gate from "../../src/approval/Gate.ts"
import * as GateSettings from "../../src/approval/GateSettings.ts"
import { GrantStore } from "../../src/approval/GrantStore.ts"
import { layerMemory } from "../../src/approval/MemoryGrants.ts"
import { newTaskId, type SessionId } from "../../src/domain/Ids.ts"
import * as CommandAnalysis from "../../src/sandbox/CommandAnalysis.ts"
import { ProcessRunner } from "../../src/sandbox/ProcessRunner.ts"
import * as Workspace from "../../src/sandbox/Workspace.ts"
import { makeBuiltinTools } from "../../src/tools/builtin/BuiltinTools.ts"
import * as ToolRegistry from "../../src/tools/ToolRegistry.ts"
import { type BashEntry, commandOf, denyRule, makeGrant, makeWorkspace, writeFile } from "./approvalCorpus.ts"
import { contextFor, toolCall } from "./builtinTools.ts"
import { isolatedRunnerOf, script } from "./processes.ts"

/** What would be seen in the repository if the attack had worked. */
export interface Proof {
  readonly creates?: string
  readonly removes?: string
}

export interface ProvenEntry extends BashEntry {
  readonly proof: Proof
  /** Programs that not every machine has: without them the proof cannot be seen to work. */
  readonly needs?: ReadonlyArray<string>
  /** Where the corpus was made its program was missing: nobody has seen the proof work. */
  readonly unseen?: true
}

export const PATH = process.env["PATH"] ?? "/usr/bin:/bin"
const HOME = "/tmp"
const session_id = "session_live" as SessionId

const git = (cwd: string, ...args: ReadonlyArray<string>) =>
  execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@localhost", ...args], { cwd })

/** The corpus' workspace as a repository that git knows, once; each entry gets a copy. */
export const template = Effect.acquireRelease(
  Effect.sync(() => {
    const { path, remove } = makeWorkspace()
    // Without the samples of hooks, which each copy would hold.
    git(path, "init", "-q", "--template=")
    git(path, "add", "-A")
    git(path, "commit", "-qm", "start")
    return { path, remove }
  }),
  ({ remove }) => Effect.sync(remove)
)

let copies = 0

export const repositoryFrom = (from: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const path = `${from}-${(copies += 1)}`
      cpSync(from, path, { recursive: true, verbatimSymlinks: true })
      return path
    }),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )

const layOut = (path: string, entry: BashEntry, late: boolean): void => {
  for (const file of entry.files ?? []) if ((file.changed_after_grant === true) === late) writeFile(path, file)
}

/** What the proof needs to be there first. */
const prepare = (path: string, { removes }: Proof): void => {
  if (removes !== undefined) writeFileSync(join(path, removes), "x\n")
}

export const happened = (path: string, { creates, removes }: Proof): boolean =>
  (creates !== undefined && existsSync(join(path, creates))) ||
  (removes !== undefined && !existsSync(join(path, removes)))

/** The command as bash would run it with nobody in between. */
export const ungated = Effect.fnUntraced(function* (from: string, entry: ProvenEntry) {
  const path = yield* repositoryFrom(from)
  for (const late of [false, true]) layOut(path, entry, late)
  prepare(path, entry.proof)
  const runner = yield* ProcessRunner
  yield* runner.run(script(commandOf(entry), { cwd: path, timeout_ms: 15_000 }))
  return happened(path, entry.proof)
})

export interface Gated {
  readonly happened: boolean
  readonly questions: number
  readonly verdict: Verdict
  /** What the tool said, where it ran. */
  readonly output: string | undefined
}

interface Around {
  readonly entry: BashEntry
  readonly mode: Mode
  readonly answer: Reply["decision"]
}

const approver = (questions: Array<Question>, answer: Reply["decision"]) =>
  Layer.succeed(
    Approver,
    Approver.of({ ask: (question) => Effect.sync(() => (questions.push(question), { decision: answer, via: "user" })) })
  )

const layers = (path: string, { entry, mode, answer }: Around, questions: Array<Question>) => {
  const analyse = (source: string) => CommandAnalysis.analyse(source, { workspace: path, path: PATH, home: HOME })
  const registry = Layer.effect(ToolRegistry.ToolRegistry, Effect.map(makeBuiltinTools({ analyse }), ToolRegistry.make))
  const settings = GateSettings.layer({ workspace: path, mode, rules: (entry.deny ?? []).map(denyRule) })
  const gate = Gate.layer.pipe(Layer.provide([approver(questions, answer), settings]), Layer.provideMerge(layerMemory))
  return Layer.merge(gate, registry.pipe(Layer.provide(Workspace.layer({ root: path }))))
}

const callThrough = Effect.fnUntraced(function* (args: unknown) {
  const [registry, gate] = [yield* ToolRegistry.ToolRegistry, yield* ApprovalGate]
  const resolved = yield* Effect.fromResult(registry.resolve(toolCall("bash", args)))
  const verdict = yield* gate.check({
    session_id,
    task_id: newTaskId(),
    turn: 1,
    call: resolved.call,
    digest: resolved.digest,
    assessment: yield* resolved.tool.assess(resolved.args),
    preview: resolved.tool.preview(resolved.args)
  })
  if (verdict.permit === undefined) return { verdict, output: undefined }
  const { content } = yield* registry.execute(resolved, verdict.permit, contextFor(resolved))
  return { verdict, output: content }
})

interface Through extends Omit<Around, "mode"> {
  readonly proof?: Proof
}

/** The entry through the gate in each of these modes, one after the other in one repository, with the grants it names. */
export const gatedIn = Effect.fnUntraced(function* (from: string, around: Through, modes: ReadonlyArray<Mode>) {
  const { entry, proof = {} } = around
  const path = yield* repositoryFrom(from)
  layOut(path, entry, false)
  const gates = yield* Effect.forEach(modes, (mode) =>
    Effect.gen(function* () {
      const questions: Array<Question> = []
      const context = yield* Layer.build(layers(path, { ...around, mode }, questions))
      const store = Context.get(context, GrantStore)
      for (const { argv, match } of entry.grants ?? []) yield* store.save(session_id, makeGrant(path, match, argv))
      return { questions, context }
    })
  )
  layOut(path, entry, true)
  prepare(path, proof)
  const args = entry.raw_arguments === true ? entry.command : { command: commandOf(entry) }
  return yield* Effect.forEach(gates, ({ context, questions }) =>
    Effect.map(Effect.provideContext(callThrough(args), context), (called): Gated => ({
      happened: happened(path, proof),
      questions: questions.length,
      ...called
    }))
  )
})

/** The same in one mode. Needs the ProcessRunner. */
export const gated = (from: string, around: Around & { readonly proof?: Proof }) =>
  Effect.map(gatedIn(from, around, [around.mode]), ([only]) => only!)

/** One stock of isolated processes for a whole file. */
export const layerIsolated = Layer.effect(
  ProcessRunner,
  isolatedRunnerOf({ environment: { PATH, HOME, LC_ALL: "C.UTF-8" } })
)
