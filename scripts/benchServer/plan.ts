/**
 * What is measured at the server, and what is to be reached (RELIABILITY 3.1 and 3.4, PERFORMANCE): as data. Owns: sizes
 * of the jobs, settings of the server under each, which numbers are shown, must and goal of each.
 */
import type { Limit } from "../bench/plan.ts"
import type { Params } from "./lab.ts"

export interface Metric {
  readonly key: string
  readonly label: string
  /** Default: less is better. */
  readonly more?: true
  readonly limit?: Limit
  /** A count: the bench fails where it is not reached. */
  readonly gate?: true
}

export interface Plan {
  readonly job: string
  readonly about: string
  readonly params: Params
  readonly quick: Params
  readonly patience_ms: number
  /** Its server has garbage collected on demand. */
  readonly inspected?: true
  readonly metrics: ReadonlyArray<Metric>
}

const same = (value: number): Limit => ({ must: value, goal: value })
const none = same(0)
const minute = 60_000

const driver: ReadonlyArray<Metric> = [
  { key: "driver_late_ms", label: "the driver's own lateness, p99 ms", limit: same(20) }
]
const busy: ReadonlyArray<Metric> = [
  { key: "cpu_percent", label: "server CPU, % of a core" },
  { key: "driver_cpu_percent", label: "driver CPU, % of a core" },
  ...driver
]

/**
 * What one person's defaults would refuse of a load like this. The window: a conversation of hundreds of tasks would be
 * compacted, and a model whose answers do not end would never end the summary.
 */
export const settings: Readonly<Record<string, string>> = {
  CLAW_CONTEXT_WINDOW: "1000000",
  CLAW_LIMIT_PROMPTS_PER_MINUTE: "1000000",
  CLAW_LIMIT_MESSAGES_PER_SECOND: "100000",
  CLAW_LIMIT_TASKS: "2000"
}

