/**
 * The flags of all commands, as data. Owns: names, shapes, choices, sentences in both languages. Imports nothing, so that
 * the boot file's help costs nothing.
 */

export type Locale = "en" | "zh-CN"
export type Text = Readonly<Record<Locale, string>>

export interface FlagSpec {
  readonly name: string
  readonly short?: string
  /** Placeholder of its value; absent: a switch. */
  readonly value?: string
  readonly choices?: ReadonlyArray<string>
  /** Its value is a number above 0. */
  readonly positive?: true
  readonly text: Text
}

export const text = (en: string, zh: string): Text => ({ en, "zh-CN": zh })

export const MODES = ["ask", "accept-edits", "plan", "never-ask", "bypass"] as const

/** What a token's role may be; `domain/Principal` says what each may do, and its test that these are all. */
export const ROLES = ["viewer", "requester", "approver", "member", "admin"] as const

/** Every answer there is; the test of `domain/Approval` says that these are all. */
export const DECISIONS = ["allow_once", "allow_session", "deny", "retry", "skip", "stop"] as const

export const flags: ReadonlyArray<FlagSpec> = [
  { name: "cwd", value: "DIR", text: text("work in this directory", "在此目录中工作") },
  { name: "mode", value: "MODE", choices: MODES, text: text("how changes are approved", "如何批准更改") },
  { name: "model", value: "NAME", text: text("model, as the server knows it", "服务端所用的模型名") },
  {
    name: "fallback-model",
    value: "NAME[,NAME]",
    text: text("models that stand in when it keeps failing", "模型持续失败时的替代模型")
  },
  { name: "provider", value: "NAME", text: text("model server profile, or demo", "模型服务配置，或 demo") },
  { name: "base-url", value: "URL", text: text("address of an OpenAI-compatible server", "OpenAI 兼容服务的地址") },
  { name: "session", value: "ID", text: text("this session; run continues it", "此会话；run 会继续它") },
  { name: "resume", value: "ID", text: text("continue this session", "继续此会话") },
  { name: "continue", short: "c", text: text("continue the newest session of this directory", "继续此目录最近的会话") },
  { name: "max-turns", value: "N", text: text("model turns one task may take", "单个任务的最大轮次") },
  {
    name: "max-cost",
    value: "USD",
    positive: true,
    text: text("money one task may cost; the model's price must be known", "单个任务的最高费用（美元）；须已知模型价格")
  },
  { name: "user", value: "NAME", text: text("whose token it is", "令牌属于谁") },
  { name: "tenant", value: "NAME", text: text("tenant of the user", "用户所属租户") },
  { name: "project", value: "NAME", text: text("project of the user", "用户所属项目") },
  { name: "role", value: "ROLE", choices: ROLES, text: text("what the token may do", "令牌的权限") },
  { name: "name", value: "TEXT", text: text("what the token is for", "令牌的用途") },
  { name: "expires", value: "DAYS", text: text("days until the token ends", "令牌有效天数") },
  {
    name: "tool",
    value: "NAME",
    text: text("which tool; a call to explain is of bash by default", "哪个工具；要解释的调用默认为 bash")
  },
  { name: "decision", value: "WORD", choices: DECISIONS, text: text("with this decision only", "仅此决定") },
  {
    name: "since",
    value: "TIME",
    text: text(
      "from then on: 2026-01-31T08:00:00Z, or 90m, 8h, 7d ago",
      "自此时起：2026-01-31T08:00:00Z，或 90m、8h、7d 之前"
    )
  },
  { name: "verify", text: text("prove that nothing was changed or cut out", "证明记录未被更改或删除") },
  {
    name: "anchor",
    value: "N:HASH",
    text: text("with --verify: what an earlier --verify printed", "配合 --verify：先前 --verify 打印的值")
  },
  { name: "host", value: "ADDRESS", text: text("address to listen on", "监听地址") },
  { name: "tcp-port", value: "N", text: text("port of JSON lines over TCP", "TCP（JSON 行）端口") },
  {
    name: "http-port",
    value: "N",
    text: text("port of HTTP and WebSocket", "HTTP 与 WebSocket 端口")
  },
  { name: "no-auth", text: text("no token; only on loopback", "无需令牌；仅限本机") },
  {
    name: "url",
    value: "URL",
    text: text("ws://HOST:PORT/ws or tcp://HOST:PORT", "ws://主机:端口/ws 或 tcp://主机:端口")
  },
  { name: "token-file", value: "FILE", text: text("file that holds the token", "存有令牌的文件") },
  {
    name: "detach",
    text: text("leaving does not cancel the task: it goes on for a while", "退出时不取消任务，任务会继续运行一段时间")
  },
  { name: "rules", value: "FILE", text: text("configuration file to try the rules of", "试用此配置文件中的规则") },
  {
    name: "format",
    value: "FORMAT",
    choices: ["markdown", "json", "html"],
    text: text("of an export; by default what the file's name says", "导出格式；默认取决于文件名")
  },
  { name: "at", value: "SEQ", text: text("up to and including this event", "直到并包括此事件") },
  { name: "until", value: "SEQ", text: text("stop behind this event", "到此事件为止") },
  { name: "timeline", text: text("every record, with its time", "列出每条记录及其时间") },
  {
    name: "follow",
    text: text("go on with what another claw adds, until Ctrl-C", "持续显示另一个 claw 新增的内容，直到 Ctrl-C")
  },
  { name: "dry-run", text: text("say what would be removed, remove nothing", "只说明将删除什么，不删除") },
  { name: "fix", text: text("mend what can be mended in the store", "修复存储中可修复的问题") },
  { name: "yes", text: text("without asking", "不再询问") },
  { name: "json", text: text("one JSON object a line on standard output", "标准输出每行一个 JSON 对象") },
  { name: "list", text: text("show what was decided, or what a directory holds", "显示已作的决定或目录的内容") },
  { name: "revoke", text: text("take the trust back", "撤销信任") },
  { name: "schema", text: text("JSON Schemas instead of the page", "输出 JSON Schema 而非文档") },
  { name: "help", short: "h", text: text("show this help", "显示帮助") },
  { name: "version", short: "v", text: text("show the version", "显示版本") }
]
