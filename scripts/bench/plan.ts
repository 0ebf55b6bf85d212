/**
 * What is measured, against whom, and what is to be reached: PERFORMANCE's table as data. Owns: sizes of the jobs,
 * which numbers are shown, must and goal of each. A limit is a ratio to raw in the same round, or absolute.
 */
import type { ContenderName } from "./contenders/contender.ts"
import type { Params } from "./jobs/job.ts"

export interface Limit {
  readonly must: number
  readonly goal: number
}

export interface Metric {
  readonly key: string
  readonly label: string
  /** Default: less is better. */
  readonly more?: true
  /** To raw. */
  readonly ratio?: Limit
  /** To raw, for the SQLite journal, where it may cost. */
  readonly sqlite?: Limit
  readonly absolute?: Limit
  /** A count that fails the bench where it is above its must. */
  readonly gate?: true
}

export interface Plan {
  readonly job: string
  readonly about: string
  readonly file: string
  readonly contenders: ReadonlyArray<ContenderName>
  readonly params: Params
  readonly quick: Params
  /** At most so many rounds of it, where it is long or steady. */
  readonly rounds?: number
  readonly metrics: ReadonlyArray<Metric>
}

const all = ["raw", "sdk", "claw", "claw-sqlite"] as const
const memory = ["raw", "sdk", "claw"] as const
const same = (value: number): Limit => ({ must: value, goal: value })
const none = same(0)

const turnMetrics = (must: number, goal: number, sqlite: number): ReadonlyArray<Metric> => [
  { key: "ms_per_turn", label: "ms per turn", ratio: { must, goal }, sqlite: same(sqlite) },
  { key: "cpu_ms_per_turn", label: "CPU ms per turn" },
  { key: "growth", label: "last turns / first turns", absolute: same(1.3) }
]

const cancelMetrics = (p99: number): ReadonlyArray<Metric> => [
  { key: "ended_p50_ms", label: "terminal event, p50 ms", ratio: { must: 2, goal: 1.2 } },
  { key: "ended_p99_ms", label: "terminal event, p99 ms", absolute: same(p99) },
  { key: "closed_p50_ms", label: "socket closed, p50 ms" },
  { key: "closed_p99_ms", label: "socket closed, p99 ms", absolute: same(p99) }
]

