/**
 * A provider over any OpenAI-compatible `/chat/completions` or `/responses`. Owns: one call from request to parts, in a scope. Does not
 * own: retries, history, the choice of a profile. The openai package makes the request; its own retries and time limits
 * are off, and the answer is read from the socket (see transport.ts for why).
 * Invariant: a stream ends with exactly one `completed` or one `ProviderError`; when it ends in any other way its
 * socket is closed at once (R128, R130). One socket read is one array of parts.
 */
import type { IncomingMessage } from "node:http"
import { Cause, Channel, Clock, Effect, Layer, type Pull, Redacted, Scope, Stream } from "effect"
import { fault } from "../../domain/FaultTexts.ts"
import { newCallId } from "../../domain/Ids.ts"
import type { Usage } from "../../domain/Usage.ts"
import { type DeadlineLimits, type Step, defaults, withDeadlines } from "../Deadlines.ts"
import type { Completed, ModelPart } from "../ModelPart.ts"
import type { Profile } from "../Profiles.ts"
import { type Capabilities, type ModelRequest, Provider } from "../Provider.ts"
import { ProviderError, withUsage } from "../ProviderError.ts"
import { type Body, openBody } from "./body.ts"
import { type Client, callError, openClient } from "./client.ts"
import { type Decoder, type DecoderOptions, type Read, openDocumentDecoder, openEventDecoder } from "./decoder.ts"
import { type Dialect, dialects } from "./dialects.ts"
import { wireName } from "./encoder.ts"
import { type Peer, refusalError, webPage } from "./failure.ts"
import { brokenError } from "./networkFailure.ts"
import type { ViaProxy } from "./Proxy.ts"
import { type Agents, type Exchange, close, closeAgents, openAgents, openExchange, settle } from "./transport.ts"

export interface OpenAiConfig {
  readonly profile: Profile
  /** Default: what the profile says, else `chat`. */
  readonly api?: keyof typeof dialects
  readonly base_url: string
  readonly model: string
  readonly key?: Redacted.Redacted<string>
  /** The setting the key came from, for messages. */
  readonly key_source?: string
  readonly capabilities?: Partial<Capabilities>
  readonly deadlines?: Partial<DeadlineLimits>
  readonly headers?: Readonly<Record<string, string>>
  /** Through whom the server is reached; absent: directly. */
  readonly proxy?: ViaProxy
}

/** A finished answer whose connection stays open is waited for this long, for its usage (LESSONS 6). */
const AFTER_FINISH_MS = 2000

/** A request without a stream is silent until it is done: only `total_ms`, or this, ends it. */
const WHOLE_ANSWER_MS = 600_000

export const peerOf = (config: OpenAiConfig): Peer => ({
  base_url: config.base_url,
  model: config.model,
  title: config.profile.title,
  key: config.key === undefined ? undefined : Redacted.value(config.key),
  key_source: config.key_source,
  key_variable: config.profile.key_env[0],
  start_hint: config.profile.start_hint,
  proxy: config.proxy?.host
})

/** Waits until the socket stands, so that connecting has a limit of its own. */
const connection = (exchange: Exchange): Effect.Effect<void> =>
  Effect.callback((resume) => {
    if (exchange.connected || exchange.failed) return resume(Effect.void)
    exchange.onConnected = () => resume(Effect.void)
    return Effect.sync(() => void (exchange.onConnected = undefined))
  })

interface Call {
  readonly exchange: Exchange
  readonly response: Promise<Response>
  readonly peer: Peer
  readonly decoding: DecoderOptions
  /** What the server counted so far. */
  told: () => Usage | undefined
}

/** The head of the answer, as soon as it is one; whatever else comes, the package has to say what it is. */
const headOf = (call: Call, now_ms: number): Effect.Effect<IncomingMessage, ProviderError> =>
  Effect.callback((resume) => {
    const { exchange, peer, response } = call
    if (exchange.message !== undefined) return resume(Effect.succeed(exchange.message))
    exchange.onMessage = (message) => resume(Effect.succeed(message))
    response.then(
      ({ status }) => exchange.message ?? resume(Effect.fail(webPage(peer, status))),
      (error: unknown) => resume(Effect.fail(callError(error, peer, now_ms)))
    )
    return Effect.sync(() => void (exchange.onMessage = undefined))
  })

const answered = (call: Call, now_ms: number): Effect.Effect<{ body: Body; decoder: Decoder }, ProviderError> =>
  Effect.flatMap(headOf(call, now_ms), (message) => {
    const type = message.headers["content-type"]?.toLowerCase() ?? ""
    if (type.includes("text/html")) return Effect.fail(webPage(call.peer, message.statusCode ?? 200))
    const decoder = type.includes("json") ? openDocumentDecoder(call.decoding) : openEventDecoder(call.decoding)
    call.told = decoder.told
    return Effect.succeed({ body: openBody(message), decoder })
  })

type Steps = Pull.Pull<Step<ModelPart>, ProviderError>

const done: Steps = Effect.suspend(() => Cause.done())

