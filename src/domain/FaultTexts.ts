/**
 * What claw says of a model server's fault: a sentence a row, with its name, in both languages. Pure. Owns: the words.
 * Does not own: which fault is told when (provider). Invariants: the English sentences are made of these rows and read
 * back by the same rows, so that none can be told that is not known; a text is wholly translated or not at all; what a
 * server said stands as it came, and as its words.
 */
import { setupRows } from "./setupTexts.ts"

/** `{at}`: ` (HTTP 429)` or nothing. `{words}`: somebody else's, to the end of the text. */
const rows = {
  ...setupRows,
  said: ["It said: {words}", "服务端说：{words}"],
  key_refused: ["The model server refused the API key{at}.", "模型服务拒绝了 API 密钥{at}。"],
  key_missing: ["{title} wants an API key and none is set.", "{title} 需要 API 密钥，而未设置。"],
  key_missing_in: [
    "{title} wants an API key and none is set: put it into {variable}.",
    "{title} 需要 API 密钥，而未设置：请设置 {variable}。"
  ],
  key_check: ["Check the key in {source}.", "请检查 {source} 中的密钥。"],
  key_check_configuration: ["Check the key in the configuration.", "请检查配置中的密钥。"],
  header_character: [
    "The API key or another header contains a character that cannot be sent.",
    "API 密钥或其他请求头含有无法发送的字符。"
  ],
  rate_limited: ["The model server is limiting requests{at}.", "模型服务正在限制请求{at}。"],
  quota: ["The account at the model server has no quota left{at}.", "模型服务的账户额度已用尽{at}。"],
  unknown_model: [
    'The model server does not know the model "{model}"{at}. Choose another with --model or CLAW_MODEL.',
    "模型服务不认识模型“{model}”{at}。请用 --model 或 CLAW_MODEL 另选。"
  ],
  overflow: ["The conversation no longer fits the model's context window{at}.", "对话已超出模型的上下文窗口{at}。"],
  trouble: ["The model server has a problem{at}.", "模型服务出现问题{at}。"],
  refused: ["The model server refused the request{at}.", "模型服务拒绝了请求{at}。"],
  filtered: ["The model server's content filter refused the request{at}.", "模型服务的内容过滤拒绝了请求{at}。"],
  filter_stopped: ["The model server's content filter stopped the answer.", "模型服务的内容过滤中止了回答。"],
  no_tools: [
    "This model cannot use tools. Choose another model, or run without tools.",
    "此模型不能使用工具。请另选模型，或不用工具运行。"
  ],
  cut: ["The model's answer was cut off before its end.", "模型的回答中途被截断。"],
  cut_or_no_json: ["The model's answer was cut off or is not JSON.", "模型的回答被截断，或不是 JSON。"],
  no_json: ["The model server sent something that is not JSON.", "模型服务发来的内容不是 JSON。"],
  no_object: ["The model's answer is not a JSON object.", "模型的回答不是 JSON 对象。"],
  nothing: ["The model server sent no answer at all.", "模型服务没有发来任何回答。"],
  empty: ["The model sent an empty answer.", "模型发来的回答为空。"],
  thought_only: ["The model thought, and then gave no answer.", "模型思考之后没有给出回答。"],
  no_end: ["The model's answer has no end.", "模型的回答没有结束。"],
  answer_too_large: ["The model's answer is too large.", "模型的回答过大。"],
  event_too_large: ["The model server sent an event that is too large.", "模型服务发来的事件过大。"],
  too_many_items: ["The model sent more than {most} items at once.", "模型一次发来的内容超过 {most} 项。"],
  too_many_calls: [
    "The model sent more than {most} tool calls at once; nothing was run.",
    "模型一次发来的工具调用超过 {most} 个；没有运行任何操作。"
  ],
  endless_arguments: [
    "The model sent more than {most} characters of arguments; nothing was run.",
    "模型发来的参数超过 {most} 个字符；没有运行任何操作。"
  ],
  calls_no_tools: [
    "The model {model} cannot call tools. Choose another with --model or /model.",
    "模型 {model} 不能调用工具。请用 --model 或 /model 另选。"
  ],
  broke_off: ["The model server broke its answer off ({reason}).", "模型服务中止了回答（{reason}）。"],
  limit_before_answer: [
    "The model used up its output limit before it began to answer.",
    "模型尚未开始回答就用尽了输出上限。"
  ],
  limit_in_call: [
    "The model reached its output limit in the middle of a tool call; nothing was run.",
    "模型在工具调用中途达到输出上限；没有运行任何操作。"
  ],
  broken: ["The connection to the model server broke in the middle of the answer.", "与模型服务的连接在回答中途断开。"],
  late_connect: [
    "No connection to the model server within {limit}. Check the base URL and the network.",
    "{limit} 内未能连接模型服务。请检查地址与网络。"
  ],
  late_first: ["The model did not begin to answer within {limit}.", "模型在 {limit} 内没有开始回答。"],
  late_next: [
    "The model stopped in the middle of its answer and sent nothing for {limit}.",
    "模型在回答中途停止，{limit} 没有发来内容。"
  ],
  late_end: ["The model's answer took longer than {limit}.", "模型的回答超过了 {limit}。"],
  name_unknown: [
    "The name in {host} cannot be resolved. Check the base URL and your network.",
    "无法解析 {host} 中的主机名。请检查地址与网络。"
  ],
  nobody_listens: ["Nothing is listening at {host}.", "{host} 上没有服务在监听。"],
  is_it_running: ["Is the server running, and is the base URL right?", "服务是否已启动，地址是否正确？"],
  start_with: ["Start it with {command}.", "请用 {command} 启动。"],
  start_lmstudio: [
    "Start the server in LM Studio (Developer, Start server) or with {command}.",
    "请在 LM Studio 中启动服务（Developer，Start server），或用 {command} 启动。"
  ],
  unreachable: [
    "{host} cannot be reached. Check your network, VPN or firewall.",
    "无法连接 {host}。请检查网络、VPN 或防火墙。"
  ],
  unreachable_plain: ["{host} cannot be reached.", "无法连接 {host}。"],
  unreachable_since: ["{host} cannot be reached: {words}", "无法连接 {host}：{words}"],
  other_certificate: [
    "The certificate of {host} belongs to another name. Check the host in the base URL.",
    "{host} 的证书属于另一个名称。请检查地址中的主机。"
  ],
  old_certificate: [
    "The certificate of {host} has expired. Check the date of this machine, or tell the server's operator.",
    "{host} 的证书已过期。请检查本机日期，或告知服务的运营者。"
  ],
  untrusted_certificate: [
    "The certificate of {host} is not trusted ({code}). If the server has its own certificate authority, name its file in NODE_EXTRA_CA_CERTS.",
    "{host} 的证书不受信任（{code}）。如服务使用自己的证书机构，请在 NODE_EXTRA_CA_CERTS 中指明其文件。"
  ],
  no_tls: [
    "{host} does not speak TLS there. Perhaps the base URL should begin with http://.",
    "{host} 处不使用 TLS。地址或应以 http:// 开头。"
  ],
  no_http: [
    "{host} does not answer in HTTP there. Perhaps the base URL should begin with https://, or has another port.",
    "{host} 处不是 HTTP。地址或应以 https:// 开头，或端口不同。"
  ],
  closed_early: ["{host} closed the connection before it answered.", "{host} 在回答之前关闭了连接。"],
  proxy_refuses: [
    "The proxy {proxy} (HTTPS_PROXY, HTTP_PROXY) does not let claw through: {words}",
    "代理 {proxy}（HTTPS_PROXY、HTTP_PROXY）拒绝通过：{words}"
  ],
  proxy_unknown: [
    "The name of the proxy {proxy} cannot be resolved. Check HTTPS_PROXY and HTTP_PROXY.",
    "无法解析代理 {proxy} 的名称。请检查 HTTPS_PROXY 与 HTTP_PROXY。"
  ],
  proxy_unreachable: [
    "The proxy {proxy} (HTTPS_PROXY, HTTP_PROXY) cannot be reached. Check it, or name the model server in NO_PROXY.",
    "无法连接代理 {proxy}（HTTPS_PROXY、HTTP_PROXY）。请检查它，或在 NO_PROXY 中列出模型服务。"
  ],
  web_page: [
    "{url} answered with a web page instead of a model's answer (HTTP {status}). Check the base URL (it usually ends in /v1) and any proxy in between.",
    "{url} 返回的是网页而不是模型的回答（HTTP {status}）。请检查地址（通常以 /v1 结尾）及中间的代理。"
  ],
  web_page_there: ["{url} answered with a web page (HTTP {status}).", "{url} 返回了网页（HTTP {status}）。"],
  nothing_there: ["{url} has no {what} there (HTTP {status}).", "{url} 处没有 {what}（HTTP {status}）。"],
  points_to: ["It points to {place}.", "它指向 {place}。"],
  base_url_ends: ["Check the base URL; it usually ends in /v1.", "请检查地址，它通常以 /v1 结尾。"],
  left_alone: [
    "{model} failed {times} times in a row and is left alone; claw tries it again in {seconds} s.",
    "{model} 连续失败 {times} 次，暂不再请求；{seconds} 秒后再试。"
  ],
  asks_too_long: [
    "It asked to wait {asked}; claw waits {most} at most (retry.retry_after_max_ms).",
    "它要求等待 {asked}；claw 最多等待 {most}（retry.retry_after_max_ms）。"
  ],
  waited: ["It waited {waited} in all.", "共等待了 {waited}。"],
  stand_in_no_tools: ["{model} cannot stand in: it cannot call tools.", "{model} 不能接替：它不能调用工具。"],
  stand_in_small: [
    "{model} cannot stand in: the conversation does not fit its {window} tokens.",
    "{model} 不能接替：对话超出其 {window} 个 token 的窗口。"
  ]
} as const satisfies Readonly<Record<string, readonly [en: string, zh: string]>>

