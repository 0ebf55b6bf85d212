/**
 * `claw replay SESSION`: rebuilds a stored session with the network off and says where it is not the same (issue 5).
 * Owns: what the options mean, the timeline, and how a difference looks. Exit 0: the same; 1: it differs; 2: usage.
 */
import { Effect } from "effect"
import type { CommandLine } from "../cli/CommandLine.ts"
import { EXIT, type Locale } from "../cli/Commands.ts"
import { Output } from "../cli/Output.ts"
import { sanitise } from "../cli/Sanitise.ts"
import { cut } from "../cli/Width.ts"
import type { ConfigShape } from "../config/AppConfig.ts"
import { sessionKey } from "../domain/Principal.ts"
import { pendingApprovals } from "../domain/Session.ts"
import { type Difference, replay, type Replayed } from "../eval/Replay.ts"
import type { JournalRecord } from "../store/Journal.ts"
import { Failure } from "./failure.ts"
import { reading } from "./layers.ts"
import { sessionNamed } from "./sessionNamed.ts"

const texts = {
  en: {
    usage: "claw replay takes a session: claw replay ID [--until SEQ] [--timeline]",
    until: "--until is the number of an event.",
    same: ({ events, requests }: Replayed) => `the same: ${events} events, ${requests} requests to the model.`,
    unrecorded: (turns: number) =>
      `${turns} ${turns === 1 ? "turn has" : "turns have"} no record of the request (an older claw, or cut off before it was stored).`,
    differs: ({ pos, seq, type, what, byte }: Difference) =>
      `differs at ${seq === undefined ? `record ${pos}` : `event ${seq}`} (${type}), byte ${byte}: ${what}`,
    stored: "stored ",
    rebuilt: "rebuilt"
  },
  "zh-CN": {
    usage: "claw replay 需要一个会话：claw replay ID [--until SEQ] [--timeline]",
    until: "--until 为事件编号。",
    same: ({ events, requests }: Replayed) => `一致：${events} 个事件，${requests} 次模型请求。`,
    unrecorded: (turns: number) => `${turns} 轮没有请求记录（由旧版 claw 产生，或在存储前中断）。`,
    differs: ({ pos, seq, type, what, byte }: Difference) =>
      `在${seq === undefined ? `记录 ${pos}` : `事件 ${seq}`}（${type}）第 ${byte} 字节处不同：${what}`,
    stored: "存储",
    rebuilt: "重建"
  }
} satisfies Record<Locale, object>

/** Characters around the first difference. */
const BEFORE = 40
const WINDOW = 160

const windowed = (text: string, byte: number): string => {
  const at = Buffer.from(text).subarray(0, byte).toString().length
  const from = Math.max(0, at - BEFORE)
  const piece = text.slice(from, from + WINDOW).toWellFormed()
  return `${from > 0 ? "…" : ""}${sanitise(piece).replaceAll("\n", "⏎")}${from + WINDOW < text.length ? "…" : ""}`
}

const differenceLines = (difference: Difference, locale: Locale): string => {
  const text = texts[locale]
  const { byte, stored, rebuilt } = difference
  const line = (name: string, value: string) => `  ${name} ${windowed(value, byte)}\n`
  return `${text.differs(difference)}\n${line(text.stored, stored)}${line(text.rebuilt, rebuilt)}`
}

const brief = ({ body }: JournalRecord): string => {
  if (body.type === "model_request") return `turn ${body.turn} ${body.digest.slice(0, 16)}`
  if (body.type === "usage") return `${body.usage.input_tokens} → ${body.usage.output_tokens}`
  if (body.type === "approval_resolved") return `${body.decision} via ${body.via}`
  if (body.type === "tool_result") return `${body.tool_name} ${body.status} ${body.result}`
  if (body.type === "tool_call") return `${body.tool_name} ${body.content}`
  if (body.type === "task_failed") return body.error.code
  return "content" in body ? body.content : ""
}

/** Seconds since the first record, numbers, type and the beginning of what it says. */
const timelineLine = (record: JournalRecord, start: number, json: boolean): string => {
  const { pos, seq, ts, body } = record
  const ms = Date.parse(ts) - start
  if (json) return `${JSON.stringify({ pos, ...(seq === undefined ? {} : { seq }), ts, ms, type: body.type })}\n`
  const said = cut(sanitise(brief(record)).replaceAll("\n", "⏎"), 80)
  const at = `${(ms / 1_000).toFixed(3)}s`.padStart(11)
  return `${`${at} ${String(seq ?? "-").padStart(5)}  ${body.type.padEnd(18)} ${said}`.trimEnd()}\n`
}

const summary = (id: string, { state, difference, ...rest }: Replayed): object => ({
  session_id: id,
  same: difference === undefined,
  ...rest,
  task: state.task?.task_id,
  turn: state.task?.turn,
  history: state.history.length,
  waiting: state.queue.length,
  pending_approvals: pendingApprovals(state).map(({ request_id }) => request_id),
  usage: state.usage,
  difference
})

const untilOf = ({ values: { until } }: CommandLine, locale: Locale) => {
  if (until === undefined) return Effect.succeed({})
  return /^\d{1,15}$/.test(until)
    ? Effect.succeed({ until: Number(until) })
    : Effect.fail(new Failure({ exit: EXIT.usage, detail: texts[locale].until }))
}

const run = Effect.fnUntraced(function* (line: CommandLine, { locale }: ConfigShape) {
  const output = yield* Output
  const json = line.switches.has("json")
  const text = texts[locale]
  const [named] = line.operands
  if (named === undefined) return yield* new Failure({ exit: EXIT.usage, detail: text.usage })
  const until = yield* untilOf(line, locale)
  const { owner, session_id } = yield* sessionNamed(named)
  const timeline: Array<string> = []
  let start: number | undefined
  const each = (record: JournalRecord) => {
    start ??= Date.parse(record.ts)
    timeline.push(timelineLine(record, start, json))
  }
  const found = yield* replay(sessionKey(owner, session_id), line.switches.has("timeline") ? { ...until, each } : until)
  yield* output.out(timeline.join(""))
  if (json) yield* output.out(`${JSON.stringify(summary(session_id, found))}\n`)
  else if (found.difference !== undefined) yield* output.out(differenceLines(found.difference, locale))
  else yield* output.out(`${text.same(found)}\n`)
  if (found.unrecorded > 0 && !json) yield* output.err(`claw: ${text.unrecorded(found.unrecorded)}\n`)
  return found.difference === undefined ? EXIT.done : EXIT.failed
})

export const replayCommand = (line: CommandLine, config: ConfigShape) =>
  Effect.provide(run(line, config), reading(config))
