/** The sentences of the screen in both languages: one table, equal keys. What errors say is the domain's own table. */
import type { Decision, Risk } from "../domain/Approval.ts"
import type { StateName, ToolStatus, Waits } from "../domain/Event.ts"
import type { Locale } from "./Commands.ts"

export interface Texts {
  readonly toolStatus: Readonly<Record<ToolStatus, string>>
  readonly state: Readonly<Record<StateName, string>>
  readonly waits: Readonly<Record<Waits, string>>
  readonly risk: Readonly<Record<Risk, string>>
  readonly decision: Readonly<Record<Decision, string>>
  readonly exit: (code: number) => string
  readonly signal: (name: string) => string
  readonly truncated: string
  readonly thought: (duration: string | undefined) => string
  readonly interrupted: string
  readonly superseded: string
  /** A failure cut it off. */
  readonly broken: string
  /** Whole answers that their server ended before the model did. */
  readonly overlong: string
  readonly filtered: string
  readonly canceled: string
  readonly queued: string
  readonly parked: (prompts: number) => string
  readonly cleared: string
  readonly compacted: (before: string, after: string, summarised: boolean) => string
  /** Behind it, where no model wrote the summary. */
  readonly digested: (why: string) => string
  readonly waitsForApproval: string
  readonly background: string
  /** Nothing is asked of the model any more: hooks run. */
  readonly finishing: string
  /** The answer is there, and its task goes on. */
  readonly waitsForBackground: string
  readonly starting: string
  readonly retrying: (seconds: number, attempt: number) => string
  readonly tokens: (input: string, output: string, cached: string | undefined) => string
  readonly estimated: string
  readonly above: (lines: number | undefined) => string
  readonly hidden: (lines: number) => string
  readonly empty: (lines: number) => string
  readonly lines: (count: number) => string
  readonly approval: string
  readonly place: (at: number, of: number, subagent: string | undefined) => string
  readonly recovery: string
  readonly subagent: (title: string) => string
  readonly reason: string
  readonly expires: (time: string) => string
  readonly expired: (time: string) => string
  readonly sessionGrants: string
  readonly keys: string
  readonly keysNoSession: string
  readonly recoveryKeys: string
  readonly asOneLine: string
}

const en: Texts = {
  toolStatus: {
    ok: "ok",
    error: "error",
    denied: "denied",
    cancelled: "cancelled",
    timeout: "timed out",
    uncertain: "outcome unknown"
  },
  state: {
    idle: "ready",
    preparing: "preparing",
    waiting_response: "thinking",
    waiting_approval: "waiting for your answer",
    executing_tools: "running tools",
    appending: "saving",
    cancelling: "cancelling",
    suspended: "suspended"
  },
  waits: { summary: "summarising the conversation", hooks: "asking hooks" },
  risk: { safe: "safe", mutating: "changes files", dangerous: "dangerous" },
  decision: { allow_once: "allowed once", allow_session: "allowed for the session", deny: "denied" },
  exit: (code) => `exit ${code}`,
  signal: (name) => `signal ${name}`,
  truncated: "output cut short",
  thought: (duration) => (duration === undefined ? "thought" : `thought for ${duration}`),
  interrupted: "(interrupted here)",
  superseded: "The answer above was cut off and does not count; it starts over.",
  broken: "(cut off here)",
  overlong: "The answer is cut off here: it reached the output limit.",
  filtered: "The answer is cut off here: the server's content filter ended it.",
  canceled: "Cancelled.",
  queued: "waits for its turn",
  parked: (prompts) =>
    `${prompts} ${prompts === 1 ? "prompt waits" : "prompts wait"}: /continue starts, /drop forgets.`,
  cleared: "The conversation starts afresh from here.",
  compacted: (before, after, summarised) =>
    `${summarised ? "Earlier conversation summarised" : "Earlier results shortened"}: ${before} → ${after} tokens.`,
  digested: (why) => `No model wrote that summary, it is claw's own digest: ${why}`,
  waitsForApproval: "waits for approval",
  background: "in the background",
  finishing: "finishing",
  waitsForBackground: "waiting for what runs in the background",
  starting: "waits",
  retrying: (seconds, attempt) => `trying again in ${seconds} s (attempt ${attempt})`,
  tokens: (input, output, cached) => `${input} in${cached === undefined ? "" : ` (${cached} cached)`} · ${output} out`,
  estimated: "estimated",
  above: (lines) => (lines === undefined ? "… more above" : `… ${lines} more ${lines === 1 ? "line" : "lines"} above`),
  hidden: (lines) => `… ${lines} hidden ${lines === 1 ? "line" : "lines"} · press e to see all …`,
  empty: (lines) => `… ${lines} empty lines …`,
  lines: (count) => `${count} ${count === 1 ? "line" : "lines"}`,
  approval: "Approval needed",
  place: (at, of, subagent) =>
    `call ${at} of ${of} of ${subagent === undefined ? "this answer" : `an answer of ${subagent}`}; they run when all have been decided`,
  subagent: (title) => `subagent ${title}`,
  recovery: "Interrupted call: it may or may not have happened",
  reason: "why",
  expires: (time) => `expires at ${time}`,
  expired: (time) => `expired at ${time}`,
  sessionGrants: "For the session (s, or s and its number):",
  keys: "y once · s session · n deny · e explain",
  keysNoSession: "y once · n deny · e explain",
  recoveryKeys: "r run it again · k skip it · x stop the task, then Enter; or a new prompt",
  asOneLine: "arguments"
}

