/**
 * What a server counts (R264, R265, R269). Owns: names, labels and their bounds; `Metrics.ts` has the latencies.
 * Does not own: when something is counted. Names and labels are a promise to dashboards and are pinned by a test.
 * Invariant: no label holds what a client chose; every label's values are a closed list.
 */
import { Effect, Metric } from "effect"

const gauge = (name: string, description: string) => Metric.gauge(`claw_${name}`, { description })
const counter = (name: string, description: string) =>
  Metric.counter(`claw_${name}_total`, { description, incremental: true })

/** Label `transport`: `tcp`, `ws`, `sse` (and `memory`, of programs that embed a server). */
export const connections = gauge("connections", "Connections that are open, by transport.")
export const sessionsOpen = gauge("sessions_open", "Sessions in memory.")
export const tasksActive = gauge("tasks_active", "Tasks that run; those that wait for a place are not among them.")
export const tasksWaiting = gauge("tasks_waiting", "Tasks that wait for a place.")
/** Labels `method`, `route` (its template, or `unmatched`), `status`. */
export const httpRequests = counter("http_requests", "HTTP requests answered, by route and status.")
/** Label `code`: with `claw_http_requests_total` and `claw_messages_total` it gives error rates. */
export const errors = counter("errors", "Errors that clients were told, by code.")
/** Labels `direction` (`in`, `out`), `transport`. */
export const messages = counter("messages", "Messages of connections, by direction and transport.")
export const slowConsumers = counter("slow_consumers", "Readers that were cut off because they read too slowly.")
export const authFailures = counter("auth_failures", "Requests and connections that were refused for who they are.")
export const eventLoopLag = gauge(
  "event_loop_lag_seconds",
  "How late the event loop was since somebody last looked: the 99th percentile."
)
export const eventLoopLagMax = gauge(
  "event_loop_lag_max_seconds",
  "How late the event loop was since somebody last looked: the worst case."
)

/** Counts where no fiber is: each call is one look into a map. */
export interface Counts {
  readonly received: (transport: string, count: number) => void
  /** Once for each batch that is handed to a transport, however many messages it has. */
  readonly sent: (transport: string, count: number) => void
  /** An error that somebody was told. */
  readonly told: (code: string) => void
  readonly slow: () => void
  readonly refused: () => void
}

/** A metric with one label more for each value that is asked for. */
const by = <A>(make: (value: string) => A) => {
  const known = new Map<string, A>()
  return (value: string): A => {
    const found = known.get(value) ?? make(value)
    known.set(value, found)
    return found
  }
}

/** Counts into the registry of the fiber that asks. What has no labels is there from the beginning, as zero. */
export const counts: Effect.Effect<Counts> = Effect.map(Effect.context<never>(), (context) => {
  const error = by((code) => Metric.withAttributes(errors, { code }))
  const message = (direction: string) => by((transport) => Metric.withAttributes(messages, { direction, transport }))
  const [incoming, outgoing] = [message("in"), message("out")]
  for (const metric of [slowConsumers, authFailures]) metric.updateUnsafe(0, context)
  return {
    received: (transport, count) => incoming(transport).updateUnsafe(count, context),
    sent: (transport, count) => outgoing(transport).updateUnsafe(count, context),
    told: (code) => error(code).updateUnsafe(1, context),
    slow: () => slowConsumers.updateUnsafe(1, context),
    refused: () => authFailures.updateUnsafe(1, context)
  }
})