export type FaultName = keyof typeof rows
type Holes<T extends string> = T extends `${string}{${infer Hole}}${infer Rest}` ? Hole | Holes<Rest> : never
export type FaultValues<N extends FaultName> = Readonly<Record<Holes<(typeof rows)[N][0]>, string | number>>

const HOLE = /\{(\w+)\}/g

const filled = (template: string, values: Readonly<Record<string, string | number>>): string =>
  template.replaceAll(HOLE, (_, hole: string) => String(values[hole] ?? ""))

/** One sentence in English. */
export const fault = <N extends FaultName>(
  name: N,
  ...[values]: Holes<(typeof rows)[N][0]> extends never ? [] : [FaultValues<N>]
): string => filled(rows[name][0], values ?? {})

const FORMS: Readonly<Record<string, string>> = {
  at: String.raw`( \(HTTP \d+\))?`,
  words: String.raw`([\s\S]+)`,
  command: "(`[^`]+`)",
  limit: String.raw`(\S+ s)`
}

/** Of one sentence. */
const VALUE = String.raw`((?:(?![.?!] ).)+?)`
const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")

/** Reads the sentence at the beginning of a text; a sentence ends where the text does, or a space follows. */
const formOf = (template: string) => {
  const holes = Array.from(template.matchAll(HOLE), ([, hole = ""]) => hole)
  const [first = "", ...rest] = template.split(/\{\w+\}/).map(escaped)
  const body = rest.map((part, at) => `${FORMS[holes[at] ?? ""] ?? VALUE}${part}`).join("")
  return { holes, form: new RegExp(`^${first}${body}(?=\\s|$)`) }
}

/** Longer sentences first: some begin as others do. */
const made = () =>
  Object.values(rows)
    .toSorted(([a], [b]) => b.length - a.length)
    .map(([en, zh]) => ({ ...formOf(en), zh }))
let forms: ReturnType<typeof made> | undefined

const first = (text: string): { readonly zh: string; readonly length: number } | undefined => {
  for (const { form, holes, zh } of (forms ??= made())) {
    const match = form.exec(text)
    if (match === null) continue
    const values = Object.fromEntries(holes.map((hole, at) => [hole, (match[at + 1] ?? "").trim()]))
    return { zh: filled(zh, values), length: match[0].length }
  }
  return undefined
}

/** A fault's sentences in Chinese; undefined: one of them is not known. */
export const faultInChinese = (detail: string): string | undefined => {
  let rest = detail.trim()
  let said = ""
  while (rest !== "") {
    const found = first(rest)
    if (found === undefined) return undefined
    said += found.zh
    rest = rest.slice(found.length).trim()
  }
  return said
}

/** Every row, for the test that all of them can be read back. */
export const faultNames = Object.keys(rows) as ReadonlyArray<FaultName>
export const faultHoles = (name: FaultName): ReadonlyArray<string> => formOf(rows[name][0]).holes
