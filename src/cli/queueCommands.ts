/** `/continue` and `/drop`: what becomes of the prompts that wait. Owns: what is said of it. Does not own: the queue. */
import { Effect } from "effect"
import type { SessionRuntime } from "../runtime/SessionRuntime.ts"
import type { Locale } from "./Commands.ts"
import type { Done } from "./SlashCommands.ts"

const say = (...lines: ReadonlyArray<string>): Done => ({ lines })

const NONE_WAITS = { en: "no prompt waits", "zh-CN": "没有排队的提示" } satisfies Record<Locale, string>

export const drop = Effect.fnUntraced(function* (session: SessionRuntime, locale: Locale) {
  const { queue } = yield* session.state
  yield* Effect.forEach(queue, ({ prompt_id }) => session.unqueue(prompt_id), { discard: true })
  if (queue.length === 0) return say(NONE_WAITS[locale])
  const prompts = queue.length === 1 ? "1 prompt" : `${queue.length} prompts`
  return say(locale === "en" ? `forgot ${prompts}` : `已放弃 ${queue.length} 个提示`)
})

export const goOn = Effect.fnUntraced(function* (session: SessionRuntime, locale: Locale) {
  const { queue } = yield* session.state
  if (queue.length === 0) return say(NONE_WAITS[locale])
  yield* session.resumeQueue
  return say()
})