const zh: Texts = {
  toolStatus: {
    ok: "成功",
    error: "出错",
    denied: "已拒绝",
    cancelled: "已取消",
    timeout: "超时",
    uncertain: "结果未知"
  },
  state: {
    idle: "就绪",
    preparing: "准备中",
    waiting_response: "思考中",
    waiting_approval: "等待你的答复",
    executing_tools: "正在运行工具",
    appending: "保存中",
    cancelling: "正在取消",
    suspended: "已挂起"
  },
  waits: { summary: "正在概括对话", hooks: "正在询问钩子" },
  risk: { safe: "安全", mutating: "会修改文件", dangerous: "危险" },
  decision: { allow_once: "已允许一次", allow_session: "本会话内已允许", deny: "已拒绝" },
  exit: (code) => `退出码 ${code}`,
  signal: (name) => `信号 ${name}`,
  truncated: "输出已截断",
  thought: (duration) => (duration === undefined ? "思考" : `思考了 ${duration}`),
  interrupted: "（在此中断）",
  superseded: "以上回答中断，作废；重新开始回答。",
  broken: "（在此断开）",
  overlong: "回答达到输出上限，在此截断。",
  filtered: "回答在此被服务端的内容过滤截断。",
  canceled: "已取消。",
  queued: "排队中",
  parked: (prompts) => `${prompts} 条提示在等待：/continue 开始，/drop 放弃。`,
  cleared: "对话从此处重新开始。",
  compacted: (before, after, summarised) =>
    `${summarised ? "较早的对话已压缩" : "较早的结果已缩短"}：${before} → ${after} 个 token。`,
  digested: (why) => `该摘要并非由模型撰写，而是 claw 自己的提要：${why}`,
  waitsForApproval: "等待批准",
  background: "在后台",
  finishing: "收尾中",
  waitsForBackground: "等待后台任务",
  starting: "等待中",
  retrying: (seconds, attempt) => `${seconds} 秒后重试（第 ${attempt} 次）`,
  tokens: (input, output, cached) =>
    `输入 ${input}${cached === undefined ? "" : `（缓存 ${cached}）`} · 输出 ${output}`,
  estimated: "估算",
  above: (lines) => (lines === undefined ? "… 上面还有" : `… 上面还有 ${lines} 行`),
  hidden: (lines) => `… 隐藏了 ${lines} 行 · 按 e 查看全部 …`,
  empty: (lines) => `… ${lines} 个空行 …`,
  lines: (count) => `${count} 行`,
  approval: "需要批准",
  place: (at, of, subagent) =>
    `${subagent === undefined ? "此" : `${subagent} 的`}回答的第 ${at} 个调用，共 ${of} 个；全部决定之后才运行`,
  subagent: (title) => `子代理 ${title}`,
  recovery: "被中断的调用：可能已经发生，也可能没有",
  reason: "原因",
  expires: (time) => `${time} 过期`,
  expired: (time) => `已于 ${time} 过期`,
  sessionGrants: "本会话内允许（s，或 s 加编号）：",
  keys: "y 允许一次 · s 本会话 · n 拒绝 · e 解释",
  keysNoSession: "y 允许一次 · n 拒绝 · e 解释",
  recoveryKeys: "r 重新运行 · k 跳过 · x 停止任务，再回车；或输入新提示",
  asOneLine: "参数"
}

export const texts: Readonly<Record<Locale, Texts>> = { en, "zh-CN": zh }
