/**
 * `claw sessions`: what is stored, without a model. Owns: which operand does what, and how a list and a session look as
 * text and as JSON lines. Does not own: files (sessionFiles), search (sessionSearch), pruning (pruneCommand).
 * Invariants: a session is named by its id, or by the start or end of one that is one session's alone; nothing is
 * deleted without a yes, and nothing that a living process has.
 */
import { Effect } from "effect"
import type { CommandLine } from "../cli/CommandLine.ts"
import { EXIT, type Locale } from "../cli/Commands.ts"
import * as NodeTerminal from "../cli/node/Terminal.ts"
import { Output } from "../cli/Output.ts"
import { sanitise } from "../cli/Sanitise.ts"
import { askYes } from "../cli/YesNo.ts"
import type { ConfigShape } from "../config/AppConfig.ts"
import { isAlive } from "../sandbox/ProcessIdentity.ts"
import { SessionIndex, type SessionMeta } from "../store/SessionIndex.ts"
import { Failure } from "./failure.ts"
import { reading } from "./layers.ts"
import { pruneSessions } from "./pruneCommand.ts"
import { exportSession, importSession } from "./sessionFiles.ts"
import { sessionNamed, sessionRow, standing } from "./sessionNamed.ts"
import { searchSessions } from "./sessionSearch.ts"
import { showSession } from "./sessionShow.ts"

const MOST_TITLE = 1024

const texts = {
  en: {
    usage:
      "claw sessions takes list, search TEXT, show ID, rename ID TITLE, delete ID, export ID [FILE], import FILE or prune.",
    none: "no sessions yet.",
    title: `A title is one line of at most ${MOST_TITLE} characters.`,
    yes: (id: string) => `Nobody can be asked here: claw sessions delete ${id} --yes`,
    ask: (id: string, title: string) => `Delete session ${id} (${title}) and all that is stored of it?`,
    keys: "y delete · n keep",
    kept: "nothing was deleted.",
    deleted: (id: string) => `deleted ${id}`
  },
  "zh-CN": {
    usage:
      "claw sessions 接受 list、search TEXT、show ID、rename ID TITLE、delete ID、export ID [FILE]、import FILE 或 prune。",
    none: "还没有会话。",
    title: `标题为一行，最多 ${MOST_TITLE} 个字符。`,
    yes: (id: string) => `此处无人可问：claw sessions delete ${id} --yes`,
    ask: (id: string, title: string) => `删除会话 ${id}（${title}）及其全部内容？`,
    keys: "y 删除 · n 保留",
    kept: "未删除任何内容。",
    deleted: (id: string) => `已删除 ${id}`
  }
} satisfies Record<Locale, object>

const jsonRow = (meta: SessionMeta): string => {
  const { workspace_id: _id, ...shown } = meta
  return `${JSON.stringify({ ...shown, workspace_state: standing(meta) })}\n`
}

const list = Effect.fnUntraced(function* (json: boolean, locale: Locale) {
  const [index, output] = [yield* SessionIndex, yield* Output]
  const metas = yield* index.list({ limit: Number.MAX_SAFE_INTEGER })
  yield* output.out(metas.map((meta) => (json ? jsonRow(meta) : sessionRow(meta, output.columns(), locale))).join(""))
  if (metas.length === 0 && !json) yield* output.err(`claw: ${texts[locale].none}\n`)
  return EXIT.done
})

const rename = Effect.fnUntraced(function* (text: string, words: ReadonlyArray<string>, json: boolean, locale: Locale) {
  const [index, output] = [yield* SessionIndex, yield* Output]
  const title = words.join(" ").trim()
  if (title === "" || title.length > MOST_TITLE || /\p{Cc}/u.test(title))
    return yield* new Failure({ exit: EXIT.usage, detail: texts[locale].title })
  const { session_id } = yield* sessionNamed(text)
  const meta = yield* index.update(session_id, { title })
  yield* output.out(json ? jsonRow(meta) : sessionRow(meta, output.columns(), locale))
  return EXIT.done
})

const agreed = Effect.fnUntraced(function* (meta: SessionMeta, line: CommandLine, locale: Locale) {
  if (line.switches.has("yes")) return true
  const output = yield* Output
  const text = texts[locale]
  if (!process.stdin.isTTY || !process.stdout.isTTY)
    return yield* new Failure({ exit: EXIT.usage, detail: text.yes(meta.session_id) })
  const terminal = NodeTerminal.layer({ input: process.stdin, output: process.stdout, color: output.color })
  const title = sanitise(meta.title === "" ? "-" : meta.title)
  return yield* Effect.scoped(Effect.provide(askYes([text.ask(meta.session_id, title)], text.keys), terminal))
})

const remove = Effect.fnUntraced(function* (text: string, line: CommandLine, locale: Locale) {
  const [index, output] = [yield* SessionIndex, yield* Output]
  const meta = yield* sessionNamed(text)
  if (!(yield* agreed(meta, line, locale))) {
    yield* output.err(`claw: ${texts[locale].kept}\n`)
    return EXIT.cancelled
  }
  yield* index.remove(meta.session_id, (holder) => !isAlive(holder))
  const { session_id: deleted } = meta
  yield* output.out(
    line.switches.has("json") ? `${JSON.stringify({ deleted })}\n` : `${texts[locale].deleted(deleted)}\n`
  )
  return EXIT.done
})

const act = (line: CommandLine, config: ConfigShape) => {
  const { locale } = config
  const json = line.switches.has("json")
  const [what = "list", first, ...rest] = line.operands
  const usage = Effect.fail(new Failure({ exit: EXIT.usage, detail: texts[locale].usage }))
  if (what === "list") return first === undefined ? list(json, locale) : usage
  if (first === undefined) return usage
  switch (what) {
    case "show":
      return rest.length === 0 ? showSession(first, line, locale) : usage
    case "search":
      return searchSessions([first, ...rest].join(" "), json, locale)
    case "rename":
      return rename(first, rest, json, locale)
    case "delete":
      return rest.length === 0 ? remove(first, line, locale) : usage
    case "export":
      return rest.length < 2 ? exportSession(first, rest[0], line, config) : usage
    case "import":
      return rest.length === 0 ? importSession(first, json, config) : usage
    default:
      return usage
  }
}

export const sessionCommand = (line: CommandLine, config: ConfigShape) =>
  line.operands[0] === "prune" && line.operands.length === 1
    ? pruneSessions(line, config)
    : Effect.suspend(() => Effect.provide(act(line, config), reading(config)))
