/** `claw sessions`: what is stored, without a model. Owns: how a list and a session look as text and as JSON lines. */
import { Effect } from "effect"
import { EXIT, type Locale } from "../cli/Commands.ts"
import { describe } from "../cli/Complaint.ts"
import { Output } from "../cli/Output.ts"
import { sanitise } from "../cli/Sanitise.ts"
import { cut } from "../cli/Width.ts"
import type { SessionId } from "../domain/Ids.ts"
import { sessionKey } from "../domain/Principal.ts"
import { Journal } from "../store/Journal.ts"
import { SessionIndex, type SessionMeta } from "../store/SessionIndex.ts"

const row = (meta: SessionMeta, columns: number): string => {
  const title = sanitise(meta.title === "" ? "-" : meta.title)
  const head = `${meta.updated_at.slice(0, 16).replace("T", " ")}  ${meta.session_id}  `
  return `${head}${cut(title, Math.max(20, columns - head.length))}\n`
}

export const listSessions = Effect.fnUntraced(function* (json: boolean) {
  const [index, output] = [yield* SessionIndex, yield* Output]
  const metas = yield* index.list()
  const lines = metas.map((meta) => (json ? `${JSON.stringify(meta)}\n` : row(meta, output.columns())))
  yield* output.out(lines.join(""))
  if (metas.length === 0 && !json) yield* output.err("claw: no sessions yet.\n")
  return EXIT.done
})

/** Every public event of a session, one JSON object a line; with neither flag a readable form of the same. */
export const showSession = Effect.fnUntraced(function* (id: SessionId, json: boolean, locale: Locale) {
  const [index, journal, output] = [yield* SessionIndex, yield* Journal, yield* Output]
  const meta = yield* index.get(id)
  if (!json) yield* output.out(row(meta, output.columns()))
  let damaged = 0
  for (let after = 0, more = true; more;) {
    const page = yield* journal.read(sessionKey(meta.owner, id), after)
    damaged += page.damaged.length
    const shown = page.records.filter((record) => record.seq !== undefined)
    const lines = shown.map((record) => {
      if (json) {
        const { seq, event_id, ts, body } = record
        return `${JSON.stringify({ v: 1, session_id: id, seq, event_id, ts, ...body })}\n`
      }
      const text = "content" in record.body ? record.body.content : "result" in record.body ? record.body.result : ""
      return `${String(record.seq).padStart(4)} ${record.body.type.padEnd(18)} ${cut(sanitise(text).replaceAll("\n", "⏎"), 100)}\n`
    })
    if (!(yield* output.out(lines.join("")))) break
    after = page.records.at(-1)?.pos ?? after
    more = page.more
  }
  if (damaged === 0) return EXIT.done
  yield* output.err(`claw: ${describe.damaged(damaged, locale)}\n`)
  return EXIT.failed
})
