/**
 * A word where opening a conversation takes long: its store has to be brought forward, isolation to be tried, a task to
 * be looked after. Owns: when it is said. Invariants: once, at a terminal only, and never behind what it announces.
 */
import { Effect, Fiber } from "effect"
import type { Locale } from "../cli/Commands.ts"
import { Output } from "../cli/Output.ts"

export const SLOW = "1500 millis"

const words = { en: "claw: opening the conversation …", "zh-CN": "claw：正在打开会话 …" } as const

/** Says it after a while, unless what this gives has been run before. */
export const sayWhenSlow = Effect.fnUntraced(function* (locale: Locale, watched: boolean) {
  if (!watched) return Effect.void
  const output = yield* Output
  const saying = yield* Effect.forkChild(Effect.delay(output.err(`${words[locale]}\n`), SLOW))
  return Effect.asVoid(Fiber.interrupt(saying))
})
