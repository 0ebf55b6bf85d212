/**
 * What claw says of a fault, in Chinese: sentence by sentence. Pure. Owns: one row a sentence. Invariant: a text is wholly
 * translated or not at all; what a server said stands as it came, and as its words.
 */
type Row = readonly [form: RegExp, chinese: string]

const AT = String.raw`( \(HTTP \d+\))?`

/** At the beginning of what is left. */
const rows: ReadonlyArray<Row> = [
  [/^It said: ([\s\S]+)$/, "服务端说：$1"],
  [new RegExp(`^The model server refused the API key${AT}\\.`), "模型服务拒绝了 API 密钥$1。"],
  [/^(.+?) wants an API key and none is set: put it into (\w+)\./, "$1 需要 API 密钥，而未设置：请设置 $2。"],
  [/^(.+?) wants an API key and none is set\./, "$1 需要 API 密钥，而未设置。"],
  [/^Check the key in (\S+?)\.(?= |$)/, "请检查 $1 中的密钥。"],
  [/^Check the key in the configuration\./, "请检查配置中的密钥。"],
  [new RegExp(`^The model server is limiting requests${AT}\\.`), "模型服务正在限制请求$1。"],
  [new RegExp(`^The account at the model server has no quota left${AT}\\.`), "模型服务的账户额度已用尽$1。"],
  [
    new RegExp(
      `^The model server does not know the model "(.*?)"${AT}\\. Choose another with --model or CLAW_MODEL\\.`
    ),
    "模型服务不认识模型“$1”$2。请用 --model 或 CLAW_MODEL 另选。"
  ],
  [new RegExp(`^The model server has a problem${AT}\\.`), "模型服务出现问题$1。"],
  [new RegExp(`^The model server refused the request${AT}\\.`), "模型服务拒绝了请求$1。"],
  [new RegExp(`^The model server's content filter refused the request${AT}\\.`), "模型服务的内容过滤拒绝了请求$1。"],
  [/^The model server's content filter stopped the answer\./, "模型服务的内容过滤中止了回答。"],
  [/^The model's answer was cut off before its end\./, "模型的回答中途被截断。"],
  [/^The model's answer was cut off or is not JSON\./, "模型的回答被截断，或不是 JSON。"],
  [/^The model server sent something that is not JSON\./, "模型服务发来的内容不是 JSON。"],
  [/^The model server sent no answer at all\./, "模型服务没有发来任何回答。"],
  [/^The model sent an empty answer\./, "模型发来的回答为空。"],
  [/^The model used up its output limit before it began to answer\./, "模型尚未开始回答就用尽了输出上限。"],
  [
    /^The model reached its output limit in the middle of a tool call; nothing was run\./,
    "模型在工具调用中途达到输出上限；没有运行任何操作。"
  ],
  [/^The connection to the model server broke in the middle of the answer\./, "与模型服务的连接在回答中途断开。"],
  [/^No connection to the model server within (\S+ s)\./, "$1 内未能连接模型服务。"],
  [/^The model did not begin to answer within (\S+ s)\./, "模型在 $1 内没有开始回答。"],
  [
    /^The model stopped in the middle of its answer and sent nothing for (\S+ s)\./,
    "模型在回答中途停止，$1 没有发来内容。"
  ],
  [/^The model's answer took longer than (\S+ s)\./, "模型的回答超过了 $1。"],
  [/^Check the base URL and (?:the|your) network\./, "请检查地址与网络。"],
  [/^The name in (\S+) cannot be resolved\./, "无法解析 $1 中的主机名。"],
  [/^Nothing is listening at (\S+)\.(?= |$)/, "$1 上没有服务在监听。"],
  [/^Is the server running, and is the base URL right\?/, "服务是否已启动，地址是否正确？"],
  [/^Start it with (`[^`]+`)\./, "请用 $1 启动。"],
  [
    /^Start the server in LM Studio \(Developer, Start server\) or with (`[^`]+`)\./,
    "请在 LM Studio 中启动服务（Developer，Start server），或用 $1 启动。"
  ],
  [/^(\S+) cannot be reached\. Check your network, VPN or firewall\./, "无法连接 $1。请检查网络、VPN 或防火墙。"],
  [
    /^The certificate of (\S+) belongs to another name\. Check the host in the base URL\./,
    "$1 的证书属于另一个名称。请检查地址中的主机。"
  ],
  [/^The certificate of (\S+) has expired\. .*?operator\./, "$1 的证书已过期。请检查本机日期，或告知服务的运营者。"],
  [
    /^The certificate of (\S+) is not trusted \((\w+)\)\. .*?NODE_EXTRA_CA_CERTS\./,
    "$1 的证书不受信任（$2）。如服务使用自己的证书机构，请在 NODE_EXTRA_CA_CERTS 中指明其文件。"
  ],
  [/^(\S+) does not speak TLS there\. .*?http:\/\/\./, "$1 处不使用 TLS。地址或应以 http:// 开头。"],
  [/^(\S+) does not answer in HTTP there\. .*?port\./, "$1 处不是 HTTP。地址或应以 https:// 开头，或端口不同。"],
  [/^(\S+) closed the connection before it answered\./, "$1 在回答之前关闭了连接。"],
  [
    /^(\S+) answered with a web page instead of a model's answer \(HTTP (\d+)\)\. .*?in between\./,
    "$1 返回的是网页而不是模型的回答（HTTP $2）。请检查地址（通常以 /v1 结尾）及中间的代理。"
  ],
  [/^(\S+) answered with a web page \(HTTP (\d+)\)\./, "$1 返回了网页（HTTP $2）。"],
  [/^(\S+) has no (.+?) there \(HTTP (\d+)\)\./, "$1 处没有 $2（HTTP $3）。"],
  [/^Check the base URL; it usually ends in \/v1\./, "请检查地址，它通常以 /v1 结尾。"],
  [
    /^(\S+) failed (\d+) times in a row and is left alone; claw tries it again in (\d+) s\./,
    "$1 连续失败 $2 次，暂不再请求；$3 秒后再试。"
  ]
]

/** A fault's sentences in Chinese; undefined: one of them is not known. */
export const faultInChinese = (detail: string): string | undefined => {
  let rest = detail.trim()
  let said = ""
  while (rest !== "") {
    const [found] = rows.flatMap(([form, chinese]) => {
      const match = form.exec(rest)
      return match === null ? [] : [{ match, chinese }]
    })
    if (found === undefined) return undefined
    const { chinese, match } = found
    said += chinese.replaceAll(/\$(\d)/g, (_, at: string) => (match[Number(at)] ?? "").trim())
    rest = rest.slice(match[0].length).trim()
  }
  return said
}