export const plans: ReadonlyArray<Plan> = [
  {
    job: "text",
    about: "one answer of 50,000 deltas",
    file: "text",
    contenders: memory,
    params: { deltas: 50_000, warm: 2000 },
    quick: { deltas: 2000, warm: 100 },
    metrics: [
      { key: "per_s", label: "deltas/s", more: true, ratio: { must: 0.5, goal: 0.8 } },
      { key: "cpu_us", label: "CPU µs per delta", absolute: { must: 12, goal: 6 } }
    ]
  },
  {
    job: "ttfd",
    about: "call to first delta",
    file: "firstDelta",
    contenders: all,
    params: { runs: 250, warm: 50 },
    quick: { runs: 10, warm: 2 },
    metrics: [
      { key: "p50_ms", label: "p50 ms", ratio: { must: 1.5, goal: 0.8 } },
      { key: "p99_ms", label: "p99 ms" },
      { key: "cpu_ms", label: "CPU ms per answer" }
    ]
  },
  {
    job: "tools1",
    about: "200 turns of one call",
    file: "toolTurns",
    contenders: all,
    params: { turns: 200, calls: 1, warm: 20 },
    quick: { turns: 4, calls: 1, warm: 1 },
    metrics: turnMetrics(1.5, 1, 2.2)
  },
  {
    job: "tools8",
    about: "50 turns of eight calls",
    file: "toolTurns",
    contenders: all,
    params: { turns: 50, calls: 8, warm: 10 },
    quick: { turns: 3, calls: 8, warm: 1 },
    metrics: turnMetrics(2, 1.2, 2.8)
  },
  {
    job: "cancel1",
    about: "interrupt one streaming run",
    file: "cancel",
    contenders: memory,
    params: { runs: 1, rounds: 20 },
    quick: { runs: 1, rounds: 2 },
    metrics: cancelMetrics(20)
  },
  {
    job: "cancel500",
    about: "interrupt 500 streaming runs at once",
    file: "cancel",
    contenders: memory,
    params: { runs: 500, rounds: 2 },
    quick: { runs: 5, rounds: 1 },
    metrics: cancelMetrics(250)
  },
  {
    job: "bash",
    about: "interrupt a task inside bash",
    file: "cancelBash",
    contenders: ["claw"],
    params: { rounds: 10 },
    quick: { rounds: 1 },
    metrics: [
      { key: "gone_p99_ms", label: "process group gone, p99 ms", absolute: same(20) },
      { key: "ended_p99_ms", label: "terminal event, p99 ms", absolute: same(20) },
      { key: "late", label: "groups that outlived it", absolute: none, gate: true }
    ]
  },
  {
    job: "conc500",
    about: "500 slow runs, 20 deltas/s each",
    file: "concurrent",
    contenders: memory,
    params: { runs: 500, interval_ms: 50, window_ms: 2500 },
    quick: { runs: 5, interval_ms: 20, window_ms: 200 },
    metrics: [
      { key: "rss_kib", label: "RSS KiB per run", ratio: { must: 1.8, goal: 1 } },
      { key: "p99_ms", label: "p99 delta delay, ms", ratio: { must: 2, goal: 1.2 } },
      { key: "cpu_percent", label: "CPU %", ratio: { must: 1.4, goal: 1.2 } }
    ]
  },
  {
    job: "history",
    about: "a finished session of 1,000 messages",
    file: "history",
    contenders: all,
    params: { turns: 499, warm: 20 },
    quick: { turns: 5, warm: 2 },
    rounds: 1,
    metrics: [
      { key: "heap_kib", label: "heap KiB", ratio: { must: 1.3, goal: 1 }, sqlite: { must: 1.3, goal: 1 } },
      { key: "external_kib", label: "outside the heap, KiB" }
    ]
  },
  {
    job: "stored",
    about: "a store that has grown: a list, a long session, space",
    file: "stored",
    contenders: ["claw-sqlite"],
    params: { sessions: 1000, events: 10_000, gone: 250 },
    quick: { sessions: 20, events: 200, gone: 20 },
    rounds: 1,
    metrics: [
      { key: "list_ms", label: "list of 1,000 sessions, ms", absolute: same(100) },
      { key: "list_cpu_ms", label: "the same, CPU ms" },
      { key: "recover_ms", label: "10,000 events back, ms", absolute: same(200) },
      { key: "recover_cpu_ms", label: "the same, CPU ms" },
      { key: "step_ms", label: "longest step of giving space back, ms", absolute: same(20) }
    ]
  },
  {
    job: "leak",
    about: "10,000 cancelled tasks",
    file: "leak",
    contenders: ["claw"],
    params: { tasks: 10_000, warm: 500, together: 60 },
    quick: { tasks: 9, warm: 9, together: 3 },
    rounds: 1,
    metrics: [
      { key: "fibers", label: "fibers left", absolute: none, gate: true },
      { key: "handles", label: "handles left", absolute: none, gate: true },
      { key: "descriptors", label: "descriptors left", absolute: none, gate: true },
      { key: "children", label: "children left", absolute: none, gate: true },
      { key: "heap_mib", label: "heap grown, MiB", absolute: same(5), gate: true }
    ]
  },
  {
    job: "cold",
    about: "start-up of dist/claw.js",
    file: "cold",
    contenders: ["raw", "claw"],
    params: { runs: 5 },
    quick: { runs: 1 },
    metrics: [
      { key: "version_ms", label: "--version, ms", ratio: { must: 1.3, goal: 1.1 } },
      { key: "help_ms", label: "--help, ms", ratio: { must: 2, goal: 1.3 } },
      { key: "help_rss_mib", label: "--help, MiB", absolute: same(45) },
      { key: "prompt_ms", label: "prompt ready, ms", ratio: same(5) },
      { key: "reply_ms", label: "run, one reply, ms", ratio: { must: 3, goal: 2 } },
      { key: "reply_rss_mib", label: "run, one reply, MiB", absolute: { must: 110, goal: 90 } }
    ]
  }
]
