/**
 * The commands of the prompt, as records. Owns: their names, help and doing; each gives lines to print and, where it
 * changes what the prompt is attached to, the session to go on with. None of them reaches the model (R086–R089).
 */
import { Effect } from "effect"
import type { Mode } from "../approval/ApprovalGate.ts"
import { nearest } from "../domain/Nearest.ts"
import type { SessionId } from "../domain/Ids.ts"
import { RuntimeError } from "../runtime/RuntimeError.ts"
import type { SessionRuntime } from "../runtime/SessionRuntime.ts"
import type { SessionMeta } from "../store/SessionIndex.ts"
import { budget, statusLines } from "./budgetCommands.ts"
import { type Locale, MODES } from "./Commands.ts"
import * as Go from "./goCommands.ts"
import { coverOf, grantLine, namedGrants } from "./GrantWords.ts"
import type { Pick } from "./picker.ts"
import * as Queue from "./queueCommands.ts"
import * as Restore from "./restoreCommands.ts"
import { sanitise } from "./Sanitise.ts"
import { count } from "./transcriptLines.ts"
import { nothingWritten, promptLines, skillLines, type WrittenByPeople } from "./WrittenByPeople.ts"

/** What the commands may use of the program around them. */
export interface Around {
  readonly locale: Locale
  readonly tools: ReadonlyArray<{ readonly name: string; readonly description: string }>
  /** Where claw was started; absent: nothing. */
  readonly written?: WrittenByPeople
  /** Whether a limit of money can be kept with this model; absent: who keeps it knows. */
  readonly priced?: (model: string) => boolean
  /** Newest first. */
  readonly sessions: Effect.Effect<ReadonlyArray<SessionMeta>, RuntimeError>
  readonly open: (id: SessionId) => Effect.Effect<SessionRuntime, RuntimeError>
  /** A copy up to and including `at`, opened; absent: copies are not made from here. */
  readonly fork?: (id: SessionId, at: number | undefined) => Effect.Effect<SessionRuntime, RuntimeError>
}

export interface Done {
  readonly lines: ReadonlyArray<string>
  /** The session's own facts tell the same: whoever shows them leaves these lines out. */
  readonly told?: boolean
  readonly go?: { readonly session: SessionRuntime } | "exit"
  /** One of these is to be chosen, and then done. */
  readonly pick?: Pick
}

export interface SlashCommand {
  readonly name: string
  readonly argument: string
  readonly text: Readonly<Record<Locale, string>>
  readonly run: (session: SessionRuntime, argument: string, around: Around) => Effect.Effect<Done, RuntimeError>
}

const text = (en: string, zh: string) => ({ en, "zh-CN": zh })
const say = (...lines: ReadonlyArray<string>): Done => ({ lines })
const pick = (locale: Locale, en: string, zh: string): string => (locale === "en" ? en : zh)

const cost = (session: SessionRuntime, { locale }: Around) =>
  Effect.map(session.state, ({ usage, tasks }) => {
    const least = usage.cost_partial === true ? "≥ " : ""
    const money =
      usage.cost_usd === undefined ? pick(locale, "cost unknown", "费用未知") : `${least}$${usage.cost_usd.toFixed(4)}`
    const cached =
      usage.cached_tokens === undefined ? "" : ` (${count(usage.cached_tokens)} ${pick(locale, "cached", "缓存")})`
    const tokens = `${count(usage.input_tokens)}${cached} → ${count(usage.output_tokens)} tokens`
    return say(`${tokens} · ${money} · ${tasks} ${pick(locale, tasks === 1 ? "task" : "tasks", "个任务")}`)
  })

