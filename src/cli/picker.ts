/**
 * A choice among many at the prompt: pure, (picker, key) → picker or an end. Owns: which key means what, what typing
 * narrows it to, and how it looks. Invariants: only Enter chooses, and what is chosen was on the screen; a paste only
 * narrows.
 */
import type { Input } from "./Keyboard.ts"
import type { Locale } from "./Commands.ts"
import { sanitiseLine } from "./Sanitise.ts"
import { bold, dim } from "./Style.ts"
import { cut } from "./Width.ts"

export interface Pick {
  readonly title: string
  readonly choices: ReadonlyArray<Choice>
}

/** `command`: what choosing it does, as if it had been typed. */
export interface Choice {
  readonly label: string
  readonly command: { readonly name: string; readonly argument: string }
}

export interface Picker extends Pick {
  /** Of the choices that fit. */
  readonly at: number
  /** What was typed. */
  readonly wanted: string
}

export type Step = { readonly picker: Picker } | { readonly chosen: Choice } | { readonly closed: true }

export const open = (pick: Pick): Picker => ({ ...pick, at: 0, wanted: "" })

export const fitting = ({ choices, wanted }: Picker): ReadonlyArray<Choice> => {
  const words = wanted.toLowerCase().split(/\s+/)
  return choices.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)))
}

const PAGE = 10

const moves: Readonly<Record<string, number>> = {
  up: -1,
  "ctrl+p": -1,
  down: 1,
  "ctrl+n": 1,
  tab: 1,
  pageUp: -PAGE,
  pageDown: PAGE,
  home: Number.NEGATIVE_INFINITY,
  end: Number.POSITIVE_INFINITY
}

const narrowed = (picker: Picker, wanted: string): Step => ({ picker: { ...picker, wanted, at: 0 } })

export const press = (picker: Picker, input: Input): Step => {
  if (input.kind === "paste") return narrowed(picker, picker.wanted + (input.text.split("\n", 1)[0] ?? ""))
  const found = fitting(picker)
  const by = Object.hasOwn(moves, input.name) ? moves[input.name] : undefined
  if (by !== undefined) return { picker: { ...picker, at: Math.max(0, Math.min(found.length - 1, picker.at + by)) } }
  switch (input.name) {
    case "enter": {
      const chosen = found[picker.at]
      return chosen === undefined ? { picker } : { chosen }
    }
    case "escape":
    case "ctrl+c":
    case "ctrl+d":
      return { closed: true }
    case "backspace":
      return narrowed(picker, Array.from(picker.wanted).slice(0, -1).join(""))
    case "ctrl+u":
      return narrowed(picker, "")
    default:
      return input.text === "" ? { picker } : narrowed(picker, picker.wanted + input.text)
  }
}

const hints = {
  en: "type to narrow · ↑ ↓ Enter · Esc leaves it",
  "zh-CN": "输入以筛选 · ↑ ↓ Enter · Esc 取消"
} as const
const nothing = { en: "nothing fits", "zh-CN": "没有符合的项" } as const

export interface LooksOptions {
  readonly columns: number
  readonly rows: number
  readonly color: boolean
  readonly locale: Locale
}

/** Title and what was typed, the choices around the chosen one, the keys. */
export const lines = (picker: Picker, { columns, rows, color, locale }: LooksOptions): ReadonlyArray<string> => {
  const found = fitting(picker)
  const room = Math.max(1, Math.min(found.length, rows - 5))
  const from = Math.max(0, Math.min(found.length - room, picker.at - (room >> 1)))
  const shown = found.slice(from, from + room).map(({ label }, i) => {
    const line = cut(`${from + i === picker.at ? "› " : "  "}${sanitiseLine(label)}`, columns)
    return from + i === picker.at ? bold(line, color) : line
  })
  const rest = found.length > room ? [dim(`  ${from + 1}–${from + room} / ${found.length}`, color)] : []
  const head = cut(`${picker.title} ${sanitiseLine(picker.wanted)}`, columns)
  return [
    head,
    ...(found.length === 0 ? [`  ${nothing[locale]}`] : shown),
    ...rest,
    dim(cut(hints[locale], columns), color)
  ]
}
