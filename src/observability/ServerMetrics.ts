/**
 * What a server counts (R264, R265, R269). Owns: names, labels and their bounds; `Metrics.ts` has the latencies.
 * Does not own: when something is counted. Names and labels are a promise to dashboards and are pinned by a test.
 * Invariant: no label holds what a client chose; every label's values are a closed list.
 */
import { Metric } from "effect"

const gauge = (name: string, description: string) => Metric.gauge(`claw_${name}`, { description })
const counter = (name: string, description: string) =>
  Metric.counter(`claw_${name}_total`, { description, incremental: true })

/** Label `transport`: `tcp`, `ws`, `sse`. */
export const connections = gauge("connections", "Connections that are open, by transport.")
export const sessionsOpen = gauge("sessions_open", "Sessions in memory.")
export const tasksActive = gauge("tasks_active", "Tasks that run.")
export const tasksWaiting = gauge("tasks_waiting", "Tasks that wait for a place.")
/** Labels `method`, `route` (its template, or `unmatched`), `status`. */
export const httpRequests = counter("http_requests", "HTTP requests answered, by route and status.")
/** Label `code`: with `claw_http_requests_total` and `claw_messages_total` it gives error rates. */
export const errors = counter("errors", "Errors that clients were told, by code.")
/** Label `direction`: `in`, `out`. */
export const messages = counter("messages", "Messages of connections, by direction.")
export const slowConsumers = counter("slow_consumers", "Readers that were cut off because they read too slowly.")
export const authFailures = counter("auth_failures", "Requests and connections that were refused for who they are.")
