/**
 * The names under which spans, log lines and metrics are found again (R262, R263). Owns: the names, and the spans.
 * Invariant: one thing has one name everywhere: the ids are spelt as on the wire, so that a log line, a span and an
 * event of the same task can be joined. Names are a promise to dashboards and are pinned by a test.
 */
import { Effect, References, type Tracer } from "effect"

/** Spans, outermost first. Public methods of services have their own: `Room.method`. */
export const spans = {
  task: "claw.task",
  turn: "claw.turn",
  model: "claw.model",
  approval: "claw.approval",
  tool: "claw.tool",
  subagent: "claw.subagent",
  append: "claw.journal.append"
} as const

/** Attributes of spans and log lines. */
export const attributes = {
  session: "session_id",
  task: "task_id",
  turn: "turn",
  call: "call_id",
  request: "request_id",
  stream: "stream_id",
  tool: "tool_name",
  model: "model",
  provider: "provider",
  outcome: "outcome",
  status: "status",
  code: "code",
  via: "via",
  attempt: "attempt",
  transport: "transport"
} as const

export type Attributes = Partial<Readonly<Record<(typeof attributes)[keyof typeof attributes], string | number>>>

/** Inside a span of this name. Where nothing is traced there is none: a span that says nothing costs as much as one. */
export const traced =
  (name: string, given: Attributes = {}) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, Exclude<R, Tracer.ParentSpan>> =>
    Effect.withFiber((fiber) =>
      fiber.getRef(References.TracerEnabled)
        ? Effect.withSpan(self, name, { attributes: given, captureStackTrace: false })
        : (self as Effect.Effect<A, E, Exclude<R, Tracer.ParentSpan>>)
    )

/** Puts ids on every log line and every span made inside. */
export const annotate =
  (ids: Attributes) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiber((fiber) => {
      const logged = Effect.annotateLogs(effect, ids)
      return fiber.getRef(References.TracerEnabled) ? Effect.annotateSpans(logged, ids) : logged
    })
