/**
 * `claw sessions search TEXT`: in titles, prompts and answers, whatever the case. Owns: where it looks and what a hit
 * looks like. Reads each journal page by page, so that nothing large is held. Invariant: what cannot be read is counted
 * and told, never silently no hit.
 */
import { Effect } from "effect"
import { EXIT, type Locale } from "../cli/Commands.ts"
import { Output } from "../cli/Output.ts"
import { sanitise } from "../cli/Sanitise.ts"
import { sessionKey } from "../domain/Principal.ts"
import { Journal, type JournalRecord } from "../store/Journal.ts"
import { SessionIndex, type SessionMeta } from "../store/SessionIndex.ts"

/** Hits of one session that are shown. */
const HITS = 3
const AROUND = 40

const texts = {
  en: {
    none: (text: string) => `nothing holds "${text}".`,
    damaged: (count: number) => `${count} stored records cannot be read and were not searched.`
  },
  "zh-CN": {
    none: (text: string) => `没有内容包含 "${text}"。`,
    damaged: (count: number) => `${count} 条存储记录无法读取，未被搜索。`
  }
} satisfies Record<Locale, object>

interface Hit {
  readonly in: "title" | "prompt" | "answer"
  readonly seq?: number
  readonly text: string
}

/** The place in one line: what is around the words. */
const around = (text: string, wanted: string): string | undefined => {
  // A character whose small form is longer would shift the place: then the beginning is shown.
  const small = text.toLowerCase()
  const at = small.indexOf(wanted)
  if (at < 0) return undefined
  const from = small.length === text.length ? Math.max(0, at - AROUND) : 0
  const to = Math.min(text.length, from + wanted.length + 2 * AROUND)
  const piece = text.slice(from, to).toWellFormed().replaceAll(/\s+/g, " ").trim()
  return `${from > 0 ? "…" : ""}${piece}${to < text.length ? "…" : ""}`
}

const saidIn = ({ body }: JournalRecord): Pick<Hit, "in" | "text"> | undefined => {
  switch (body.type) {
    case "task_started":
    case "prompt_queued":
    case "prompt_steered":
      return { in: "prompt", text: body.content }
    case "text_completed":
      return { in: "answer", text: body.content }
    default:
      return undefined
  }
}

const hitsIn = Effect.fnUntraced(function* (meta: SessionMeta, wanted: string) {
  const journal = yield* Journal
  const hits: Array<Hit> = []
  const title = around(meta.title, wanted)
  if (title !== undefined) hits.push({ in: "title", text: title })
  let damaged = 0
  for (let after = 0, more = true; more && hits.length < HITS;) {
    const page = yield* journal.readPublic(sessionKey(meta.owner, meta.session_id), after)
    damaged += page.damaged.length
    for (const record of page.records) {
      const said = saidIn(record)
      const text = said === undefined ? undefined : around(said.text, wanted)
      if (said === undefined || text === undefined || hits.length >= HITS) continue
      hits.push({ in: said.in, ...(record.seq === undefined ? {} : { seq: record.seq }), text })
    }
    after = page.records.at(-1)?.seq ?? after
    more = page.more && page.records.length > 0
  }
  return { hits, damaged }
})

const lines = (meta: SessionMeta, hits: ReadonlyArray<Hit>, json: boolean): string => {
  const { session_id, title, updated_at } = meta
  if (json) return `${JSON.stringify({ session_id, title, updated_at, hits })}\n`
  const head = `${updated_at.slice(0, 16).replace("T", " ")}  ${session_id}  ${sanitise(title === "" ? "-" : title)}\n`
  const of = ({ in: where, seq, text }: Hit) =>
    where === "title" ? "" : `    ${String(seq).padStart(4)} ${where}: ${sanitise(text)}\n`
  return head + hits.map(of).join("")
}

export const searchSessions = Effect.fnUntraced(function* (given: string, json: boolean, locale: Locale) {
  const [index, output] = [yield* SessionIndex, yield* Output]
  const wanted = given.trim().toLowerCase()
  let [found, damaged] = [0, 0]
  for (const meta of yield* index.list({ limit: Number.MAX_SAFE_INTEGER })) {
    const looked = yield* hitsIn(meta, wanted)
    damaged += looked.damaged
    if (looked.hits.length === 0) continue
    found += 1
    if (!(yield* output.out(lines(meta, looked.hits, json)))) return EXIT.done
  }
  if (found === 0 && !json) yield* output.err(`claw: ${texts[locale].none(sanitise(given))}\n`)
  if (damaged === 0) return EXIT.done
  yield* output.err(`claw: ${texts[locale].damaged(damaged)}\n`)
  return EXIT.failed
})
