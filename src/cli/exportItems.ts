/**
 * What an exported conversation shows, in order: a reading of its facts. Pure. Owns: which facts a reader wants and
 * their words in both languages. Does not own: Markdown or HTML. Invariant: every text of a person, a model or a tool
 * in it went through `clean`.
 */
import { type DurableBody, isNested } from "../domain/Event.ts"
import type { Locale } from "./Commands.ts"

export type Item =
  | { readonly kind: "prompt"; readonly seq: number; readonly ts: string; readonly text: string }
  | { readonly kind: "answer"; readonly seq: number; readonly text: string; readonly reasoning: string }
  | { readonly kind: "call"; readonly seq: number; readonly tool: string; readonly text: string }
  | {
      readonly kind: "result"
      readonly seq: number
      readonly tool: string
      readonly note: string
      readonly text: string
    }
  | { readonly kind: "note"; readonly seq: number; readonly text: string }

export interface Fact {
  readonly seq: number
  readonly ts: string
  readonly body: DurableBody
}

export const exportWords = {
  en: {
    session: "Session",
    directory: "Directory",
    created: "Created",
    model: "Model",
    prompt: "Prompt",
    answer: "Answer",
    reasoning: "Reasoning",
    untitled: "Untitled session",
    compacted: "The conversation before this point was summarised:",
    shortened: "Long results before this point were shortened for the model.",
    cleared: "The conversation starts afresh from here.",
    canceled: "The task was stopped.",
    failed: (code: string, message: string) => `The task failed: ${message} [${code}]`,
    decided: (decision: string, via: string) => `${decision} (${via})`
  },
  "zh-CN": {
    session: "会话",
    directory: "目录",
    created: "创建于",
    model: "模型",
    prompt: "提示",
    answer: "回答",
    reasoning: "思考",
    untitled: "未命名会话",
    compacted: "此前的对话已被概括：",
    shortened: "此前较长的结果已为模型缩短。",
    cleared: "对话从这里重新开始。",
    canceled: "任务已停止。",
    failed: (code: string, message: string) => `任务失败：${message} [${code}]`,
    decided: (decision: string, via: string) => `${decision}（${via}）`
  }
} satisfies Record<Locale, object>

const itemOf = ({ seq, ts, body }: Fact, clean: (text: string) => string, locale: Locale): Item | undefined => {
  const words = exportWords[locale]
  switch (body.type) {
    case "task_started":
      return { kind: "prompt", seq, ts, text: clean(body.content) }
    case "prompt_steered":
      return body.from === undefined
        ? { kind: "prompt", seq, ts, text: clean(body.content) }
        : { kind: "note", seq, text: clean(body.content) }
    case "text_completed":
      return body.content === "" && body.reasoning === undefined
        ? undefined
        : { kind: "answer", seq, text: clean(body.content), reasoning: clean(body.reasoning ?? "") }
    case "tool_call":
      return { kind: "call", seq, tool: clean(body.tool_name), text: clean(body.content) }
    case "approval_resolved":
      return body.via === "policy" && body.decision !== "deny"
        ? undefined
        : { kind: "note", seq, text: words.decided(body.decision, body.via) }
    case "tool_result": {
      const ended = body.exit_code === undefined ? body.status : `${body.status}, exit ${body.exit_code}`
      return { kind: "result", seq, tool: clean(body.tool_name), note: ended, text: clean(body.result) }
    }
    case "compacted":
      return {
        kind: "note",
        seq,
        text: body.summary === "" ? words.shortened : `${words.compacted} ${clean(body.summary)}`
      }
    case "cleared":
      return { kind: "note", seq, text: words.cleared }
    case "task_canceled":
      return { kind: "note", seq, text: words.canceled }
    case "task_failed":
      return { kind: "note", seq, text: words.failed(body.error.code, clean(body.error.message)) }
    default:
      return undefined
  }
}

/** A conversation is its task's: what a subagent did is in its call's result. */
export const itemsOf = (facts: ReadonlyArray<Fact>, clean: (text: string) => string, locale: Locale) =>
  facts.flatMap((fact) => (isNested(fact.body) ? [] : (itemOf(fact, clean, locale) ?? [])))
