/**
 * `/sessions`, `/resume` and `/fork`: which session the prompt goes on with. Owns: what is said of it. Does not own: how
 * one is opened or copied.
 */
import { Effect, Schema } from "effect"
import { SessionId } from "../domain/Ids.ts"
import type { SessionRuntime } from "../runtime/SessionRuntime.ts"
import type { SessionMeta } from "../store/SessionIndex.ts"
import type { Locale } from "./Commands.ts"
import { choice, sessionRow } from "./sessionRow.ts"
import type { Around, Done } from "./SlashCommands.ts"

const say = (...lines: ReadonlyArray<string>): Done => ({ lines })
const pick = (locale: Locale, en: string, zh: string): string => (locale === "en" ? en : zh)

export const listed = Effect.fnUntraced(function* (session: SessionRuntime, { sessions, locale }: Around) {
  const [metas, { meta }] = [yield* sessions, yield* session.status]
  return metas.length === 0
    ? say(pick(locale, "no sessions yet", "还没有会话"))
    : say(...metas.slice(0, 20).map((one) => sessionRow(one, meta.workspace)))
})

/** By id, or by the start or end of one; without an argument one of the others is chosen. */
export const resume = Effect.fnUntraced(function* (session: SessionRuntime, argument: string, around: Around) {
  const { locale, sessions, open } = around
  // A whole id is enough where nothing can be listed.
  const listed = argument === "" ? sessions : Effect.orElseSucceed(sessions, () => [])
  const others = (yield* listed).filter((meta) => meta.session_id !== session.session_id)
  const fits = ({ session_id: id }: SessionMeta) => id.startsWith(argument) || id.endsWith(argument)
  const exact = others.filter(({ session_id: id }) => id === argument)
  const found = exact.length > 0 ? exact : others.filter(fits)
  const known = found.length === 0 && Schema.is(SessionId)(argument) ? argument : found[0]?.session_id
  if (known === undefined)
    return say(pick(locale, "there is no such session; /sessions lists them", "没有这个会话；/sessions 列出全部"))
  if (found.length > 1) {
    const title =
      argument === ""
        ? pick(locale, "Go on in which session? (/resume ID)", "继续哪个会话？（/resume ID）")
        : pick(locale, "more than one session fits:", "有多个会话符合：")
    const { meta } = yield* session.status
    return { lines: [], pick: { title, choices: found.map(choice(meta.workspace)) } } satisfies Done
  }
  return { lines: [], go: { session: yield* open(known) } } satisfies Done
})

/** A copy of this session, up to an event where one is named. */
export const fork = Effect.fnUntraced(function* (
  session: SessionRuntime,
  argument: string,
  { fork: copy, locale }: Around
) {
  if (copy === undefined) return say(pick(locale, "a server's session is copied over HTTP", "服务器会话通过 HTTP 复制"))
  if (argument !== "" && !/^\d{1,15}$/.test(argument))
    return say(pick(locale, "/fork [SEQ]: the number of an event", "/fork [SEQ]：事件编号"))
  const made = yield* copy(session.session_id, argument === "" ? undefined : Number(argument))
  const note = pick(locale, `this is a copy now: ${made.session_id}`, `现在是副本：${made.session_id}`)
  return { lines: [note], go: { session: made } } satisfies Done
})
