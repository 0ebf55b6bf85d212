/** zh-CN of enWork. */
import type { enWork } from "./enWork.ts"

const tiers: Readonly<Record<string, string>> = { operator: "运维方", user: "用户", workspace: "工作区" }
const tierOf = (tier: string): string => tiers[tier] ?? tier

export const zhWork: typeof enWork = {
  commandsLabel: "命令",
  commands: {
    new: "新建会话",
    clear: "让模型忘记对话",
    compact: "将对话概括为摘要；其后的文字为重点保留的内容",
    undo: "撤销最近一个任务对文件的更改",
    redo: "恢复被撤销的更改",
    diff: "显示任务对文件的更改",
    mode: "哪些操作无需询问",
    model: "从下一个任务起换用模型",
    rename: "为此会话重命名",
    fork: "用此会话的副本继续",
    continue: "让等待中的消息继续",
    stop: "停止正在运行的任务",
    timeline: "各步骤用时",
    permissions: "此处允许什么",
    cost: "此处的用量",
    budget: "任务或会话可花费多少"
  },

  noCommand: (name) => `没有命令 /${name}，也没有同名的提示。在前面加一个空格即可作为文本发送。`,
  promptOf: { user: "你的提示", project: "此目录的提示" },

  budgetTitle: "费用限制",
  budgetNone: "未设置限制。",
  budgetHint: "从下一个任务起生效，直到此会话不再打开；0 表示不限。",
  budgetForm: "/budget 2.50、/budget session 200000 tokens；0 表示不限",
  budgetOf: { turn: "本轮", task: "任务", session: "会话", tenant: "所有人（今日）" },
  budgetLine: (used, limit, left) => `${used} / ${limit}，剩余 ${left}`,
  budgetLeft: (left) => `剩余 ${left}`,
  budgetScope: "限制对象",
  budgetAmount: "限制",
  budgetUnit: "单位",
  budgetTokens: "token",
  budgetSet: "设置",
  budgetRaise: "提高限制",
  budgetRaiseTo: { usd: "提高到（美元）", tokens: "提高到（token 数）" },
  budgetRaised: (limit) => `下一个任务起限制为 ${limit}。`,
  goOn: "继续",
  goOnText: "请从停下的地方继续。",
  costUnknown: "费用未知",
  usageEstimated: "部分为估算：模型服务未提供数据",
  tokenCount: (count) => `${count} 个 token`,

  subagentOrder: "给它的任务",
  subagentTold: "之后告诉它的",
  subagentBackground: "在后台",
  subagentEnded: { canceled: "已停止。", failed: "未能完成。" },
  report: (title) => `子代理 ${title} 的报告：`,
  reportFailed: (title) => `子代理 ${title} 未能完成：`,
  reportCut: (title) => `子代理 ${title} 在报告之前被中断。`,
  reminded: "claw 已告诉模型：这些步骤没有进展。",

  filesChanged: (count) => `已更改 ${count} 个文件`,
  filesUndone: "更改已撤销。",

  answeredElsewhere: "在另一个浏览器或终端中",
  hookRefused: (program, tier, why) => `被钩子 ${program}（${tierOf(tier)}）拒绝${why === "" ? "。" : `：${why}`}`,
  hookOf: (program, tier) => `钩子 ${program}（${tierOf(tier)}）`,
  hookAdded: (program, tier) => `钩子 ${program}（${tierOf(tier)}）为提示添加了内容`
}
