/** An engine over a scripted model, small tools and a gate that answers by a function; collects what it reports. */
import { Effect, Layer, Stream } from "effect"
import { ApprovalGate, type Check, type Verdict } from "../../src/approval/ApprovalGate.ts"
import { ApprovalRequired } from "../../src/approval/Approver.ts"
import { layerText } from "../../src/context/SystemPrompt.ts"
import type { DurableEvent, LiveBody } from "../../src/domain/Event.ts"
import type { CallId } from "../../src/domain/Ids.ts"
import type { ToolCall } from "../../src/domain/Message.ts"
import * as Engine from "../../src/engine/Engine.ts"
import { Budget, type BudgetParts, unlimited } from "../../src/engine/Budget.ts"
import { defaults, EngineLimits, type Limits } from "../../src/engine/EngineLimits.ts"
import * as Reporter from "../../src/engine/Reporter.ts"
import { type Lookup, lookup, ModelCatalogue } from "../../src/provider/Catalogue.ts"
import type { ModelPart } from "../../src/provider/ModelPart.ts"
import { layerScripted, type Provider, type Script } from "../../src/provider/Provider.ts"
import type { Tool } from "../../src/tools/Tool.ts"
import * as ToolRegistry from "../../src/tools/ToolRegistry.ts"

export const text = (...pieces: ReadonlyArray<string>): ReadonlyArray<ModelPart> =>
  pieces.map((piece) => ({ type: "text_delta", text: piece }))

export const call = (id: string, name: string, args: unknown = {}): ToolCall => ({
  call_id: id as CallId,
  tool_name: name,
  arguments: JSON.stringify(args)
})

export const completed = (content: string, calls: ReadonlyArray<ToolCall> = []): ModelPart => ({
  type: "completed",
  message: { role: "assistant", content, tool_calls: calls },
  bad_calls: [],
  finish_reason: calls.length > 0 ? "tool_calls" : "stop",
  usage: { input_tokens: 10, output_tokens: 5 }
})

/** A whole answer: its text in one delta, then its calls. */
export const answer = (content: string, calls: ReadonlyArray<ToolCall> = []) =>
  Stream.fromArray<ModelPart>([...(content === "" ? [] : text(content)), completed(content, calls)])

/** Answers turn by turn; the last one repeats. */
export const turns =
  (...answers: ReadonlyArray<Stream.Stream<ModelPart>>): Script =>
  (_request, turn) =>
    answers[Math.min(turn, answers.length - 1)]!

export const allow = (check: Check): Verdict => {
  let spent = false
  const spend = () => !spent && (spent = true)
  return { decision: "allow_once", via: "policy", permit: { call_id: check.call.call_id, digest: check.digest, spend } }
}

export const deny = (_check: Check): Verdict => ({ decision: "deny", via: "user", reason: "not now" })

export interface KitOptions {
  readonly script?: Script
  /** In the place of a scripted model. */
  readonly provider?: Layer.Layer<Provider>
  readonly reporter?: Reporter.Sink
  readonly tools?: ReadonlyArray<Tool>
  readonly gate?: (check: Check) => Effect.Effect<Verdict, ApprovalRequired>
  readonly limits?: Partial<Limits>
  readonly budget?: Partial<BudgetParts>
  readonly streaming?: boolean
  readonly catalogue?: Lookup
  readonly canCallTools?: boolean
}

export interface Seen {
  readonly events: Array<DurableEvent>
  readonly live: Array<LiveBody>
}

export const kit = (options: KitOptions) => {
  const seen: Seen = { events: [], live: [] }
  const reporter = Reporter.layer({
    event: (event) => {
      seen.events.push(event)
      options.reporter?.event?.(event)
    },
    live: (body) => {
      seen.live.push(body)
      options.reporter?.live?.(body)
    }
  })
  const gate = Layer.succeed(
    ApprovalGate,
    ApprovalGate.of({
      check: options.gate ?? ((check) => Effect.sync(() => allow(check))),
      ask: ({ request: { tool_name, reason } }) => Effect.fail(new ApprovalRequired({ tool_name, reason })),
      shown: () => undefined
    })
  )
  const scripted = layerScripted(options.script ?? turns(answer("OK")), {
    streaming: options.streaming ?? true,
    tools: options.canCallTools ?? true
  })
  const provider = options.provider ?? scripted
  const parts = Layer.mergeAll(
    provider,
    ToolRegistry.layer(options.tools ?? []),
    gate,
    layerText("system"),
    reporter,
    Layer.succeed(ModelCatalogue, options.catalogue ?? lookup),
    Layer.succeed(EngineLimits, { ...defaults, ...options.limits }),
    Layer.succeed(Budget, { ...unlimited, ...options.budget })
  )
  return { seen, layer: Engine.layer.pipe(Layer.provideMerge(parts)) }
}