const setMode = (session: SessionRuntime, argument: string, { locale }: Around) => {
  const mode = MODES.find((known) => known === argument)
  if (argument === "") return Effect.map(session.status, (found) => say(`${found.mode} (${MODES.join(", ")})`))
  if (mode === undefined || mode === "bypass") {
    const why =
      mode === undefined
        ? `${pick(locale, "modes", "模式")}: ${MODES.join(", ")}`
        : pick(
            locale,
            "bypass is set at the start only: claw --mode bypass",
            "bypass 只能在启动时设置：claw --mode bypass"
          )
    return Effect.succeed(say(why))
  }
  return Effect.as(session.setMode(mode satisfies Mode), say(`${pick(locale, "mode", "模式")}: ${mode}`))
}

const setModel = (session: SessionRuntime, argument: string, { locale }: Around) =>
  argument === ""
    ? Effect.map(session.status, ({ model }) => say(sanitise(model)))
    : Effect.as(
        session.setModel(argument),
        say(`${pick(locale, "model from the next task on", "下个任务起使用模型")}: ${sanitise(argument)}`)
      )

const grants = (session: SessionRuntime, { locale }: Around) =>
  Effect.map(session.grants, (all) =>
    all.length === 0
      ? say(pick(locale, "nothing is granted in this session", "此会话没有授权"))
      : say(
          ...all.map((grant, at) => `${at + 1}. ${grantLine(grant, locale)}`),
          pick(locale, "/revoke NUMBER or /revoke ID takes one back", "/revoke 编号 或 /revoke ID 可撤销")
        )
  )

/** By the number of `/grants`, by id, or by the beginning or end of one where that is one grant's alone. */
const revoke = Effect.fnUntraced(function* (session: SessionRuntime, argument: string, { locale }: Around) {
  if (argument === "") return say(pick(locale, "/revoke ID; /grants lists them", "/revoke ID；/grants 列出全部"))
  const found = namedGrants(argument, yield* session.grants, true)
  const [only, ...more] = found
  if (more.length > 0)
    return say(
      pick(locale, "more than one grant fits:", "有多个授权符合："),
      ...found.map((one) => grantLine(one, locale))
    )
  const taken = only !== undefined && (yield* session.revoke(only.grant_id, "terminal"))
  if (!taken || only === undefined) return yield* new RuntimeError({ code: "grant_not_found" })
  return say(pick(locale, `taken back: ${coverOf(only, locale)}`, `已撤销：${coverOf(only, locale)}`))
})

/** Its task tells the rest. */
const compact = (session: SessionRuntime, focus: string) => Effect.as(session.compact(focus), say())

const leave = () => Effect.succeed<Done>({ lines: [], go: "exit" })

