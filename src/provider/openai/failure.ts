/**
 * What a refusal of the server means (R110, R111, R113, R115, RELIABILITY 3.6, SETTLED 20). Owns: the one table from
 * status and error object to a code and a sentence for a person. Pure. Does not own: failures of the network
 * (networkFailure.ts), whether to retry (Retry.ts).
 * Invariant: no sentence contains the key, a header, or more than a line of what the server said.
 */
import { fault, type FaultName } from "../../domain/FaultTexts.ts"
import { retryAfterIn, retryAfterMs } from "../retryAfter.ts"
import { ProviderError, type ProviderCode } from "../ProviderError.ts"

/** Whom we were talking to; what sentences name. */
export interface Peer {
  readonly base_url: string
  readonly model: string
  readonly title: string
  readonly key: string | undefined
  readonly key_source: string | undefined
  /** The variable that a key is looked for in. */
  readonly key_variable?: string | undefined
  readonly start_hint: string | undefined
  /** Through whom we were talking to it. */
  readonly proxy?: string | undefined
  /** What is asked of it. */
  readonly offers?: string
}

export interface Refusal {
  /** Absent for an error object inside a stream that began with 200. */
  readonly status: number | undefined
  /** The server's error object: `{message, code, type, param}` or anything else. */
  readonly error: unknown
  readonly header: (name: string) => string | null | undefined
  readonly now_ms: number
}

const LINE = 300
const SECRET = /\b(?:sk|pk|key|token)[-_][A-Za-z0-9_*-]{6,}|\bbearer\s+\S+|\b[0-9a-f]{32}\.[A-Za-z0-9]{8,}/gi
// oxlint-disable-next-line no-control-regex -- control characters are what this removes
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]+/g

/** One printable line of what somebody else wrote, without anything that looks like a key. */
export const oneLine = (text: string, key: string | undefined): string => {
  const hidden = key === undefined || key.length < 4 ? text : text.replaceAll(key, "[key]")
  const line = hidden.replaceAll(CONTROL, " ").replaceAll(SECRET, "[key]").trim().toWellFormed()
  return line.length > LINE ? `${line.slice(0, LINE)}…`.toWellFormed() : line
}

interface Said {
  readonly message: string
  readonly code: string
  readonly type: string
}

const word = (value: unknown): string => (typeof value === "string" || typeof value === "number" ? String(value) : "")

const saidOf = (error: unknown): Said => {
  if (error === null || typeof error !== "object") return { message: word(error), code: "", type: "" }
  const fields = error as Readonly<Record<string, unknown>>
  const message =
    typeof fields.message === "string"
      ? fields.message
      : fields.message === undefined
        ? ""
        : JSON.stringify(fields.message)
  return { message, code: word(fields.code), type: word(fields.type) }
}

