/**
 * The frame that the prompt's state looks like. Pure. Owns: where transcript, question, choices and the line being
 * typed stand. Invariant: the whole of what a question would run reaches the screen or the scrollback (LESSONS 29).
 */
import { aboveKeys, answerLines, approvalLines, placeOf } from "./ApprovalView.ts"
import type { Locale } from "./Commands.ts"
import { layout } from "./lineEditor.ts"
import { lines as picking } from "./picker.ts"
import type { ReplState } from "./replState.ts"
import { isBusy, LEAVE_MS } from "./replState.ts"
import { sanitiseLine } from "./Sanitise.ts"
import { bold, dim } from "./Style.ts"
import { texts } from "./texts.ts"
import type { Frame } from "./Terminal.ts"
import { render } from "./transcriptLines.ts"
import { cut, fold, width, wrap } from "./Width.ts"

export interface ViewOptions {
  readonly columns: number
  readonly rows: number
  readonly color: boolean
  readonly locale: Locale
  readonly now: number
  /** Transcript items printed before. */
  readonly from: number
  /** The question (and how much of it) that the scrollback holds already. */
  readonly printed: string
}

export interface View {
  readonly frame: Frame
  readonly from: number
  readonly printed: string
}

export const PROMPT = "claw> "
const hints = { en: "Ctrl-C again to leave.", "zh-CN": "再按 Ctrl-C 退出。" } as const
const reasons = { en: "why not (Enter to skip): ", "zh-CN": "原因（Enter 跳过）：" } as const
const untaken = {
  en: "That was no answer yet: it came before the question could be read, or was pasted. Press again.",
  "zh-CN": "尚未作答：按键早于问题显示，或来自粘贴。请再按一次。"
} as const
const choose = { en: "for the session, number of the grant: ", "zh-CN": "本会话授权编号：" } as const

const question = (state: ReplState, options: ViewOptions) => {
  const { question: open } = state
  if (open === undefined) return undefined
  const { columns, color, locale, now, rows, printed } = options
  const look = { columns, color, locale, expanded: open.expanded, now, ...placeOf(state.calls, open.request) }
  const lines = approvalLines(open.request, look)
  const key = `${open.request.request_id} ${open.expanded}`
  const last =
    open.phase.kind === "reason"
      ? `${reasons[locale]}${sanitiseLine(open.phase.text)}`
      : open.phase.kind === "command"
        ? sanitiseLine(open.phase.text)
        : open.phase.kind === "grant"
          ? choose[locale]
          : ""
  // One column stays free for the cursor.
  const said = open.untaken === true ? wrap(untaken[locale], columns).map((line) => dim(line, color)) : []
  const tail = last === "" ? said : fold(last, columns - 1, true).slice(-(rows >> 1))
  if (lines.length + tail.length <= rows - 4) return { settled: [], live: [...lines, ...tail], key: "" }
  const settled = printed === key ? [] : aboveKeys(open.request, look)
  return { settled, live: [...answerLines(open.request, look), ...tail], key }
}

const typing = (state: ReplState, { columns, color, locale, now }: ViewOptions) => {
  const { lines, row, column } = layout(state.editor, PROMPT, columns)
  const [first = PROMPT, ...rest] = lines
  const leaving = state.leaving_at !== undefined && now - state.leaving_at < LEAVE_MS
  const parked = isBusy(state) ? 0 : state.waiting.length
  const below = [
    ...(leaving ? [dim(hints[locale], color)] : []),
    ...(parked > 0 ? wrap(texts[locale].parked(parked), columns).map((line) => dim(line, color)) : []),
    ...(state.choices.length === 0
      ? []
      : [dim(cut(state.choices.map((choice) => sanitiseLine(choice)).join("  "), columns), color)])
  ]
  const shown = [bold(PROMPT, color) + first.slice(PROMPT.length), ...rest].map((line) => line)
  return { lines: [...shown, ...below], row, column }
}

export const view = (state: ReplState, options: ViewOptions): View => {
  const { columns, color, locale, now, rows, from } = options
  const transcript = render(state.view, { columns, color, locale, now, from, rows: Math.max(3, Math.floor(rows / 2)) })
  const asked = question(state, options)
  if (asked !== undefined) {
    const settled = [...transcript.settled, ...asked.settled]
    const live = asked.live
    const last = live.at(-1) ?? ""
    const phase = state.question?.phase.kind
    const cursor =
      phase === "reason" || phase === "command" ? { cursor: { row: live.length - 1, column: width(last) } } : {}
    return { frame: { settled, live, ...cursor }, from: transcript.next, printed: asked.key }
  }
  if (state.picker !== undefined) {
    const live = picking(state.picker, { columns, rows, color, locale })
    return { frame: { settled: transcript.settled, live }, from: transcript.next, printed: "" }
  }
  const editor = typing(state, options)
  const gap = transcript.live.length > 0 ? [...transcript.live, ""] : []
  const frame: Frame = {
    settled: transcript.settled,
    live: [...gap, ...editor.lines],
    cursor: { row: gap.length + editor.row, column: editor.column }
  }
  return { frame, from: transcript.next, printed: "" }
}
