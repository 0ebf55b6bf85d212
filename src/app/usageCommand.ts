/**
 * `claw usage`: what this person's sessions spent, by day, model and session, without a model (R122, R326). Owns: what the
 * operand means, what is read. Does not own: how it looks (UsageView). Invariant: sums are the store's own; no history is
 * read for them, and removed sessions stay in days and models.
 */
import { Effect } from "effect"
import type { CommandLine } from "../cli/CommandLine.ts"
import { EXIT, type Locale } from "../cli/Commands.ts"
import { Output } from "../cli/Output.ts"
import { type Group, GROUPS, reportOf, type Row, usageLines } from "../cli/UsageView.ts"
import type { ConfigShape } from "../config/AppConfig.ts"
import { nothing } from "../store/Spent.ts"
import { SessionIndex } from "../store/SessionIndex.ts"
import { Failure } from "./failure.ts"
import { reading } from "./layers.ts"

const usage: Readonly<Record<Locale, string>> = {
  en: "claw usage takes day, model or session; without one it shows all three.",
  "zh-CN": "claw usage 接受 day、model 或 session；不带参数则显示全部。"
}

const read = Effect.gen(function* () {
  const index = yield* SessionIndex
  const metas = yield* index.list({ limit: Number.MAX_SAFE_INTEGER })
  const spent = yield* index.spentBy(metas.map(({ session_id }) => session_id))
  const sessions = metas.map(({ session_id, title }) => ({
    session_id,
    name: title === "" ? session_id : title,
    usage: spent.get(session_id) ?? nothing
  }))
  return { sessions, report: reportOf(yield* index.spentModels, sessions) }
})

const json = ({ sessions, report }: Effect.Success<typeof read>, groups: ReadonlyArray<Group>): string => {
  const named = (rows: ReadonlyArray<Row>, key: string) =>
    rows.map(({ name, usage, partly }) => ({ [key]: name, ...usage, ...(partly ? { partly_unknown: true } : {}) }))
  const all = {
    day: named(report.day, "day"),
    model: named(report.model, "model"),
    session: sessions.map(({ session_id, name: title, usage }) => ({ session_id, title, ...usage }))
  }
  const { usage: total, partly } = report.total
  const told = Object.fromEntries(groups.map((group) => [`${group}s`, all[group]]))
  return `${JSON.stringify({ total: { ...total, ...(partly ? { partly_unknown: true } : {}) }, ...told })}\n`
}

export const usageCommand = Effect.fnUntraced(function* (line: CommandLine, config: ConfigShape) {
  const output = yield* Output
  const [operand] = line.operands
  const named = GROUPS.find((group) => group === operand)
  if (operand !== undefined && named === undefined)
    return yield* new Failure({ exit: EXIT.usage, detail: usage[config.locale] })
  const groups = named === undefined ? GROUPS : [named]
  const found = yield* Effect.provide(read, reading(config))
  const text = line.switches.has("json")
    ? json(found, groups)
    : usageLines(found.report, groups, config.locale)
        .map((one) => `${one.trimEnd()}\n`)
        .join("")
  yield* output.out(text)
  return EXIT.done
})
