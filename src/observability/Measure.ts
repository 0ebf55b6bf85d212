/**
 * Measurements as a fold of a session's events: one more subscriber of the hub, so that neither engine nor tools know
 * that they are measured (DESIGN §2). Pure: time comes from the events themselves.
 * Invariant: what is kept belongs to the running task only and is dropped with its terminal event, so memory is flat.
 */
import { isNested, type SessionEvent } from "../domain/Event.ts"

export type Measurement =
  | {
      readonly name: "model_latency" | "first_token" | "tool_latency" | "approval_wait" | "task_latency"
      readonly ms: number
      readonly attributes: Readonly<Record<string, string>>
    }
  | { readonly name: "task"; readonly attributes: Readonly<Record<string, string>> }

type Timed = Exclude<Measurement, { readonly name: "task" }>["name"]

export interface MeasureState {
  /** When the task began; absent: none runs. */
  readonly task?: number
  /** The model call that is open: when it began, and whether anything has come of it. */
  readonly model?: { readonly at: number; readonly spoke: boolean }
  /** Open questions, by request id. */
  readonly asked: ReadonlyMap<string, number>
}

export const initial: MeasureState = { asked: new Map() }

export interface Measured {
  readonly state: MeasureState
  readonly measurements: ReadonlyArray<Measurement>
}

const timed = (name: Timed, ms: number, attributes: Readonly<Record<string, string>> = {}): Measurement => ({
  name,
  // Wall clocks step back; a duration does not.
  ms: Math.max(0, ms),
  attributes
})

const only = (state: MeasureState, ...measurements: ReadonlyArray<Measurement>): Measured => ({ state, measurements })

const spoke = (state: MeasureState, now: number): Measured => {
  if (state.model === undefined || state.model.spoke) return only(state)
  return only({ ...state, model: { ...state.model, spoke: true } }, timed("first_token", now - state.model.at))
}

const answered = (state: MeasureState, now: number, finish_reason: string): Measured => {
  const { model, ...rest } = state
  return model === undefined ? only(state) : only(rest, timed("model_latency", now - model.at, { finish_reason }))
}

const resolved = (
  state: MeasureState,
  now: number,
  id: string | undefined,
  via: string,
  decision: string
): Measured => {
  const at = id === undefined ? undefined : state.asked.get(id)
  if (id === undefined || at === undefined) return only(state)
  const asked = new Map(state.asked)
  asked.delete(id)
  return only({ ...state, asked }, timed("approval_wait", now - at, { via, decision }))
}

const ended = (state: MeasureState, now: number, outcome: string, code?: string): Measured => {
  const attributes = code === undefined ? { outcome } : { outcome, code }
  const latency = state.task === undefined ? [] : [timed("task_latency", now - state.task, { outcome })]
  return only(initial, ...latency, { name: "task", attributes })
}

/** The next state and what this event tells. */
export const measure = (state: MeasureState, event: SessionEvent): Measured => {
  const now = Date.parse(event.ts)
  // One model and one question at a time are measured: the task's. What a subagent's tools took counts as tools' time.
  if (isNested(event) && event.type !== "tool_result") return only(state)
  switch (event.type) {
    case "task_started":
      return only({ ...initial, task: now })
    case "thinking":
    case "stream_reset":
      return only({ ...state, model: { at: now, spoke: false } })
    case "text_delta":
    case "thinking_delta":
      return spoke(state, now)
    case "text_completed":
      return answered(state, now, event.finish_reason)
    case "approval_request":
      return only({ ...state, asked: new Map(state.asked).set(event.request_id, now) })
    case "approval_resolved":
      return resolved(state, now, event.request_id, event.via, event.decision)
    case "tool_result":
      return only(state, timed("tool_latency", event.duration_ms, { tool_name: event.tool_name, status: event.status }))
    case "task_completed":
      return ended(state, now, "completed")
    case "task_canceled":
      return ended(state, now, "canceled")
    case "task_failed":
      return ended(state, now, "failed", event.error.code)
    default:
      return only(state)
  }
}

/** What a model made up is no tool's name. */
const UNKNOWN = "unknown"

const named = (measurement: Measurement, tools: ReadonlySet<string>): Measurement => {
  const { tool_name } = measurement.attributes
  if (tool_name === undefined || tools.has(tool_name)) return measurement
  return { ...measurement, attributes: { ...measurement.attributes, tool_name: UNKNOWN } }
}

/** A sink for a subscription: measures as events come and hands on what there is. `tools`: those that there are. */
export const observer = (record: (measurements: ReadonlyArray<Measurement>) => void, tools?: ReadonlySet<string>) => {
  let state = initial
  return (events: ReadonlyArray<SessionEvent>): void => {
    for (const event of events) {
      // Every later delta of an answer tells nothing: the hot path ends here.
      const delta = event.type === "text_delta" || event.type === "thinking_delta"
      if (delta && state.model?.spoke !== false) continue
      const measured = measure(state, event)
      state = measured.state
      const { measurements } = measured
      if (measurements.length === 0) continue
      record(tools === undefined ? measurements : measurements.map((one) => named(one, tools)))
    }
  }
}