const CONTEXT =
  /context[ _]?(?:length|window|size)|maximum context|max_model_len|prompt is too long|too many (?:input |prompt )?tokens|input is too long|reduce the length|exceeds? the (?:available|model'?s?) |超长|上下文|exceed_context_size/i
const QUOTA =
  /insufficient[_ ](?:quota|balance)|billing|exceeded your current quota|credit balance|payment required|余额不足|欠费/i
const MODEL =
  /model[_ ]not[_ ]found|model_not_exist|模型不存在|unknown model|no such model|invalid model|model\b.{0,200}?\b(?:not found|does not exist|not exist|not supported|is not available)/is
const INVALID = /^invalid_(?:prompt|request|image|base64)/
const FILTER = /content[_ ](?:filter|policy)|policy_violation|bio_policy|responsible ai|sensitive|敏感/i
const RATE = /rate[_ ]?limit|too many requests|overloaded|concurrency|请求过多|频率/i

/** Codes of Zhipu's own, which come as numbers in strings. */
const ZHIPU: Readonly<Record<string, ProviderCode>> = {
  "1113": "provider_quota",
  "1211": "provider_model_not_found",
  "1261": "provider_context_overflow",
  "1301": "provider_refused",
  "1302": "provider_rate_limited",
  "1303": "provider_rate_limited",
  "1304": "provider_quota",
  "1305": "provider_rate_limited",
  "1308": "provider_quota",
  "1309": "provider_quota"
}

const byWords = (said: Said): ProviderCode | undefined => {
  const all = `${said.code} ${said.type} ${said.message}`
  if (CONTEXT.test(all)) return "provider_context_overflow"
  if (QUOTA.test(all)) return "provider_quota"
  if (MODEL.test(all)) return "provider_model_not_found"
  return undefined
}

const WRONG_URL = new Set([301, 302, 303, 307, 308, 404, 405, 410])
const TRY_AGAIN = new Set([408, 409, 425])

/** An error inside a stream has no status; its `code` may be one, else its words decide. */
const inStream = (said: Said): ProviderCode => {
  if (INVALID.test(said.code)) return "provider_bad_request"
  if (RATE.test(`${said.code} ${said.type} ${said.message}`)) return "provider_rate_limited"
  return FILTER.test(`${said.code} ${said.type}`) ? "provider_refused" : "provider_unavailable"
}

const codeOf = (status: number | undefined, said: Said): ProviderCode => {
  const known = ZHIPU[said.code]
  if (known !== undefined) return known
  const numeric = status ?? (/^[45]\d\d$/.test(said.code) ? Number(said.code) : undefined)
  if (numeric === 401 || numeric === 403) return "provider_auth"
  if (numeric === 402) return "provider_quota"
  const words = byWords(said)
  if (numeric === 429) return words === "provider_quota" ? words : "provider_rate_limited"
  if (words !== undefined && (numeric === undefined || numeric < 500 || words === "provider_context_overflow"))
    return words
  if (numeric === undefined) return inStream(said)
  if (numeric >= 500 || TRY_AGAIN.has(numeric)) return "provider_unavailable"
  if (FILTER.test(`${said.code} ${said.type}`)) return "provider_refused"
  return "provider_bad_request"
}

const keyHint = ({ key, key_source: source, key_variable: variable, title }: Peer): string => {
  if (key !== undefined) return source === undefined ? fault("key_check_configuration") : fault("key_check", { source })
  return variable === undefined ? fault("key_missing", { title }) : fault("key_missing_in", { title, variable })
}

/** Somebody else's words, ended: what comes behind them is not theirs. */
const ended = (line: string): string => (/[.!?。！？…]["')\]”’」]?$/.test(line) ? line : `${line}.`)

const refusals = {
  provider_auth: "key_refused",
  provider_rate_limited: "rate_limited",
  provider_quota: "quota",
  provider_context_overflow: "overflow",
  provider_refused: "filtered",
  provider_unavailable: "trouble"
} as const satisfies Partial<Record<ProviderCode, FaultName>>

const isNamed = (code: ProviderCode): code is keyof typeof refusals => Object.hasOwn(refusals, code)

const sentence = (code: ProviderCode, refusal: Refusal, said: Said, peer: Peer): string => {
  const at = refusal.status === undefined ? "" : ` (HTTP ${refusal.status})`
  const line = oneLine(said.message, peer.key)
  const own =
    code === "provider_model_not_found"
      ? fault("unknown_model", { model: peer.model, at })
      : fault(isNamed(code) ? refusals[code] : "refused", { at })
  return [
    own,
    ...(code === "provider_auth" ? [keyHint(peer)] : []),
    ...(line === "" ? [] : [fault("said", { words: ended(line) })])
  ].join(" ")
}

const wrongUrl = (refusal: Refusal, peer: Peer, html: boolean): string => {
  const moved = refusal.header("location") ?? undefined
  const [url, status] = [peer.base_url, refusal.status ?? 0]
  return [
    html
      ? fault("web_page_there", { url, status })
      : fault("nothing_there", { url, status, what: peer.offers ?? "chat completions" }),
    ...(moved === undefined ? [] : [fault("points_to", { place: oneLine(moved, peer.key) })]),
    fault("base_url_ends")
  ].join(" ")
}

/** A web page where a model should be: a 200 that is HTML, or one with a status. */
export const webPage = (peer: Peer, status: number): ProviderError =>
  new ProviderError({
    code: "provider_unreachable",
    status,
    lasting: true,
    detail: fault("web_page", { url: peer.base_url, status })
  })

export const refusalError = (refusal: Refusal, peer: Peer): ProviderError => {
  const said = saidOf(refusal.error)
  const { status } = refusal
  const html = said.type === "html"
  const code = codeOf(status, said)
  const words = code === "provider_rate_limited" ? retryAfterIn(said.message) : undefined
  const retryAfter = retryAfterMs(refusal.header, refusal.now_ms) ?? words
  const misdirected = code === "provider_bad_request" && status !== undefined && WRONG_URL.has(status)
  return new ProviderError({
    code,
    detail: misdirected ? wrongUrl(refusal, peer, html) : sentence(code, refusal, said, peer),
    ...(status === undefined ? {} : { status }),
    ...(retryAfter === undefined ? {} : { retryAfterMs: retryAfter })
  })
}
