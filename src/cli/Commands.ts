/**
 * What can be typed after `claw`: commands as data, with the flags of `commandFlags`. Help, completion and parsing derive
 * from these tables.
 * Owns: names, shapes, sentences in both languages. Imports nothing else, so that the boot file's help costs nothing.
 */

import { type Text, text } from "./commandFlags.ts"

export { DECISIONS, flags, type FlagSpec, type Locale, MODES, ROLES } from "./commandFlags.ts"

export interface CommandSpec {
  readonly name: string
  /** What may follow, for the usage line. */
  readonly operands: string
  readonly maxOperands: number
  readonly flags: ReadonlyArray<string>
  readonly text: Text
  /** For the command's own help. */
  readonly examples?: ReadonlyArray<readonly [string, Text]>
}

const common = ["cwd", "mode", "model", "fallback-model", "provider", "base-url", "max-turns", "max-cost"]

export const commands: ReadonlyArray<CommandSpec> = [
  {
    name: "",
    operands: "",
    maxOperands: 0,
    flags: [...common, "resume", "continue"],
    text: text("start a conversation in this directory", "在此目录开始对话")
  },
  {
    name: "run",
    operands: "[PROMPT|-]",
    maxOperands: Number.POSITIVE_INFINITY,
    flags: [...common, "session", "json"],
    text: text("one prompt, for scripts; also reads standard input", "执行一条提示，供脚本使用；也读取标准输入")
  },
  {
    name: "resume",
    operands: "[ID]",
    maxOperands: 1,
    flags: common,
    text: text("continue a session, by default the newest of this directory", "继续一个会话，默认为此目录最近的会话")
  },
  {
    name: "sessions",
    operands: "[list | search TEXT | show ID | rename ID TITLE | delete ID | export ID [FILE] | import FILE | prune]",
    maxOperands: Number.POSITIVE_INFINITY,
    flags: ["cwd", "format", "follow", "yes", "dry-run", "json"],
    text: text(
      "stored conversations: find, name, delete, take out and in, tidy up; an ID may be its start or end",
      "已保存的对话：查找、命名、删除、导出、导入与清理；ID 可用其开头或结尾"
    )
  },
  {
    name: "fork",
    operands: "[ID]",
    maxOperands: 1,
    flags: [...common, "at", "json"],
    text: text(
      "continue a copy of a session from any point, by default of the newest of this directory",
      "从任意位置继续会话的副本，默认为此目录最近的会话"
    )
  },
  {
    name: "replay",
    operands: "ID",
    maxOperands: 1,
    flags: ["until", "timeline", "json"],
    text: text(
      "rebuild a session's events and requests from what is stored, without a network, and say where they differ",
      "仅凭存储内容、不联网地重建会话的事件与请求，并指出不同之处"
    )
  },
  {
    name: "serve",
    operands: "",
    maxOperands: 0,
    flags: [...common, "host", "tcp-port", "http-port", "no-auth", "json"],
    text: text("sessions over TCP, WebSocket and HTTP", "通过 TCP、WebSocket 和 HTTP 提供会话")
  },
  {
    name: "attach",
    operands: "[SESSION]",
    maxOperands: 1,
    flags: ["cwd", "mode", "model", "url", "token-file", "detach"],
    text: text(
      "this terminal on a session of claw serve, by default a new one; CLAW_TOKEN holds the token",
      "用此终端连接 claw serve 的会话，默认新建；令牌放在 CLAW_TOKEN 中"
    )
  },
  {
    name: "doctor",
    operands: "",
    maxOperands: 0,
    flags: ["cwd", "provider", "base-url", "model", "fix", "json"],
    text: text("what claw finds on this machine, and what is wrong", "检查本机环境与问题")
  },
  {
    name: "backup",
    operands: "FILE",
    maxOperands: 1,
    flags: ["json"],
    text: text("copy everything that is stored, also while claw runs", "备份全部存储内容，claw 运行时也可以")
  },
  {
    name: "restore",
    operands: "FILE",
    maxOperands: 1,
    flags: ["yes", "json"],
    text: text(
      "put a backup in the place of the store; no claw may run on it",
      "用备份替换存储；此时不得有 claw 在使用它"
    )
  },
  {
    name: "config",
    operands: "schema | show",
    maxOperands: 1,
    flags: ["cwd", "json"],
    text: text("the configuration's schema, or its values in force", "配置的模式或当前生效的值")
  },
  {
    name: "policy",
    operands: "check | explain -- COMMAND | simulate",
    maxOperands: Number.POSITIVE_INFINITY,
    flags: ["cwd", "mode", "session", "tool", "rules", "json"],
    text: text(
      "what would be allowed, asked or denied, and why: JSON lines, one command, or a session's past calls",
      "哪些会被允许、询问或拒绝，以及原因：JSON 行、单个命令，或会话的历史调用"
    ),
    examples: [
      [`echo '{"id":"1","kind":"bash","input":"ls"}' | claw policy check`, text("one answer a line", "每行一个答复")],
      [
        `  {"id":"2","kind":"path","input":"src/a.ts","context":{"tool":"write_file"}}`,
        text(
          "context may also hold workspace, mode, grants and deny_rules; exit 1 where a line was bad",
          "context 还可包含 workspace、mode、grants 和 deny_rules；有坏行时退出码为 1"
        )
      ],
      ["claw policy explain -- 'npm test | tee log'", text("each command of the line", "逐个说明行中的命令")],
      [
        `claw policy explain --tool write_file -- '{"path":"src/a.ts","content":""}'`,
        text("a tool's arguments", "某个工具的参数")
      ],
      ["claw policy simulate --session ID --rules FILE", text("with other rules", "使用其他规则")]
    ]
  },
  {
    name: "token",
    operands: "create | list | revoke ID",
    maxOperands: 2,
    flags: ["user", "tenant", "project", "role", "name", "expires", "json"],
    text: text("API tokens of claw serve", "claw serve 的 API 令牌")
  },
  {
    name: "trust",
    operands: "[DIR]",
    maxOperands: 1,
    flags: ["cwd", "list", "revoke", "json"],
    text: text(
      "trust what a directory brings along (.claw/, AGENTS.md), as it is now; before that it has no effect",
      "按现状信任目录带来的内容（.claw/、AGENTS.md）；在此之前它不生效"
    )
  },
  {
    name: "grants",
    operands: "list | show ID | revoke ID",
    maxOperands: 2,
    flags: ["json"],
    text: text("what was allowed for sessions, and taking it back", "会话的授权及其撤销")
  },
  {
    name: "audit",
    operands: "",
    maxOperands: 0,
    flags: ["session", "tool", "decision", "since", "verify", "anchor", "json"],
    text: text("every decision about a tool call: who, what, when, why", "每次工具调用的决定：何人、何事、何时、为何")
  },
  {
    name: "usage",
    operands: "[day | model | session]",
    maxOperands: 1,
    flags: ["json"],
    text: text(
      "tokens and money that were spent, also by sessions that are gone",
      "已用的 token 与费用，包括已删除的会话"
    )
  },
  {
    name: "protocol",
    operands: "",
    maxOperands: 0,
    flags: ["schema"],
    text: text("the wire protocol: every message, event and error code", "通信协议：全部消息、事件与错误码")
  },
  {
    name: "help",
    operands: "[COMMAND]",
    maxOperands: 1,
    flags: [],
    text: text("show this help, or a command's", "显示此帮助或某个命令的帮助")
  },
  { name: "version", operands: "", maxOperands: 0, flags: [], text: text("show the version", "显示版本") }
]

/** Exit codes for scripts (DESIGN §9). */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  approval: 3,
  limit: 4,
  hungUp: 129,
  cancelled: 130,
  terminated: 143
} as const

export const exitTexts: ReadonlyArray<readonly [number, Text]> = [
  [EXIT.done, text("completed", "已完成")],
  [EXIT.failed, text("failed", "失败")],
  [EXIT.usage, text("wrong usage or configuration", "用法或配置错误")],
  [EXIT.approval, text("an approval was needed and nobody could be asked", "需要批准但无人可问")],
  [EXIT.limit, text("a limit was reached (turns, budget, loop)", "达到限制（轮次、预算、循环）")],
  [EXIT.cancelled, text("cancelled", "已取消")],
  [EXIT.terminated, text("ended by SIGTERM", "被 SIGTERM 终止")],
  [EXIT.hungUp, text("ended by SIGHUP", "被 SIGHUP 终止")]
]
