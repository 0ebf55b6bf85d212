/** Spans where somebody traces, and nothing in their place where nobody does (R263). */
import { assert, it } from "@effect/vitest"
import { Effect, Option, References, Tracer } from "effect"
import { annotate, attributes, spans, traced } from "../../src/observability/Telemetry.ts"

const collecting = () => {
  const made: Array<Tracer.NativeSpan> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      made.push(span)
      return span
    }
  })
  return { made, tracer }
}

const parentOf = ({ parent }: Tracer.NativeSpan) =>
  Option.isSome(parent) && parent.value._tag === "Span" ? parent.value.name : undefined

const inside = Effect.option(Effect.currentSpan).pipe(
  traced(spans.tool, { [attributes.tool]: "grep" }),
  traced(spans.task),
  annotate({ [attributes.session]: "s" })
)

it.effect("a span inside the other, with its own attributes and those of all", () =>
  Effect.gen(function* () {
    const { made, tracer } = collecting()
    const current = yield* Effect.withTracer(inside, tracer)
    assert.deepStrictEqual(
      made.map((span) => [span.name, parentOf(span), Object.fromEntries(span.attributes), span.status._tag]),
      [
        ["claw.task", undefined, { session_id: "s" }, "Ended"],
        ["claw.tool", "claw.task", { session_id: "s", tool_name: "grep" }, "Ended"]
      ]
    )
    assert.strictEqual(Option.getOrUndefined(current)?.name, "claw.tool")
  })
)

it.effect("none where tracing is off", () =>
  Effect.gen(function* () {
    const { made, tracer } = collecting()
    const current = yield* Effect.withTracer(inside, tracer).pipe(
      Effect.provideService(References.TracerEnabled, false)
    )
    assert.isEmpty(made)
    assert.isTrue(Option.isNone(current))
  })
)
