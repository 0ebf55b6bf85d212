/** zh-CN of enWork. */
import type { enWork } from "./enWork.ts"

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
    cost: "此处的用量"
  },

  promptOf: { user: "你的提示", project: "此目录的提示" }
}