export const slashCommands: ReadonlyArray<SlashCommand> = [
  {
    name: "help",
    argument: "",
    text: text("these commands", "这些命令"),
    run: (_s, _a, around) => Effect.succeed(say(...helpLines(around)))
  },
  {
    name: "clear",
    argument: "",
    text: text("forget the conversation, keep the session", "清空对话，保留会话"),
    run: (session) => Effect.as(session.clear, say())
  },
  { name: "compact", argument: "[FOCUS]", text: text("sum up the conversation", "概括对话以腾出空间"), run: compact },
  {
    name: "status",
    argument: "",
    text: text("session, directory, model, mode", "会话、目录、模型、模式"),
    run: (session, _a, { locale }) =>
      Effect.zipWith(session.status, session.state, (found, state) => say(...statusLines(found, locale, state)))
  },
  { name: "model", argument: "[NAME]", text: text("show or change the model", "显示或更换模型"), run: setModel },
  {
    name: "mode",
    argument: "[MODE]",
    text: text("show or change how changes are approved", "显示或更换批准方式"),
    run: setMode
  },
  {
    name: "tools",
    argument: "",
    text: text("what the model can do", "模型可用的工具"),
    run: (_s, _a, { tools, locale }) =>
      Effect.succeed(
        say(
          ...(tools.length > 0 ? [] : [pick(locale, "only the server knows", "只有服务器知道")]),
          ...tools.map((tool) => `${tool.name.padEnd(12)} ${tool.description.split("\n", 1)[0] ?? ""}`)
        )
      )
  },
  {
    name: "skills",
    argument: "",
    text: text("written procedures that the model can read", "模型可阅读的技能"),
    run: (_s, _a, { locale, written = nothingWritten }) => Effect.succeed(say(...skillLines(written, locale)))
  },
  {
    name: "cost",
    argument: "",
    text: text("tokens and money of this session", "此会话的用量与费用"),
    run: (session, _a, around) => cost(session, around)
  },
  {
    name: "budget",
    argument: "[LIMIT]",
    text: text("show or set what a task or the session may spend", "查看或设置任务或会话的预算"),
    run: (session, argument, { locale, priced }) =>
      Effect.map(budget(session, argument, locale, priced), (lines) => say(...lines))
  },
  {
    name: "grants",
    argument: "",
    text: text("what you allowed for this session", "你在此会话中授予的权限"),
    run: (session, _a, around) => grants(session, around)
  },
  {
    name: "revoke",
    argument: "ID",
    text: text("take back what you allowed; it asks again", "撤销授权，之后会再次询问"),
    run: revoke
  },
  {
    name: "undo",
    argument: "",
    text: text("put back the files that the last task changed", "撤销上个任务对文件的更改"),
    run: (session, argument, { locale }) => Restore.undo(session, argument, locale)
  },
  {
    name: "redo",
    argument: "",
    text: text("give back what /undo took back", "重做被撤销的更改"),
    run: (session, _a, { locale }) => Restore.redo(session, locale)
  },
  {
    name: "diff",
    argument: "[all]",
    text: text("what the last task, or all, changed", "上个任务或全部任务的更改"),
    run: (session, argument, { locale }) => Restore.diff(session, argument, locale)
  },
  {
    name: "sessions",
    argument: "",
    text: text("stored conversations", "已保存的对话"),
    run: (session, _a, around) => Go.listed(session, around)
  },
  { name: "resume", argument: "[ID]", text: text("go on in another session", "继续另一个会话"), run: Go.resume },
  {
    name: "fork",
    argument: "[SEQ]",
    text: text("go on in a copy, up to an event", "在副本中继续，可截至某个事件"),
    run: Go.fork
  },
  {
    name: "continue",
    argument: "",
    text: text("start the prompts that wait", "开始排队的提示"),
    run: (session, _a, { locale }) => Queue.goOn(session, locale)
  },
  {
    name: "drop",
    argument: "",
    text: text("forget the prompts that wait", "放弃排队的提示"),
    run: (session, _a, { locale }) => Queue.drop(session, locale)
  },
  ...["exit", "quit"].map((name) => ({ name, argument: "", text: text("leave", "退出"), run: leave }))
]

const helpLines = ({ locale, written = nothingWritten }: Around): ReadonlyArray<string> => [
  ...slashCommands.map((command) => `/${`${command.name} ${command.argument}`.padEnd(16)} ${command.text[locale]}`),
  ...promptLines(written),
  "",
  pick(
    locale,
    "Enter sends · Alt-Enter or \\ Enter: another line · Tab completes · Ctrl-C stops a task, twice leaves",
    "Enter 发送 · Alt-Enter 或 \\ Enter 换行 · Tab 补全 · Ctrl-C 停止任务，连按两次退出"
  )
]

/** Does a command; an unknown one is refused with the nearest name. */
export const runSlash = (
  session: SessionRuntime,
  name: string,
  argument: string,
  around: Around
): Effect.Effect<Done, RuntimeError> => {
  const command = slashCommands.find((known) => known.name === name.toLowerCase())
  if (command !== undefined) return command.run(session, argument, around)
  const prompts = around.written?.prompts ?? []
  const near = nearest(
    name,
    [...slashCommands, ...prompts].map((known) => known.name)
  )
  const hint = near === undefined ? "/help" : `/${near}`
  const shown = sanitise(name).slice(0, 40)
  return Effect.succeed(
    say(pick(around.locale, `There is no command /${shown}. Try ${hint}.`, `没有命令 /${shown}。试试 ${hint}。`))
  )
}
