/**
 * `claw audit`: every decision of this store, whoever's, filtered, as text or as JSON lines; `--verify` proves the chain.
 * Owns: what the options mean and how entries and faults look. Invariants: an entry is one line; exit 1 where the chain
 * has a fault or an entry cannot be read, 2 where an option is not understood.
 */
import { Clock, Effect } from "effect"
import type { AuditEntry, Head } from "../approval/Audit.ts"
import { AuditLog, type AuditQuery, type Fault } from "../approval/AuditLog.ts"
import type { CommandLine } from "../cli/CommandLine.ts"
import { EXIT, type Locale } from "../cli/Commands.ts"
import { Output } from "../cli/Output.ts"
import { sanitise } from "../cli/Sanitise.ts"
import type { ConfigShape } from "../config/AppConfig.ts"
import { Failure } from "./failure.ts"
import { reading } from "./layers.ts"
import { sessionIdOf } from "./workspace.ts"

const PAGE = 500
const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

const texts = {
  en: {
    since: "--since is a time (2026-01-31T08:00:00Z) or how long ago (90m, 8h, 7d).",
    anchor: "--anchor is what --verify printed: a number, a colon and 64 hex digits. It needs --verify.",
    alone: "--verify looks at the whole chain: it goes with --anchor and --json only.",
    none: "no such decisions.",
    damaged: (n: number) => `${n} stored ${n === 1 ? "entry" : "entries"} cannot be read. Try: claw audit --verify`,
    whole: (n: number) => `the audit is whole: ${n} ${n === 1 ? "entry" : "entries"}.`,
    keep: (anchor: string) => `To notice later whether its end was cut off, keep this elsewhere: --anchor ${anchor}`,
    faulty: (n: number) => `the audit is not whole: ${n} ${n === 1 ? "fault" : "faults"}.`
  },
  "zh-CN": {
    since: "--since 是时间（2026-01-31T08:00:00Z）或多久之前（90m、8h、7d）。",
    anchor: "--anchor 是 --verify 打印的值：数字、冒号和 64 位十六进制。需与 --verify 一起使用。",
    alone: "--verify 检查整条链：只能与 --anchor 和 --json 一起使用。",
    none: "没有符合的决定。",
    damaged: (n: number) => `${n} 条记录无法读取。请尝试：claw audit --verify`,
    whole: (n: number) => `审计完整：${n} 条。`,
    keep: (anchor: string) => `若要日后发现末尾被删，请另行保存：--anchor ${anchor}`,
    faulty: (n: number) => `审计不完整：${n} 处问题。`
  }
} satisfies Record<Locale, object>

const refuse = (detail: string) => new Failure({ exit: EXIT.usage, detail })

const sinceOf = Effect.fnUntraced(function* (text: string, locale: Locale) {
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? []
  const ago = Number(count) * (UNITS[unit ?? ""] ?? Number.NaN)
  const now = yield* Clock.currentTimeMillis
  const at = count === undefined && /^\d{4}-/.test(text) ? Date.parse(text) : now - ago
  if (Number.isNaN(at)) return yield* refuse(texts[locale].since)
  return new Date(at).toISOString()
})

const queryOf = Effect.fnUntraced(function* ({ values }: CommandLine, locale: Locale) {
  const { session, tool, decision, since } = values
  return {
    ...(session === undefined ? {} : { session: yield* sessionIdOf(session) }),
    ...(tool === undefined ? {} : { tool }),
    ...(decision === undefined ? {} : { decision }),
    ...(since === undefined ? {} : { since: yield* sinceOf(since, locale) })
  } satisfies AuditQuery
})

const shown = (text: string) => sanitise(text).replaceAll("\n", "⏎").slice(0, 300)

const row = (entry: AuditEntry): string => {
  const { tenant, project, user, kind, decision, via, rule, grant_id, who, reason = "" } = entry
  const because = [via === undefined ? "" : `via ${via}`, rule === undefined ? "" : `(${rule})`, grant_id ?? ""]
  const fields = [
    String(entry.n).padStart(5),
    entry.when.slice(0, 19).replace("T", " "),
    `${tenant}/${project}/${user}`,
    entry.session_id,
    decision ?? kind,
    entry.tool_name ?? "",
    ...because,
    who === undefined ? "" : `by ${who}`,
    reason === "" ? "" : `: ${reason}`,
    // Last, so that nothing in it can pass for another field.
    entry.shown === undefined ? "" : `about: ${entry.shown}`
  ]
  return `${fields
    .filter((field) => field !== "")
    .map(shown)
    .join("  ")}\n`
}

const list = Effect.fnUntraced(function* (line: CommandLine, locale: Locale) {
  const [audit, output] = [yield* AuditLog, yield* Output]
  const query = yield* queryOf(line, locale)
  const json = line.switches.has("json")
  let [count, damaged] = [0, 0]
  for (
    let page = yield* audit.page({ ...query, limit: PAGE });
    ;
    page = yield* audit.page({ ...query, after: page.next, limit: PAGE })
  ) {
    count += page.entries.length
    damaged += page.damaged.length
    const lines = page.entries.map((entry) => (json ? `${JSON.stringify(entry)}\n` : row(entry)))
    if (!(yield* output.out(lines.join("")))) break
    if (page.next === undefined) break
  }
  if (count === 0 && !json) yield* output.err(`claw: ${texts[locale].none}\n`)
  if (damaged === 0) return EXIT.done
  yield* output.err(`claw: ${texts[locale].damaged(damaged)}\n`)
  return EXIT.failed
})

const anchorOf = (text: string): Head | undefined => {
  const [, n, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? []
  return n === undefined || hash === undefined ? undefined : { n: Number(n), hash }
}

const faultLine = ({ kind, n, detail }: Fault): string =>
  `${kind.toUpperCase().padEnd(9)} ${n === undefined ? "" : `${n}: `}${shown(detail)}\n`

const verify = Effect.fnUntraced(function* (line: CommandLine, locale: Locale) {
  const [audit, output] = [yield* AuditLog, yield* Output]
  const { anchor: given, ...others } = line.values
  const anchor = given === undefined ? undefined : anchorOf(given)
  if (given !== undefined && anchor === undefined) return yield* refuse(texts[locale].anchor)
  if (["session", "tool", "decision", "since"].some((name) => name in others)) return yield* refuse(texts[locale].alone)
  const { entries, head, faults } = yield* audit.verify(anchor)
  const kept = `${head.n}:${head.hash}`
  if (line.switches.has("json")) {
    yield* output.out(`${JSON.stringify({ whole: faults.length === 0, entries, anchor: kept, faults })}\n`)
  } else if (faults.length === 0) {
    yield* output.out(`${texts[locale].whole(entries)}\n${texts[locale].keep(kept)}\n`)
  } else {
    yield* output.out(faults.map(faultLine).join(""))
    yield* output.err(`claw: ${texts[locale].faulty(faults.length)}\n`)
  }
  return faults.length === 0 ? EXIT.done : EXIT.failed
})

export const auditCommand = (line: CommandLine, config: ConfigShape) => {
  const { locale } = config
  if (line.switches.has("verify")) return Effect.provide(verify(line, locale), reading(config))
  if (line.values["anchor"] !== undefined) return Effect.fail(refuse(texts[locale].anchor))
  return Effect.provide(list(line, locale), reading(config))
}