/** What each read gives, until the end. */
const reads = (call: Call, body: Body, decoder: Decoder): Steps => {
  let ending: Steps | undefined
  /** When waiting for more of a finished answer ends; whatever adds nothing to it does not put that off. */
  let until: number | undefined
  const took = ({ parts, heard, failure, ended }: Read): Steps => {
    if (heard) until = undefined
    if (failure !== undefined) ending = Effect.fail(failure)
    else if (ended) ending = Effect.andThen(settle(call.exchange), done)
    if (heard || parts.length > 0) return Effect.succeed(parts)
    return ending ?? next
  }
  const onFailure = (error: Error): Steps =>
    // Once the answer is whole, the way the connection ends does not matter.
    decoder.finished() ? took(decoder.end()) : Effect.fail(withUsage(brokenError(error, call.peer), call.told()))
  const onSuccess = (chunk: Uint8Array | undefined): Steps =>
    took(chunk === undefined ? decoder.end() : decoder.feed(chunk))
  const reading = Effect.matchEffect(body.read, { onFailure, onSuccess })
  const last = Clock.clockWith((clock) => {
    const now = Number(clock.monotonicTimeNanosUnsafe()) / 1e6
    until ??= now + AFTER_FINISH_MS
    const duration = Math.max(0, until - now)
    return Effect.matchEffect(Effect.timeoutOrElse(body.read, { duration, orElse: () => Effect.undefined }), {
      onFailure,
      onSuccess
    })
  })
  const next: Steps = Effect.suspend(() => ending ?? (decoder.finished() ? last : reading))
  return next
}

/** The steps of a call: connected, then what each read gave. */
const stepsOf = (call: Call, now_ms: number): Steps => {
  let next: Steps = Effect.map(connection(call.exchange), () => {
    next = Effect.flatMap(answered(call, now_ms), ({ body, decoder }) => {
      next = reads(call, body, decoder)
      return next
    })
    return "connected" as const
  })
  return Effect.suspend(() => next)
}

const capabilityError = (request: ModelRequest, capabilities: Capabilities): ProviderError | undefined =>
  request.tools.length > 0 && !capabilities.tools
    ? new ProviderError({
        code: "provider_capability",
        detail: fault("no_tools")
      })
    : undefined

const makeCall = (config: OpenAiConfig, dialect: Dialect, peer: Peer, client: Client) => {
  const { base_url, model, profile } = config
  const encode = dialect.encoder(profile, { base_url, model }, config.capabilities?.reasoning ?? true)
  return (request: ModelRequest, streaming: boolean, now_ms: number): { call: Call; note: Effect.Effect<void> } => {
    const exchange = openExchange()
    const { body, difference } = encode(request, streaming)
    const sent = body.reduce((bytes, chunk) => bytes + chunk.length, 0)
    const asked: Peer = request.model === undefined ? peer : { ...peer, model: request.model }
    const decoding: DecoderOptions = {
      open: () => dialect.open(profile, { base_url, model: asked.model }, sent),
      errorIn: dialect.errorIn,
      newId: newCallId,
      offered: new Set(request.tools.map(({ name }) => wireName(name))),
      refusal: (error) => refusalError({ status: undefined, error, header: () => undefined, now_ms }, asked)
    }
    const note =
      difference === undefined
        ? Effect.void
        : Effect.logDebug("The request does not begin with the last one; the prompt cache is lost.", {
            where: difference.where
          })
    return {
      call: {
        exchange,
        response: client.post(dialect.path, body, exchange, streaming),
        peer: asked,
        decoding,
        told: () => undefined
      },
      note
    }
  }
}

const driver = (config: OpenAiConfig, agents: Agents) => {
  const dialect = dialects[config.api ?? config.profile.api ?? "chat"]
  const peer = { ...peerOf(config), offers: dialect.offers }
  const open = makeCall(config, dialect, peer, openClient(config.base_url, peer.key, config.headers ?? {}, agents))
  const capabilities: Capabilities = { streaming: true, tools: true, reasoning: true, ...config.capabilities }
  const limits: DeadlineLimits = { ...defaults, ...config.profile.deadlines, ...config.deadlines }
  const whole = Number.isFinite(limits.total_ms) ? limits.total_ms : WHOLE_ANSWER_MS
  const parts = (request: ModelRequest, streaming: boolean): Stream.Stream<ModelPart, ProviderError> => {
    // Of another model than the configured one, whoever asks for it knows more than we do.
    const unable = request.model === undefined ? capabilityError(request, capabilities) : undefined
    if (unable !== undefined) return Stream.fail(unable)
    const kept = streaming ? limits : { ...limits, first_chunk_ms: whole, idle_ms: whole }
    const pull = Effect.gen(function* () {
      const now_ms = yield* Clock.currentTimeMillis
      const { call, note } = yield* Effect.acquireRelease(
        Effect.sync(() => open(request, streaming, now_ms)),
        ({ call }) => Effect.sync(() => close(call.exchange))
      )
      yield* note
      const counted = (error: ProviderError) => withUsage(error, call.told())
      return yield* withDeadlines(kept, stepsOf(call, now_ms), () => close(call.exchange), counted)
    })
    // Not `Stream.scoped`, which provides the scope to every pull.
    return Stream.fromChannel(Channel.fromTransformBracket((_, __, scope) => Scope.provide(pull, scope)))
  }
  const generate = (request: ModelRequest): Effect.Effect<Completed, ProviderError> =>
    Stream.runFold(
      parts(request, false),
      (): Completed | undefined => undefined,
      (found, part) => (part.type === "completed" ? part : found)
    ).pipe(
      Effect.flatMap((completed) =>
        completed === undefined
          ? Effect.fail(new ProviderError({ code: "provider_bad_stream", detail: fault("nothing") }))
          : Effect.succeed(completed)
      )
    )
  return Provider.of({ model: config.model, capabilities, generate, stream: (request) => parts(request, true) })
}

/** The pool of connections lives as long as the scope; calls close their own. */
export const make = Effect.fnUntraced(function* (config: OpenAiConfig) {
  const agents = yield* Effect.acquireRelease(
    Effect.sync(() => openAgents(config.proxy?.url)),
    (agents) => Effect.sync(() => closeAgents(agents))
  )
  return driver(config, agents)
})

export const layer = (config: OpenAiConfig) => Layer.effect(Provider, make(config))
