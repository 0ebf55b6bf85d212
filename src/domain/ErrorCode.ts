/**
 * Every error code there is: the one table that code, wire, help and pins derive from (STYLE, Habits; SETTLED 20).
 * `fault`: who can do something about it. `retryable`: the same request may succeed later.
 */
import { Schema } from "effect"
import { BudgetUse } from "./Budget.ts"

export type Fault = "client" | "user" | "model" | "provider" | "server" | "operator"

export interface ErrorInfo {
  readonly fault: Fault
  readonly retryable: boolean
  readonly en: string
  readonly zh: string
}

const row = (fault: Fault, retryable: boolean, en: string, zh: string): ErrorInfo => ({ fault, retryable, en, zh })

export const table = {
  bad_json: row("client", false, "That is not a JSON object.", "这不是一个 JSON 对象。"),
  bad_message: row(
    "client",
    false,
    "The message is missing a field or has a wrong one.",
    "消息缺少字段，或字段不正确。"
  ),
  unknown_type: row("client", false, "Unknown message type.", "未知的消息类型。"),
  too_large: row("client", false, "The message is too large.", "消息过大。"),
  not_found: row("client", false, "There is nothing at this address.", "此地址没有内容。"),
  method_not_allowed: row("client", false, "This address does not take that method.", "此地址不支持该方法。"),
  unsupported_media_type: row(
    "client",
    false,
    "A request's body must be application/json.",
    "请求体必须是 application/json。"
  ),
  not_acceptable: row(
    "client",
    false,
    "None of the types that you accept is offered here.",
    "此处不提供你所接受的类型。"
  ),
  too_deep: row("client", false, "The message is nested too deeply.", "消息嵌套过深。"),
  bad_utf8: row("client", false, "The message is not valid UTF-8.", "消息不是有效的 UTF-8。"),
  rate_limited: row("client", true, "Too many requests; wait a moment.", "请求过于频繁，请稍候。"),
  unauthenticated: row(
    "client",
    false,
    "This needs a valid token: one that is known here, not expired and not revoked.",
    "需要有效的令牌：此处已知、未过期且未被撤销。"
  ),
  forbidden: row("client", false, "This is not allowed for you.", "你没有此权限。"),
  unsupported_version: row("client", false, "This protocol version is not supported.", "不支持此协议版本。"),
  session_not_found: row("client", false, "There is no such session.", "没有这个会话。"),
  session_busy: row("client", true, "A task is already running in this session.", "此会话中已有任务在运行。"),
  queue_full: row("client", true, "Too much waits in this session already.", "此会话中等待的提示过多。"),
  session_creating: row("client", true, "This session is being created.", "此会话正在创建中。"),
  session_exists: row("client", false, "A session with this id exists already.", "此会话标识已存在。"),
  session_moved: row("server", true, "Another process owns this session now.", "另一个进程现在拥有此会话。"),
  position_ahead: row("client", false, "The position is beyond the end of the session.", "位置超出会话末尾。"),
  no_task: row("client", false, "No task is running.", "没有正在运行的任务。"),
  nothing_to_restore: row("client", false, "There is nothing to put back.", "没有可以恢复的更改。"),
  nothing_to_compact: row("client", false, "There is nothing to summarise yet.", "还没有可以概括的内容。"),
  prompt_not_found: row("client", false, "There is no such waiting prompt.", "没有这个等待中的提示。"),
  idempotency_conflict: row(
    "client",
    false,
    "This idempotency key was used with other content.",
    "此幂等键已用于其他内容。"
  ),
  approval_not_found: row("client", false, "There is no such approval request.", "没有这个批准请求。"),
  grant_not_found: row("client", false, "There is no such grant in force.", "没有这个生效中的授权。"),
  approval_expired: row("client", false, "The approval request has expired.", "批准请求已过期。"),
  approval_already_resolved: row("client", false, "The approval request is already answered.", "批准请求已被答复。"),
  approval_required: row("user", false, "An approval is needed and nobody can be asked.", "需要批准，但无人可问。"),
  bad_decision: row("client", false, "This is not a decision for this request.", "此决定不适用于该请求。"),
  too_many_sessions: row("client", true, "Too many sessions.", "会话过多。"),
  too_many_connections: row("client", true, "Too many connections.", "连接过多。"),
  slow_consumer: row(
    "client",
    true,
    "The connection reads too slowly; reconnect and resume.",
    "连接读取过慢，请重新连接并继续。"
  ),
  idle_timeout: row("client", true, "The connection was idle too long.", "连接空闲过久。"),
  handshake_timeout: row("client", true, "The first message took too long.", "首条消息超时。"),
  server_draining: row("server", true, "The server is shutting down.", "服务器正在关闭。"),
  provider_auth: row(
    "user",
    false,
    "The model server refused the API key. Check the key and the base URL.",
    "模型服务拒绝了 API 密钥，请检查密钥与地址。"
  ),
  provider_rate_limited: row(
    "provider",
    true,
    "The model server is limiting requests; try again later.",
    "模型服务限制了请求，请稍后再试。"
  ),
  provider_quota: row("user", false, "The account at the model server has no quota left.", "模型服务账户额度已用尽。"),
  provider_unavailable: row("provider", true, "The model server has a problem.", "模型服务出现问题。"),
  provider_unreachable: row(
    "provider",
    true,
    "The model server cannot be reached. Check the base URL and the network.",
    "无法连接模型服务，请检查地址与网络。"
  ),
  provider_bad_request: row("provider", false, "The model server refused the request.", "模型服务拒绝了请求。"),
  provider_model_not_found: row("user", false, "The model server does not know this model.", "模型服务没有这个模型。"),
  provider_timeout_connect: row(
    "provider",
    true,
    "Connecting to the model server took too long.",
    "连接模型服务超时。"
  ),
  provider_timeout_first_token: row(
    "provider",
    true,
    "The model did not begin to answer in time.",
    "模型未能及时开始回答。"
  ),
  provider_timeout_idle: row(
    "provider",
    true,
    "The model stopped in the middle of its answer.",
    "模型在回答中途停止。"
  ),
  provider_timeout_total: row("provider", true, "The model's answer took too long.", "模型回答超时。"),
  provider_bad_stream: row(
    "provider",
    true,
    "The model's answer was cut off or malformed.",
    "模型的回答被截断或格式错误。"
  ),
  provider_bad_tool_call: row(
    "provider",
    false,
    "The model kept sending tool calls that cannot be read.",
    "模型持续发送无法解析的工具调用。"
  ),
  provider_output_truncated: row(
    "provider",
    false,
    "The model reached its output limit in the middle of a tool call.",
    "模型在工具调用中途达到输出上限。"
  ),
  provider_context_overflow: row(
    "provider",
    false,
    "The conversation no longer fits the model's context window.",
    "对话超出模型的上下文窗口。"
  ),
  provider_refused: row(
    "provider",
    false,
    "The model server's content filter stopped the answer.",
    "模型服务的内容过滤中止了回答。"
  ),
  provider_capability: row("user", false, "The model cannot do what was asked of it.", "模型不具备所需的能力。"),
  budget_exceeded: row("user", false, "A budget is used up.", "预算已用尽。"),
  max_turns: row("user", false, "The task reached its limit of turns.", "任务达到轮次上限。"),
  doom_loop: row(
    "model",
    false,
    "The model gets nowhere: it repeats itself, or only fails.",
    "模型没有进展：反复同样的操作，或连续失败。"
  ),
  hook_denied: row("user", false, "A hook refused the prompt.", "钩子拒绝了该提示。"),
  tool_not_found: row("model", false, "There is no such tool.", "没有这个工具。"),
  tool_bad_arguments: row("model", false, "The tool's arguments are not valid.", "工具参数无效。"),
  tool_timeout: row("model", false, "The tool took too long.", "工具执行超时。"),
  tool_failed: row("model", false, "The tool failed.", "工具执行失败。"),
  workspace_escape: row("model", false, "The path leads outside the workspace.", "路径超出工作区。"),
  storage_unavailable: row("operator", true, "The session store cannot be written.", "会话存储无法写入。"),
  session_damaged: row(
    "operator",
    false,
    "Stored records of this session are damaged: it can only be read. Look with claw doctor, and begin a new session.",
    "此会话的存储记录已损坏，只能读取。请用 claw doctor 查看，并新建会话。"
  ),
  fenced: row("server", true, "Another process took over this session.", "另一个进程接管了此会话。"),
  interrupted_by_restart: row(
    "server",
    false,
    "The program stopped while the task was running.",
    "任务运行期间程序停止。"
  ),
  internal: row("server", false, "Something went wrong inside claw.", "claw 内部出错。"),
  bad_config: row("user", false, "The configuration is not valid.", "配置无效。"),
  workspace_unreadable: row(
    "user",
    false,
    "The workspace is no directory that can be read: it was moved or deleted, or never was one.",
    "工作区不是可读取的目录：它已被移动或删除，或从来不是目录。"
  ),
  bad_session_file: row(
    "user",
    false,
    "This is not a session that claw exported, or it was changed since.",
    "这不是 claw 导出的会话，或导出后被更改。"
  ),
  no_provider: row("user", false, "No model is configured.", "未配置模型。")
} as const satisfies Record<string, ErrorInfo>

export type ErrorCode = keyof typeof table
export const codes = Object.keys(table) as ReadonlyArray<ErrorCode> as readonly [ErrorCode, ...Array<ErrorCode>]
export const ErrorCode = Schema.Literals(codes)

/** What a person or a program is told. Never a stack, a secret, or a path outside the workspace. */
export const ErrorBody = Schema.Struct({
  code: ErrorCode,
  message: Schema.String,
  retryable: Schema.Boolean,
  request_id: Schema.optionalKey(Schema.String),
  task_id: Schema.optionalKey(Schema.String),
  /** Of the prompt that is answered by this. */
  idempotency_key: Schema.optionalKey(Schema.String),
  retry_after_ms: Schema.optionalKey(Schema.Int),
  /** Which budget `budget_exceeded` means. */
  budget: Schema.optionalKey(BudgetUse)
})
export type ErrorBody = typeof ErrorBody.Type

/** The body of a code, with a sentence of its own where the table's is too general. */
export const errorBody = (code: ErrorCode, message?: string): ErrorBody => ({
  code,
  message: message ?? table[code].en,
  retryable: table[code].retryable
})
