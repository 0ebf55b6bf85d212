/**
 * What is measured (R262, R266–R269), and how measurements reach Effect's registry. Owns: names, units, boundaries.
 * Does not own: when something is measured (Measure.ts folds it out of events; nobody calls this from the engine).
 * Names and attributes are a promise to dashboards and are pinned by a test. Durations are seconds, as Prometheus
 * counts them.
 */
import { Context, Effect, Metric } from "effect"
import type { Measurement } from "./Measure.ts"

/** From a local cache hit to the longest healthy answer. */
const model = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320]
const tool = [0.001, 0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 600]
/** A commit takes half a millisecond; beyond 20 the loop or the disk is in trouble. */
const store = [0.0005, 0.001, 0.002, 0.003, 0.005, 0.0075, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5]
const person = [1, 2, 5, 10, 30, 60, 120, 300, 900, 1800]

const seconds = (name: string, description: string, boundaries: ReadonlyArray<number>) =>
  Metric.histogram(`claw_${name}_seconds`, { description, boundaries })

export const modelLatency = seconds("model_latency", "From asking the model to its complete answer.", model)
export const firstToken = seconds("model_first_token", "From asking the model to the first text or reasoning.", model)
export const toolLatency = seconds("tool_latency", "From the start of a tool to its result.", tool)
export const approvalWait = seconds("approval_wait", "From asking a person to the answer.", person)
export const appendLatency = seconds("journal_append", "From handing facts to the journal to their commit.", store)
export const commitTime = seconds(
  "journal_commit",
  "A transaction of the store that keeps the event loop until it is over.",
  store
)
export const taskLatency = seconds("task_latency", "From the start of a task to its end.", tool)
export const tasks = Metric.counter("claw_tasks_total", {
  description: "Tasks that ended, by outcome and, where they failed, error code.",
  incremental: true
})

const histograms = {
  model_latency: modelLatency,
  first_token: firstToken,
  tool_latency: toolLatency,
  approval_wait: approvalWait,
  task_latency: taskLatency
} as const

/** A model may make up any number of tool names; each would be a series of its own. */
const MAX_TOOL_NAMES = 200

const boundedNames = () => {
  const seen = new Set<string>()
  return (name: string): string => {
    if (!seen.has(name) && seen.size >= MAX_TOOL_NAMES) return "other"
    seen.add(name)
    return name
  }
}

const namers = new WeakMap<object, (name: string) => string>()

/** One set for the registry: what each session had for itself would be unbounded again. */
const namerOf = (registry: object) => {
  const known = namers.get(registry) ?? boundedNames()
  namers.set(registry, known)
  return known
}

type Attributes = Measurement["attributes"]
type Tracked = typeof tasks | (typeof histograms)[keyof typeof histograms]
const series = new Map<string, Tracked>()
const labelled = Metric.withAttributes as <M extends Tracked>(metric: M, attributes: Attributes) => M

/** The same metric for the same attributes: each has its key made once, which took most of a measurement. */
const seriesOf = <M extends Tracked>(name: Measurement["name"], metric: M, attributes: Attributes): M => {
  const key = `${name} ${JSON.stringify(attributes)}`
  const known = (series.get(key) as M | undefined) ?? labelled(metric, attributes)
  series.set(key, known)
  return known
}

/** Records into the registry of the fiber that asks. The function it gives never waits and never throws. */
export const recorder: Effect.Effect<(measurements: ReadonlyArray<Measurement>) => void> = Effect.map(
  Effect.context(),
  (context) => {
    const nameOf = namerOf(Context.get(context, Metric.MetricRegistry))
    return (measurements) => {
      for (const measurement of measurements) {
        if (measurement.name === "task") {
          seriesOf("task", tasks, measurement.attributes).updateUnsafe(1, context)
          continue
        }
        const { tool_name } = measurement.attributes
        const attributes =
          tool_name === undefined ? measurement.attributes : { ...measurement.attributes, tool_name: nameOf(tool_name) }
        const histogram = histograms[measurement.name]
        seriesOf(measurement.name, histogram, attributes).updateUnsafe(measurement.ms / 1000, context)
      }
    }
  }
)
