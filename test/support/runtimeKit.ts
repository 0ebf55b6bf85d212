/** Sessions over the memory store, a scripted model and a gate that asks through the runtime's own approver. */
import { Effect, Layer, Logger, type Scope, type Stream } from "effect"
import { ApprovalGate, type Check, type Verdict } from "../../src/approval/ApprovalGate.ts"
import type { Approver } from "../../src/approval/Approver.ts"
import { GrantStore } from "../../src/approval/GrantStore.ts"
import { layerText } from "../../src/context/SystemPrompt.ts"
import type { DurableEvent, SessionEvent } from "../../src/domain/Event.ts"
import { newRequestId, type SessionId } from "../../src/domain/Ids.ts"
import * as Engine from "../../src/engine/Engine.ts"
import { Reporter } from "../../src/engine/Reporter.ts"
import type { ModelPart } from "../../src/provider/ModelPart.ts"
import { makeScripted, Provider, type Script } from "../../src/provider/Provider.ts"
import { type Parts, RuntimeFactory } from "../../src/runtime/RuntimeFactory.ts"
import * as RuntimeManager from "../../src/runtime/RuntimeManager.ts"
import type { SessionRuntime, Subscription } from "../../src/runtime/SessionRuntime.ts"
import { layerMemory } from "../../src/store/memory/MemoryStore.ts"
import type { Tool } from "../../src/tools/Tool.ts"
import * as ToolRegistry from "../../src/tools/ToolRegistry.ts"
import { allow } from "./engineKit.ts"

export interface RuntimeKitOptions {
  /** The model of one session. */
  readonly script: (session: SessionId) => Script
  readonly tools?: ReadonlyArray<Tool>
  readonly expiresInMs?: number
  /** What the gate does before it looks at a call. */
  readonly checking?: Effect.Effect<void>
  /** How far limits of spending may be set; default: any. */
  readonly capped?: Parts["capped"]
}

/** Asks for everything that is not safe, as the real gate does in mode `ask`. */
const asking = (approver: Approver["Service"], expiresInMs: number, checking: Effect.Effect<void>) =>
  ApprovalGate.of({
    shown: () => "what it is about",
    ask: approver.ask,
    check: Effect.fnUntraced(function* (check: Check) {
      yield* checking
      if (check.assessment.risk === "safe" || check.allowed === true) return allow(check)
      const { task_id, turn, call, assessment, subagent } = check
      const request_id = check.open?.request_id ?? newRequestId()
      const reply = yield* approver.ask({
        task_id,
        turn,
        ...(subagent === undefined ? {} : { parent_call_id: subagent.call_id }),
        request: check.open ?? {
          request_id,
          kind: "tool",
          call_id: call.call_id,
          tool_name: call.tool_name,
          content: call.arguments,
          risk: assessment.risk,
          reason: assessment.reason,
          grant_options: [],
          expires_at: new Date(Date.now() + expiresInMs).toISOString()
        }
      })
      const { decision, via, by } = reply
      const verdict: Verdict = { decision, via, request_id, ...(by === undefined ? {} : { by }) }
      return decision === "deny" ? verdict : { ...allow(check), ...verdict }
    })
  })

const factory = ({ script, tools = [], expiresInMs = 60_000, checking = Effect.void, capped }: RuntimeKitOptions) =>
  Layer.effect(
    RuntimeFactory,
    Effect.map(GrantStore, (store) =>
      RuntimeFactory.of({
        build: Effect.fnUntraced(function* ({ meta, reporter, approver }) {
          const parts = Layer.mergeAll(
            Layer.succeed(Provider, makeScripted(script(meta.session_id))),
            ToolRegistry.layer(tools),
            Layer.succeed(ApprovalGate, asking(approver, expiresInMs, checking)),
            layerText("system"),
            Layer.succeed(Reporter, reporter)
          )
          const context = yield* Layer.build(Engine.layer.pipe(Layer.provide(parts)))
          const engine = yield* Effect.provideContext(Engine.Engine, context)
          const own = { engine, grants: store.for(meta.owner), model: "scripted", mode: "ask" as const }
          return capped === undefined ? own : { ...own, capped }
        })
      })
    )
  )

/** Over a store of the test's own, which may outlive it. Every task has lines in the log; nobody reads them here. */
export const manager = (options: RuntimeKitOptions) =>
  RuntimeManager.layer.pipe(Layer.provide(factory(options)), Layer.provideMerge(Logger.layer([])))

export const layer = (options: RuntimeKitOptions) => manager(options).pipe(Layer.provideMerge(layerMemory))

/** Answers by what the conversation has so far, so that a script goes on after a restart. */
export const byHistory =
  (...answers: ReadonlyArray<Stream.Stream<ModelPart>>): Script =>
  ({ messages }) =>
    answers[Math.min(messages.filter(({ role }) => role === "assistant").length, answers.length - 1)]!

export const create = (id: string) =>
  Effect.flatMap(RuntimeManager.RuntimeManager, (manager) => manager.create(id as SessionId, { workspace: "/" }))

export interface Watching {
  readonly events: Array<SessionEvent>
  readonly facts: () => ReadonlyArray<DurableEvent>
  readonly types: () => ReadonlyArray<string>
  /** Waits until an event of this type has come. */
  readonly until: <T extends SessionEvent["type"]>(
    type: T
  ) => Effect.Effect<Extract<SessionEvent, { readonly type: T }>>
}

/** Watches a session; `until` waits for receipts, never for time. */
export const watch = (
  runtime: SessionRuntime,
  options: Omit<Subscription, "sink"> = {}
): Effect.Effect<Watching, never, Scope.Scope> =>
  Effect.gen(function* () {
    const events: Array<SessionEvent> = []
    const waiters = new Set<() => void>()
    yield* runtime
      .subscribe({
        ...options,
        sink: (more) => {
          events.push(...more)
          for (const wake of waiters) wake()
        }
      })
      .pipe(Effect.orDie)
    const until = <T extends SessionEvent["type"]>(type: T) =>
      Effect.callback<Extract<SessionEvent, { readonly type: T }>>((resume) => {
        const look = () => {
          const found = events.find((event) => event.type === type)
          if (found === undefined) return
          waiters.delete(look)
          resume(Effect.succeed(found as Extract<SessionEvent, { readonly type: T }>))
        }
        waiters.add(look)
        look()
        return Effect.sync(() => waiters.delete(look))
      })
    const facts = () => events.filter((event): event is DurableEvent => "seq" in event)
    return { events, facts, types: () => facts().map((event) => event.type), until }
  })
