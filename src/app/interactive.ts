/**
 * `claw` without a command: the conversation. Owns: which session it opens, what it says first, terminal or plain lines.
 * Without a model at a terminal it says what to set and goes on with the demo in a scratch workspace (DESIGN §9).
 */
import { join } from "node:path"
import { Effect, Result } from "effect"
import type { CommandLine } from "../cli/CommandLine.ts"
import { EXIT, type Locale } from "../cli/Commands.ts"
import { describe } from "../cli/Complaint.ts"
import { openHistory } from "../cli/InputHistory.ts"
import * as NodeTerminal from "../cli/node/Terminal.ts"
import { Output } from "../cli/Output.ts"
import { repl } from "../cli/Repl.ts"
import { replPlain } from "../cli/ReplPlain.ts"
import { sanitise } from "../cli/Sanitise.ts"
import type { Around } from "../cli/SlashCommands.ts"
import type { ConfigShape } from "../config/AppConfig.ts"
import { version } from "../config/Version.ts"
import { newSessionId, type SessionId } from "../domain/Ids.ts"
import { RuntimeError } from "../runtime/RuntimeError.ts"
import { localOwner, sessionKey } from "../domain/Principal.ts"
import * as SessionCopy from "../runtime/SessionCopy.ts"
import { RuntimeManager } from "../runtime/RuntimeManager.ts"
import type { SessionRuntime } from "../runtime/SessionRuntime.ts"
import { Journal } from "../store/Journal.ts"
import type { StoreError } from "../store/StoreError.ts"
import { isSame, identityOf } from "../sandbox/WorkspaceIdentity.ts"
import { SessionIndex, type SessionMeta } from "../store/SessionIndex.ts"
import { makeWorkspace } from "./demo.ts"
import { Failure } from "./failure.ts"
import { bypassAllowed } from "./isolation.ts"
import { sessions } from "./layers.ts"
import { catalogueOf, type Choice, choose, missingIn } from "./model.ts"
import { toolList } from "./sessionFactory.ts"
import { sessionNamed, standing, standingNote } from "./sessionNamed.ts"
import { sayWhenSlow } from "./slowStart.ts"
import { writtenHere } from "./told.ts"
import { sayElsewhere, sayUntrusted, settleTrust } from "./trust.ts"
import { overridesOf, workspaceOf } from "./workspace.ts"

interface Start {
  readonly choice: Choice
  readonly workspace: string
  /** A project of the demo's own, and not the directory that claw was started in. */
  readonly scratch: boolean
  readonly notes: ReadonlyArray<string>
}

const demoNote = (locale: Locale): string =>
  locale === "en"
    ? "This is the demo: a script instead of a model, real tools, a scratch project. Say: fix"
    : "这是演示：用脚本代替模型，工具是真实的，项目是临时的。请说：fix"

const start = Effect.fnUntraced(function* (line: CommandLine, config: ConfigShape, atTerminal: boolean) {
  const chosen = choose(config)
  if (Result.isFailure(chosen) && !atTerminal) {
    return yield* new Failure({ exit: EXIT.usage, detail: missingIn(chosen.failure, config.locale) })
  }
  const own = Result.getOrElse(chosen, (): Choice => ({ kind: "demo", model: "demo" }))
  const notes = Result.isFailure(chosen) ? [missingIn(chosen.failure, config.locale)] : []
  const scratch = own.kind === "demo" && line.values["cwd"] === undefined
  const workspace = scratch ? yield* makeWorkspace : yield* Effect.fromResult(workspaceOf(config))
  const demo = own.kind === "demo" ? [demoNote(config.locale)] : []
  return { choice: own, workspace, scratch, notes: [...notes, ...demo] } satisfies Start
})

/** A session whose directory is gone cannot go on; the sentence says where it can. */
const notGone = (meta: SessionMeta, locale: Locale) =>
  Effect.suspend(() =>
    standing(meta) === "gone"
      ? Effect.fail(new RuntimeError({ code: "workspace_unreadable", detail: standingNote(meta, locale) ?? "" }))
      : Effect.void
  )

const openThere = Effect.fnUntraced(function* (
  meta: SessionMeta,
  overrides: ReturnType<typeof overridesOf>,
  locale: Locale
) {
  const [manager, output] = [yield* RuntimeManager, yield* Output]
  yield* notGone(meta, locale)
  const note = standingNote(meta, locale)
  if (note !== undefined) yield* output.err(`claw: ${note}\n`)
  const opened = manager.open(meta.session_id, { ...overrides, recover: true })
  return yield* Effect.mapError(opened, (error) => elsewhere(error, meta, locale))
})

/** Somebody else writes it; to read it takes no leave. */
const elsewhere = (error: RuntimeError, { session_id }: SessionMeta, locale: Locale): RuntimeError => {
  if (error.code !== "session_moved") return error
  const hint = locale === "en" ? "To read along:" : "如需旁观："
  return new RuntimeError({
    code: error.code,
    detail: `${error.message} ${hint} claw sessions show ${session_id} --follow`
  })
}

/** The newest session of the directory in which something was said. */
const newestOf = Effect.fnUntraced(function* (workspace: string) {
  const index = yield* SessionIndex
  const all = yield* index.list({ workspace, limit: 100 })
  return all.find(({ title }) => title !== "")
})

