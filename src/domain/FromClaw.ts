/**
 * Prompts that claw itself sends to a model: what a subagent in the background reports, or that it will not, and a
 * reminder. Pure. Owns: their words, and what they say of whom. Does not own: whether a prompt is one (`from` says it).
 * Invariant: what is made here is read here.
 */
const MARK = "(From claw, not from the person.) "

const isFromClaw = (content: string): boolean => content.startsWith(MARK)

/** To a model that gets nowhere: it goes round in a circle, makes one mistake again and again, or only fails. */
export const reminderTexts = {
  repeating:
    `${MARK}The last steps repeat the same calls with the same results. ` +
    "Do something different, or say what blocks you.",
  failingAlike:
    `${MARK}The last steps make the same calls, and these fail with the same errors each time. ` +
    "They will fail again: change what the errors name, take another way, or say what blocks you.",
  failing:
    `${MARK}The last steps all failed. ` +
    "Read what the errors say, look at what there is, do something different, or say what blocks you."
} as const

export interface Report {
  /** Of the subagent. */
  readonly title: string
  readonly failed: boolean
  /** What it said; empty: it was cut off before it could. */
  readonly text: string
}

const CUT = " was cut off before it could report. Its effects may be partial; check before repeating it."

export const reportText = ({ title, failed, text }: Report): string =>
  `${MARK}The subagent "${title}" ${failed ? "failed" : "reports"}:\n${text}`

export const unreportedText = (title: string): string => `${MARK}The subagent "${title}"${CUT}`

/** What a prompt says of the subagent of this title; undefined: it is no such prompt. */
export const reportIn = (content: string, title: string): Report | undefined => {
  if (content === unreportedText(title)) return { title, failed: true, text: "" }
  const heads = [false, true].map((failed) => ({ failed, head: reportText({ title, failed, text: "" }) }))
  const found = heads.find(({ head }) => content.startsWith(head))
  return found === undefined ? undefined : { title, failed: found.failed, text: content.slice(found.head.length) }
}

/** Its first line, without the report: `The subagent "x" reports`; undefined: a person wrote it. */
export const announcement = (content: string): string | undefined =>
  isFromClaw(content) ? content.slice(MARK.length).split("\n", 1)[0]?.replace(/:$/, "") : undefined
