/**
 * A server that fails again and again is left alone for a while (R111, R114, RELIABILITY 3.6). Owns: a circuit for each
 * model of one server, shared by all sessions of this process. Does not own: retries (Retry.ts), other models
 * (engine/turn). Invariants: five tasks that failed in a row open it for 30 s on the monotonic clock, however often each
 * of them tried, so that nobody is kept from trying by one that gave up; then one call is let through in every 30 s, and
 * its end decides; any answer of the server, also a refusal, closes it; a call that was interrupted says nothing; a call
 * that was not let through is no failure.
 */
import { Cause, Clock, Effect, Exit, Stream } from "effect"
import { fault } from "../domain/FaultTexts.ts"
import type { ModelRequest, Provider } from "./Provider.ts"
import { type ProviderCode, ProviderError } from "./ProviderError.ts"

export interface BreakerLimits {
  /** In a row, one for each task; a call of which nobody knows whose it is counts by itself. */
  readonly failures: number
  readonly open_ms: number
}

export const defaults: BreakerLimits = { failures: 5, open_ms: 30_000 }

/** One model's circuit: closed while `open_until` is absent. Milliseconds of the monotonic clock. */
interface Circuit {
  failures: number
  /** Whose calls failed. */
  readonly tasks: Set<string>
  /** How the newest call failed. */
  last: ProviderError | undefined
  open_until: number | undefined
}

/** What says that the server is in trouble, and not the request, the account or our own limit. */
const trouble: ReadonlySet<ProviderCode> = new Set<ProviderCode>([
  "provider_unavailable",
  "provider_unreachable",
  "provider_timeout_connect",
  "provider_timeout_first_token",
  "provider_timeout_idle",
  "provider_bad_stream"
])

const refusal = (model: string, { failures, last }: Circuit, wait_ms: number): ProviderError => {
  const alone = fault("left_alone", { model, times: failures, seconds: Math.ceil(wait_ms / 1000) })
  return new ProviderError({
    code: last?.code ?? "provider_unavailable",
    // Why it failed is what a person can mend meanwhile.
    detail: `${alone} ${last?.detail ?? ""}`.trimEnd(),
    retryAfterMs: Math.ceil(wait_ms),
    open: true
  })
}

type Admitted = "closed" | "probe" | ProviderError

const admit = (circuit: Circuit, model: string, limits: BreakerLimits, now: number): Admitted => {
  const { open_until } = circuit
  if (open_until === undefined) return "closed"
  if (now < open_until) return refusal(model, circuit, open_until - now)
  // Others wait for this one's end, or for as long again: a probe that never ends blocks nobody.
  circuit.open_until = now + limits.open_ms
  return "probe"
}

type Ended = Exit.Exit<unknown, ProviderError>

interface Entered {
  readonly task: string | undefined
  readonly probe: boolean
}

const ended = (circuit: Circuit, limits: BreakerLimits, exit: Ended, { task, probe }: Entered, now: number): void => {
  const error = Exit.isSuccess(exit) ? undefined : exit.cause.reasons.find(Cause.isFailReason)?.error
  if (error === undefined && Exit.isFailure(exit)) {
    if (probe) circuit.open_until = now
    return
  }
  if (error === undefined || error.excess === true || !trouble.has(error.code)) {
    circuit.failures = 0
    circuit.tasks.clear()
    circuit.last = undefined
    circuit.open_until = undefined
    return
  }
  if (task === undefined || !circuit.tasks.has(task)) circuit.failures += 1
  if (task !== undefined) circuit.tasks.add(task)
  circuit.last = error
  if (circuit.failures >= limits.failures) circuit.open_until = now + limits.open_ms
}

/** The same provider with a circuit for each of its models. */
export const protect = (provider: Provider["Service"], limits: BreakerLimits = defaults): Provider["Service"] => {
  const circuits = new Map<string, Circuit>()
  const circuitOf = (model: string): Circuit => {
    const circuit = circuits.get(model) ?? { failures: 0, tasks: new Set(), last: undefined, open_until: undefined }
    circuits.set(model, circuit)
    return circuit
  }
  /** The circuit that a call has to report to, where it may be made. */
  const entered = ({ model = provider.model, task }: ModelRequest) =>
    Clock.clockWith((clock) => {
      const now = () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6
      const circuit = circuitOf(model)
      const admitted = admit(circuit, model, limits, now())
      if (admitted instanceof ProviderError) return Effect.fail(admitted)
      return Effect.succeed((exit: Ended) =>
        Effect.sync(() => ended(circuit, limits, exit, { task, probe: admitted === "probe" }, now()))
      )
    })
  return {
    ...provider,
    generate: (request) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(entered(request), (end) => Effect.onExit(restore(provider.generate(request)), end))
      ),
    stream: (request) =>
      Stream.unwrap(Effect.map(entered(request), (end) => Stream.onExit(provider.stream(request), end)))
  }
}
