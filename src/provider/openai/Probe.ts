/**
 * What is at the other end, for `claw doctor`: one short `GET /models`. Owns: the report, as data. Never fails, never
 * sends a prompt. Invariant: no sentence contains the key.
 */
import { Clock, Effect } from "effect"
import { expired } from "../Deadlines.ts"
import type { ProviderError } from "../ProviderError.ts"
import { openBody } from "./body.ts"
import { callError, openClient } from "./client.ts"
import { type Peer, webPage } from "./failure.ts"
import { brokenError } from "./networkFailure.ts"
import { type OpenAiConfig, peerOf } from "./OpenAi.ts"
import { close, closeAgents, openAgents, openExchange } from "./transport.ts"

export interface ProbeReport {
  readonly base_url: string
  /** Something that speaks HTTP answered. */
  readonly reachable: boolean
  /** `unknown`: the server could not be asked, or lists models to anybody. */
  readonly auth: "ok" | "refused" | "unknown"
  /** Absent: the server lists none (some have no such path). */
  readonly models?: ReadonlyArray<string>
  /** Whether the configured model is among them; absent where there is no list. */
  readonly model_listed?: boolean
  readonly latency_ms: number
  readonly error?: { readonly code: ProviderError["code"]; readonly detail: string }
}

type Found = Omit<ProbeReport, "base_url" | "latency_ms">

const LIMIT_MS = 5000
/** A list of models longer than this is not read. */
const LIST_BYTES = 4 * 1024 * 1024

const idOf = (value: unknown): ReadonlyArray<string> => {
  if (value === null || typeof value !== "object") return []
  const id = "id" in value ? value.id : "name" in value ? value.name : undefined
  return typeof id === "string" ? [id] : []
}

/** `{data: [{id}]}` as OpenAI says it, `{models: [{name}]}` as some others do. */
export const modelsIn = (text: string): ReadonlyArray<string> | undefined => {
  try {
    const body: unknown = JSON.parse(text)
    if (body === null || typeof body !== "object") return undefined
    const list = "data" in body && Array.isArray(body.data) ? body.data : "models" in body ? body.models : undefined
    return Array.isArray(list) ? list.flatMap(idOf) : undefined
  } catch {
    return undefined
  }
}

/** Ollama lists `name:latest` for what is asked for as `name`. */
const isListed = (models: ReadonlyArray<string>, model: string): boolean =>
  models.some((id) => id === model || id === `${model}:latest` || id.replace(/^models\//, "") === model)

const fetchList = (config: OpenAiConfig, peer: Peer, now_ms: number) =>
  Effect.gen(function* () {
    const agents = yield* Effect.acquireRelease(
      Effect.sync(() => openAgents(config.proxy?.url)),
      (agents) => Effect.sync(() => closeAgents(agents))
    )
    const exchange = yield* Effect.acquireRelease(Effect.sync(openExchange), (exchange) =>
      Effect.sync(() => close(exchange))
    )
    const client = openClient(config.base_url, peer.key, config.headers ?? {}, agents)
    const response = yield* Effect.tryPromise({
      try: () => client.get("/models", exchange),
      catch: (error) => callError(error, peer, now_ms)
    })
    const { message } = exchange
    if (message === undefined || (response.headers.get("content-type") ?? "").includes("text/html")) {
      return yield* Effect.fail(webPage(peer, response.status))
    }
    const body = openBody(message)
    const utf8 = new TextDecoder()
    let text = ""
    while (text.length < LIST_BYTES) {
      const chunk = yield* Effect.mapError(body.read, (error) => brokenError(error, peer))
      if (chunk === undefined) break
      text += utf8.decode(chunk, { stream: true })
    }
    return modelsIn(text)
  }).pipe(Effect.scoped)

/** Something answers, but not to this question: no sign of a mistake. */
const listsNone = ({ code, status }: ProviderError): boolean =>
  code === "provider_bad_request" && (status === 404 || status === 405 || status === 501)

const refused = (error: ProviderError): Found => ({
  reachable: error.status !== undefined && error.code !== "provider_unreachable",
  auth: error.code === "provider_auth" ? "refused" : "unknown",
  ...(listsNone(error) ? {} : { error: { code: error.code, detail: error.detail } })
})

export const probe = Effect.fn("OpenAi.probe")(function* (config: OpenAiConfig) {
  const peer = peerOf(config)
  const start = yield* Clock.monotonicTimeNanos
  const now_ms = yield* Clock.currentTimeMillis
  const found = yield* fetchList(config, peer, now_ms).pipe(
    Effect.timeoutOrElse({ duration: LIMIT_MS, orElse: () => Effect.fail(expired("first_chunk", LIMIT_MS)) }),
    Effect.map((models): Found => ({
      reachable: true,
      auth: "ok",
      ...(models === undefined ? {} : { models, model_listed: isListed(models, config.model) })
    })),
    Effect.catch((error) => Effect.succeed(refused(error)))
  )
  const latency_ms = Number(((yield* Clock.monotonicTimeNanos) - start) / 1_000_000n)
  return { base_url: config.base_url, latency_ms, ...found } satisfies ProbeReport
})
