/**
 * `claw sessions prune`: removes what `retention` keeps no longer, and gives the space back (issue 5). Owns: what is
 * told. Does not own: the decision (`store/Retention`), the space (`store/sqlite/Compact`).
 * Invariants: `--dry-run` removes nothing and tells the same; everybody's sessions are counted; one that a living
 * process has, or whose task can go on, stays.
 */
import { existsSync } from "node:fs"
import { Clock, Effect } from "effect"
import type { CommandLine } from "../cli/CommandLine.ts"
import { EXIT, type Locale } from "../cli/Commands.ts"
import { Output } from "../cli/Output.ts"
import { sanitise } from "../cli/Sanitise.ts"
import type { ConfigShape } from "../config/AppConfig.ts"
import { sessionKey } from "../domain/Principal.ts"
import { isAlive } from "../sandbox/ProcessIdentity.ts"
import { Journal } from "../store/Journal.ts"
import { beyond, type Verdict } from "../store/Retention.ts"
import { SessionIndex, type SessionMeta } from "../store/SessionIndex.ts"
import { compact, type Compacted } from "../store/sqlite/Compact.ts"
import { sizes } from "../store/sqlite/Sizes.ts"
import { reading, storeFile } from "./layers.ts"

const mebibytes = (bytes: number): string => (bytes / 1_048_576).toFixed(1)

const texts = {
  en: {
    keeps: "nothing is removed: set retention.days, retention.max_sessions or retention.max_bytes.",
    none: "every session is within the limits.",
    would: (count: number) => `${count} ${count === 1 ? "session" : "sessions"} would be removed.`,
    removed: (count: number) => `removed ${count} ${count === 1 ? "session" : "sessions"}.`,
    stay: (count: number) =>
      `${count} ${count === 1 ? "session stays" : "sessions stay"} beyond the limits: open elsewhere, or with a task that can go on.`,
    space: ({ bytes_before: before, bytes_after: after }: Compacted) =>
      `the store has ${mebibytes(after)} MiB, ${mebibytes(before - after)} MiB less than before.`,
    in_use: (free: number) =>
      `${mebibytes(free)} MiB are free inside the store; they are given back when no other claw has it open.`
  },
  "zh-CN": {
    keeps: "不会删除任何内容：请设置 retention.days、retention.max_sessions 或 retention.max_bytes。",
    none: "所有会话都在限制之内。",
    would: (count: number) => `将删除 ${count} 个会话。`,
    removed: (count: number) => `已删除 ${count} 个会话。`,
    stay: (count: number) => `${count} 个会话超出限制但保留：正在别处打开，或其任务可以继续。`,
    space: ({ bytes_before: before, bytes_after: after }: Compacted) =>
      `存储为 ${mebibytes(after)} MiB，减少了 ${mebibytes(before - after)} MiB。`,
    in_use: (free: number) => `存储内有 ${mebibytes(free)} MiB 空闲；没有其他 claw 打开它时会归还。`
  }
} satisfies Record<Locale, object>

const candidates = Effect.fnUntraced(function* (file: string) {
  const [index, journal] = [yield* SessionIndex, yield* Journal]
  const measured = yield* sizes(file)
  const unfinished = new Set(yield* journal.unfinished)
  const owners = yield* index.owners
  const all = yield* Effect.forEach(owners, (owner) => index.for(owner).list({ limit: Number.MAX_SAFE_INTEGER }))
  return all.flat().map((meta) => {
    const key = sessionKey(meta.owner, meta.session_id)
    const size = measured.get(key)
    const busy = unfinished.has(key) || (size !== undefined && isAlive(size.owner))
    return { key, meta, updated_at: meta.updated_at, bytes: size?.bytes ?? 0, busy }
  })
})

type Candidate = Effect.Success<ReturnType<typeof candidates>>[number]

const line = ({ session, because }: Verdict<Candidate>, json: boolean, dry: boolean): string => {
  const { session_id, title, updated_at }: SessionMeta = session.meta
  if (json)
    return `${JSON.stringify({ session_id, owner: session.meta.owner, updated_at, bytes: session.bytes, because, removed: !dry })}\n`
  const head = `${updated_at.slice(0, 16).replace("T", " ")}  ${session_id}  ${because}`
  return `${head}  ${sanitise(title === "" ? "-" : title).replaceAll("\n", "⏎")}\n`
}

/** False where somebody took it in the meantime. */
const removed = (session: Candidate) =>
  Effect.flatMap(SessionIndex, (index) =>
    index
      .for(session.meta.owner)
      .remove(session.meta.session_id, (holder) => !isAlive(holder))
      .pipe(
        Effect.as(true),
        Effect.catchIf(
          ({ code }) => code === "session_moved" || code === "session_not_found",
          () => Effect.succeed(false)
        )
      )
  )

interface How {
  readonly json: boolean
  readonly dry: boolean
}

/** How many went, or would go, and how many would if nobody had them. */
const sweep = Effect.fnUntraced(function* (
  all: ReadonlyArray<Candidate>,
  retention: ConfigShape["retention"],
  { dry, json }: How
) {
  const now = yield* Clock.currentTimeMillis
  const verdicts = beyond(all, retention, now)
  const free = all.map((one) => ({ ...one, busy: false }))
  const stay = beyond(free, retention, now).filter(({ session }) =>
    all.some(({ busy, key }) => busy && key === session.key)
  )
  const output = yield* Output
  let count = 0
  for (const verdict of verdicts) {
    if (!dry && !(yield* removed(verdict.session))) continue
    count += 1
    yield* output.out(line(verdict, json, dry))
  }
  return { count, stay: stay.length }
})

export const pruneSessions = Effect.fnUntraced(function* (words: CommandLine, config: ConfigShape) {
  const output = yield* Output
  const { locale, retention } = config
  const text = texts[locale]
  const [json, dry] = [words.switches.has("json"), words.switches.has("dry-run")]
  const say = (sentence: string) => (json ? Effect.void : output.err(`claw: ${sentence}\n`))
  const file = storeFile(config)
  const unlimited = Object.values(retention).every((limit) => limit === 0)
  if (unlimited) yield* say(text.keeps)
  const swept = Effect.flatMap(candidates(file), (all) => sweep(all, retention, { json, dry }))
  const { count, stay } = yield* Effect.provide(swept, reading(config))
  if (stay > 0) yield* say(text.stay(stay))
  if (dry) return yield* Effect.as(unlimited ? Effect.void : say(text.would(count)), EXIT.done)
  if (count > 0) yield* say(text.removed(count))
  else if (!unlimited && stay === 0) yield* say(text.none)
  if (!existsSync(file)) return EXIT.done
  const given = yield* compact(file)
  if (json) yield* output.out(`${JSON.stringify({ removed: count, ...given })}\n`)
  else if (given.how === "in_use") yield* say(text.in_use(given.free))
  else if (given.bytes_after < given.bytes_before) yield* say(text.space(given))
  return EXIT.done
})