export const plans: ReadonlyArray<Plan> = [
  {
    job: "streams",
    about: "500 tasks streaming at 20 deltas/s",
    params: { tasks: 500, interval_ms: 50, window_ms: 15_000 },
    quick: { tasks: 6, interval_ms: 50, window_ms: 500 },
    patience_ms: 3 * minute,
    metrics: [
      { key: "p99_ms", label: "provider to client, p99 ms", limit: { must: 50, goal: 20 } },
      { key: "p50_ms", label: "p50 ms" },
      { key: "floor_ms", label: "read without a server, p99 ms" },
      { key: "loop_p99_ms", label: "the server's loop delay, p99 ms", limit: same(20) },
      { key: "arrived", label: "deltas that came, of those due", more: true, limit: { must: 0.95, goal: 0.99 } },
      { key: "frames_per_s", label: "frames/s" },
      { key: "rss_mib", label: "server RSS, MiB" },
      ...busy
    ]
  },
  {
    job: "burst",
    about: "25,000 events/s for a minute",
    params: { tasks: 250, interval_ms: 40, burst: 4, window_ms: 60_000, rest_ms: 45_000 },
    quick: { tasks: 5, interval_ms: 40, burst: 4, window_ms: 1000, rest_ms: 500 },
    inspected: true,
    patience_ms: 6 * minute,
    metrics: [
      { key: "per_s", label: "events/s", more: true, limit: { must: 23_750, goal: 24_750 } },
      { key: "frames_per_s", label: "frames/s" },
      { key: "p99_ms", label: "p99 ms", limit: { must: 200, goal: 50 } },
      { key: "back", label: "memory after / before", limit: same(1.1) },
      { key: "rested_mib", label: "RSS before, MiB" },
      { key: "peak_mib", label: "RSS at most, MiB" },
      ...busy
    ]
  },
  {
    job: "idle",
    about: "5,000 WebSocket and 5,000 TCP connections, each with a session",
    params: { each: 5000, hold_ms: 20_000 },
    quick: { each: 10, hold_ms: 500 },
    patience_ms: 5 * minute,
    metrics: [
      { key: "rss_mib", label: "RSS at most, MiB", limit: { must: 1229, goal: 800 } },
      { key: "kib_each", label: "KiB each" },
      { key: "lost", label: "closed unasked", limit: none, gate: true },
      { key: "connected_s", label: "seconds to connect them all" },
      { key: "pong_p99_ms", label: "pong of each, p99 ms" },
      { key: "idle_cpu_percent", label: "server CPU at rest, %" },
      ...driver
    ]
  },
  {
    job: "stalled",
    about: "one stalled reader among 100",
    params: {
      readers: 100,
      interval_ms: 20,
      rounds: 3,
      window_ms: 5000,
      stalled: 20,
      stall_ms: 12_000,
      fast_interval_ms: 4,
      fast_size: 4096
    },
    quick: {
      readers: 6,
      interval_ms: 20,
      rounds: 1,
      window_ms: 500,
      stalled: 2,
      stall_ms: 2000,
      fast_interval_ms: 4,
      fast_size: 4096
    },
    inspected: true,
    patience_ms: 6 * minute,
    metrics: [
      { key: "neighbours", label: "neighbours' p99, stalled / read", limit: same(1.2) },
      { key: "unread_p99_ms", label: "p99 beside a stalled one, ms" },
      { key: "mib_each", label: "memory of a stalled one, MiB", limit: same(2) },
      { key: "faults", label: "gaps after coming back", limit: none, gate: true },
      { key: "cut", label: "cut off as slow" },
      ...driver
    ]
  },
  {
    job: "churn",
    about: "500 connects/s, then 10,000 cancelled tasks",
    params: { connects_per_s: 500, seconds: 30, tasks: 10_000, warm: 1000, together: 60, rest_ms: 15_000 },
    quick: { connects_per_s: 50, seconds: 1, tasks: 9, warm: 3, together: 3, rest_ms: 500 },
    inspected: true,
    patience_ms: 15 * minute,
    metrics: [
      { key: "connect_p99_ms", label: "connect to pong, p99 ms", limit: same(100) },
      { key: "descriptors", label: "descriptors left", limit: { must: 2, goal: 0 }, gate: true },
      { key: "children", label: "children left", limit: none, gate: true },
      { key: "resources", label: "timers, sockets and pipes left", limit: none },
      { key: "held_mib", label: "objects and buffers held more, MiB", limit: same(5) },
      { key: "held_slope_bytes", label: "of them per task, second half, bytes", limit: same(100) },
      { key: "grown_by_visits_mib", label: "RSS grown by visits, MiB" },
      { key: "grown_mib", label: "RSS grown in all, MiB", limit: same(20) },
      { key: "slope_bytes", label: "RSS per task, second half, bytes (free memory is in it)" },
      { key: "tasks_s", label: "seconds for the tasks" },
      ...driver
    ]
  },
  {
    job: "storm",
    about: "2,000 clients come back, 1,000 events behind",
    params: { clients: 2000, sessions: 40, behind: 1000 },
    quick: { clients: 6, sessions: 2, behind: 20 },
    patience_ms: 5 * minute,
    metrics: [
      { key: "seconds", label: "until the last has caught up, s", limit: { must: 15, goal: 8 } },
      { key: "missed", label: "clients that missed something", limit: none, gate: true },
      { key: "facts_per_s", label: "facts/s" },
      { key: "rss_mib", label: "server RSS, MiB" },
      ...busy
    ]
  },
  {
    job: "interrupt",
    about: "interrupt among 500 streaming tasks",
    params: { tasks: 500, interval_ms: 50, clients: 10, rounds: 30 },
    quick: { tasks: 5, interval_ms: 50, clients: 2, rounds: 2 },
    patience_ms: 3 * minute,
    metrics: [
      { key: "p99_ms", label: "interrupt to task_canceled, p99 ms", limit: { must: 250, goal: 100 } },
      { key: "p50_ms", label: "p50 ms" },
      { key: "load_p99_ms", label: "deltas of the others, p99 ms" },
      ...driver
    ]
  },
  {
    job: "appends",
    about: "prompts stored among 500 streaming tasks",
    params: { tasks: 500, interval_ms: 50, clients: 10, pause_ms: 500, window_ms: 15_000 },
    quick: { tasks: 5, interval_ms: 50, clients: 2, pause_ms: 10, window_ms: 500 },
    patience_ms: 3 * minute,
    metrics: [
      { key: "p99_ms", label: "handed over to committed, p99 ms", limit: same(5) },
      { key: "p50_ms", label: "p50 ms" },
      { key: "commit_max_ms", label: "one transaction, at most ms", limit: same(20) },
      { key: "loop_max_ms", label: "the event loop blocked, at most ms", limit: same(20) },
      { key: "loop_p99_ms", label: "the same, p99 ms" },
      { key: "appends_per_s", label: "appends/s" },
      { key: "tasks_per_s", label: "tasks/s" },
      ...driver
    ]
  },
  {
    job: "relay",
    about: "text at full speed, to the rate in process",
    params: { deltas: 50_000, rounds: 5 },
    quick: { deltas: 2000, rounds: 1 },
    patience_ms: 4 * minute,
    metrics: [
      { key: "tcp", label: "TCP, ratio", more: true, limit: { must: 0.5, goal: 0.8 } },
      { key: "ws", label: "WebSocket, ratio", more: true, limit: { must: 0.5, goal: 0.8 } },
      { key: "process_per_s", label: "in process, deltas/s" },
      { key: "tcp_per_s", label: "TCP, deltas/s" },
      { key: "ws_per_s", label: "WebSocket, deltas/s" },
      ...driver
    ]
  }
]