/** Whoever starts anew where a crash left something undone is told how to go on with it. */
const sayUndone = Effect.fnUntraced(function* (workspace: string, locale: Locale) {
  const [journal, output] = [yield* Journal, yield* Output]
  const newest = yield* newestOf(workspace)
  const undone = newest === undefined ? [] : yield* journal.unfinished
  if (newest === undefined || !undone.includes(sessionKey(newest.owner, newest.session_id))) return
  yield* output.err(
    locale === "en"
      ? "claw: a task in this directory has not ended. To go on with it: claw --continue\n"
      : "claw：此目录中有一个任务尚未结束。继续：claw --continue\n"
  )
})

/** This directory had another name when its sessions were made. */
const sayMoved = Effect.fnUntraced(function* (workspace: string, locale: Locale) {
  const [index, output] = [yield* SessionIndex, yield* Output]
  const here = identityOf(workspace)
  const all = yield* index.list({ limit: Number.MAX_SAFE_INTEGER })
  const moved = all.find((meta) => meta.workspace !== workspace && isSame(meta.workspace_id, here))
  if (moved === undefined) return
  const from = sanitise(moved.workspace)
  yield* output.err(
    locale === "en"
      ? `claw: this directory was ${from} before. To go on with its newest session: claw fork ${moved.session_id} --cwd .\n`
      : `claw：此目录以前是 ${from}。继续其最近的会话：claw fork ${moved.session_id} --cwd .\n`
  )
})

const openFirst = Effect.fnUntraced(function* (line: CommandLine, config: ConfigShape, workspace: string) {
  const manager = yield* RuntimeManager
  const overrides = overridesOf(line, config)
  const named = line.values["resume"]
  if (named !== undefined) return yield* openThere(yield* sessionNamed(named), overrides, config.locale)
  if (!line.switches.has("continue")) {
    yield* sayUndone(workspace, config.locale)
    return yield* manager.create(newSessionId(), { workspace, ...overrides })
  }
  const newest = yield* newestOf(workspace)
  if (newest !== undefined) return yield* openThere(newest, overrides, config.locale)
  yield* sayMoved(workspace, config.locale)
  return yield* manager.create(newSessionId(), { workspace, ...overrides })
})

const around = Effect.fnUntraced(function* (config: ConfigShape, choice: Choice) {
  const [manager, index] = [yield* RuntimeManager, yield* SessionIndex]
  const context = yield* Effect.context<SessionIndex | Journal>()
  const translate = ({ code, message: detail }: StoreError) => new RuntimeError({ code, detail })
  const models = catalogueOf(config, choice)
  return {
    locale: config.locale,
    priced: (model: string) => models(model).prices !== undefined,
    tools: yield* toolList(config),
    written: yield* writtenHere(config),
    sessions: Effect.mapError(index.list(), translate),
    open: (id: SessionId) =>
      Effect.mapError(index.get(id), translate).pipe(
        Effect.flatMap((meta) => notGone(meta, config.locale)),
        Effect.andThen(manager.open(id, { recover: true }))
      ),
    fork: (id: SessionId, at: number | undefined) =>
      SessionCopy.fork(localOwner, id, {
        to: Effect.sync(() => newSessionId("fork")),
        ...(at === undefined ? {} : { at })
      }).pipe(
        Effect.flatMap(({ session_id }) => manager.open(session_id)),
        Effect.provideContext(context)
      )
  } satisfies Around
})

const banner = (session: SessionRuntime, notes: ReadonlyArray<string>, locale: Locale) =>
  Effect.map(session.status, ({ meta, model, mode, damaged, read_only }) => [
    `claw ${version} · ${model} · ${mode} · ${meta.workspace}`,
    ...(damaged === 0 ? [] : [describe.damaged(damaged, locale, read_only)]),
    ...notes,
    ""
  ])

/** A session in which nothing was said is nothing to come back to. */
const forget = Effect.fnUntraced(function* (id: SessionId) {
  const [manager, index] = [yield* RuntimeManager, yield* SessionIndex]
  const session = yield* manager.get(id)
  const { tasks, queue } = yield* session.status
  const { title } = yield* index.get(id)
  if (tasks === 0 && queue.length === 0 && title === "") yield* manager.remove(id)
})

interface Conversing {
  readonly from: Start
  readonly plain: boolean
  /** To be run before the first word. */
  readonly opened: Effect.Effect<void>
}

const converse = Effect.fnUntraced(function* (line: CommandLine, config: ConfigShape, conversing: Conversing) {
  const { from, opened, plain } = conversing
  yield* bypassAllowed(config)
  const session = yield* openFirst(line, config, from.workspace)
  const { meta } = yield* session.status
  yield* sayElsewhere(config, meta.workspace)
  const options = {
    ...(yield* around(config, from.choice)),
    session,
    workspace: meta.workspace,
    banner: yield* banner(session, from.notes, config.locale),
    history: openHistory(join(config.state_dir, "history"))
  }
  const output = yield* Output
  const terminal = NodeTerminal.layer({ input: process.stdin, output: process.stdout, color: output.color })
  yield* opened
  const talk = plain ? replPlain(options, process.stdin) : Effect.provide(repl(options), terminal)
  return yield* Effect.ensuring(talk, Effect.ignore(forget(session.session_id)))
})

export const interactive = Effect.fnUntraced(function* (line: CommandLine, given: ConfigShape) {
  const atTerminal = process.stdin.isTTY && process.stdout.isTTY
  const plain = !atTerminal || given.term === "dumb"
  const from = yield* start(line, given, atTerminal)
  const config = plain || from.scratch ? given : yield* settleTrust(line, given)
  if (!from.scratch) yield* sayUntrusted(config)
  const opened = yield* sayWhenSlow(config.locale, atTerminal)
  return yield* Effect.provide(converse(line, config, { from, plain, opened }), sessions(config, from.choice))
})
