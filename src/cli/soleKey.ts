/**
 * Keys at a question outside the conversation (SECURITY P15, P16). Owns: which of them count. Invariants: a paste, a key
 * that comes before the question was seen, and keys that follow each other faster than anybody presses them answer
 * nothing and keep the question closed for longer; only Ctrl-C, which refuses, is heard at once.
 */
import { Clock, Effect } from "effect"
import type { Input } from "./Keyboard.ts"
import { APART_MS, SETTLE_MS, TYPING_MS } from "./question.ts"
import type { Terminal, TerminalInput } from "./Terminal.ts"

/** What the terminal sent meanwhile has been read: a loop that was busy lets timers fire first. */
const oneTurn = Effect.callback<void>((resume) => {
  const immediate = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(immediate))
})

/** As long as an answer has to stay alone. */
export const apart: Effect.Effect<void> = Effect.andThen(Effect.sleep(APART_MS), oneTurn)

export type Heard =
  | { readonly kind: "key"; readonly name: string }
  | { readonly kind: "resize" }
  | { readonly kind: "end" }

type Key = Extract<Input, { kind: "key" }>

interface Keys {
  readonly terminal: Terminal["Service"]
  readonly answers: (name: string) => boolean
  open_at: number
  pressed_at: number
  /** Came right behind an answer. */
  behind: TerminalInput | undefined
}

const isSole = Effect.fnUntraced(function* (keys: Keys, input: Key) {
  const now = yield* Clock.currentTimeMillis
  const isFast = input.together === true || now - keys.pressed_at < APART_MS
  keys.pressed_at = now
  if (now < keys.open_at || isFast) return false
  if (!keys.answers(input.name.toLowerCase())) return true
  keys.behind = yield* Effect.raceFirst(keys.terminal.read, Effect.as(apart, undefined))
  return keys.behind === undefined
})

const next = Effect.fnUntraced(function* (keys: Keys) {
  for (;;) {
    const input: TerminalInput = keys.behind ?? (yield* keys.terminal.read)
    keys.behind = undefined
    if (input.kind === "end" || input.kind === "resize") return input satisfies Heard
    if (input.kind === "key" && input.name === "ctrl+c") return { kind: "key", name: "ctrl+c" } satisfies Heard
    if (input.kind === "key" && (yield* isSole(keys, input)))
      return { kind: "key", name: input.name.toLowerCase() } satisfies Heard
    keys.open_at = Math.max(keys.open_at, (yield* Clock.currentTimeMillis) + TYPING_MS)
  }
})

/** From now on, for a question that was just drawn; `answers`: names, in lower case, that end it. */
export const soleKeys = (terminal: Terminal["Service"], answers: (name: string) => boolean) =>
  Effect.map(Clock.currentTimeMillis, (now): Effect.Effect<Heard> => {
    const keys: Keys = {
      terminal,
      answers,
      open_at: now + SETTLE_MS,
      pressed_at: Number.NEGATIVE_INFINITY,
      behind: undefined
    }
    return next(keys)
  })
