/** Sentences about what went wrong or waits, in both languages. One table of codes stands behind them (domain). */
import { budgetText } from "../domain/Budget.ts"
import { type ErrorBody, type ErrorCode, table } from "../domain/ErrorCode.ts"
import { faultInChinese } from "../domain/FaultTexts.ts"
import type { Locale } from "./Commands.ts"

const seconds = (ms: number): string => (ms < 10_000 ? (ms / 1_000).toFixed(1) : String(Math.round(ms / 1_000)))

const sentence = (code: string, locale: Locale): string => {
  const info = code in table ? table[code as ErrorCode] : undefined
  return info === undefined ? code : locale === "zh-CN" ? info.zh : info.en
}

const onlyRead = (records: number, locale: Locale): string =>
  locale === "en"
    ? `${records} ${records === 1 ? "record" : "records"} of this session cannot be read, and may say what still counts: the session can only be read.`
    : `此会话有 ${records} 条记录无法读取，其内容可能仍然有效：此会话只能读取。`

/** What nobody translated is shown as a quotation, so that a sentence is of one language. */
const inChinese = (own: string, detail: string): string => faultInChinese(detail) ?? `${own}（原文：${detail}）`

export const describe = {
  /** The code's own sentence in the person's language; the detail where it says more. */
  error: (error: ErrorBody, locale: Locale): string => {
    if (error.budget !== undefined) return `${budgetText(error.budget, locale)} [${error.code}]`
    const own = sentence(error.code, locale)
    const detail = error.message === table[error.code].en || error.message === own ? "" : error.message
    if (detail === "") return `${own} [${error.code}]`
    if (locale !== "en") return `${inChinese(own, detail)} [${error.code}]`
    // A hook's words are about its own subject, not about what became of the prompt.
    return error.code === "hook_denied" ? `${own} ${detail} [${error.code}]` : `${detail} [${error.code}]`
  },
  /** Why it is tried again; `message`: what exactly is known of it. */
  why: (code: string, message: string | undefined, locale: Locale): string => {
    const own = sentence(code, locale)
    if (message === undefined || message === own) return own
    return locale === "en" ? message : inChinese(own, message)
  },
  waits: (delay_ms: number, code: string, locale: Locale, message?: string): string =>
    locale === "en"
      ? `claw: ${describe.why(code, message, locale)} Trying again in ${seconds(delay_ms)} s.`
      : `claw：${describe.why(code, message, locale)} ${seconds(delay_ms)} 秒后重试。`,
  /** Another model goes on. */
  standsIn: (model: string, code: string, locale: Locale): string =>
    locale === "en"
      ? `${sentence(code, locale)} ${model} goes on in its place for the rest of this task.`
      : `${sentence(code, locale)} 本任务余下部分改由 ${model} 继续。`,
  /** Records of a stored conversation that cannot be read back. */
  damaged: (records: number, locale: Locale, read_only?: true): string => {
    if (read_only === true) return onlyRead(records, locale)
    return locale === "en"
      ? `${records} ${records === 1 ? "record" : "records"} of this session cannot be read; the conversation goes on without ${records === 1 ? "it" : "them"}.`
      : `此会话有 ${records} 条记录无法读取，对话将在缺少它们的情况下继续。`
  },
  /** Above the text of an answer that was cut off for good. */
  unfinished: (locale: Locale): string =>
    locale === "en"
      ? "claw: the answer was cut off and is not on standard output. This much of it came:"
      : "claw：回答未完成，没有写到标准输出。已收到的部分：",
  /** What a hook was to do is not done, and nothing else comes of it. */
  hookFailed: (hook: string, reason: string, locale: Locale): string =>
    locale === "en"
      ? `${hook} ${reason}: what it was to do is not done.`
      : `${hook} 失败，它要做的事没有完成：${reason}`,
  /** Of a task that completed. */
  unasked: (locale: Locale): string =>
    locale === "en"
      ? "a subagent needed an approval and nobody could be asked. [approval_required]"
      : "子代理的操作需要批准，而当前无人可以批准。 [approval_required]",
  retried: (locale: Locale): string => (locale === "en" ? "claw: the answer starts over." : "claw：回答重新开始。")
} as const
