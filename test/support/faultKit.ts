/**
 * A task over a real model server that misbehaves, told as one line (RELIABILITY 3.6). Owns: where in an answer a fault
 * happens, and the line: `"text"`, `!code` a retry (`+ms` its wait, where the server said so), `|` a new stream
 * (`>model` of another model), `="text"` the stored answer (`/finish`, `…` cut), `call name{args}`, `ok`/`error` its
 * result, `u10+5` the task's tokens (`~u` a guess), and the end. One server, one engine for each task.
 */
import { Deferred, Effect, Fiber, Layer, type Scope } from "effect"
import type { DurableEvent, LiveBody } from "../../src/domain/Event.ts"
import { messages } from "../../src/domain/History.ts"
import { Engine } from "../../src/engine/Engine.ts"
import type { Limits } from "../../src/engine/EngineLimits.ts"
import * as Reporter from "../../src/engine/Reporter.ts"
import { defaults as retry } from "../../src/provider/Retry.ts"
import * as OpenAi from "../../src/provider/openai/OpenAi.ts"
import { profiles } from "../../src/provider/Profiles.ts"
import { Provider } from "../../src/provider/Provider.ts"
import { kit } from "./engineKit.ts"
import * as FakeModel from "./fakeModel.ts"
import {
  type Answer,
  callChunks,
  delta,
  DONE,
  finish,
  HEAD,
  json,
  JSON_TYPE,
  type ScriptedCall,
  type Step,
  stream,
  type Turn,
  usage
} from "./fakeModelScript.ts"
import { violations } from "./history.ts"
import { probe } from "./tools.ts"

export const phases = ["before", "text", "call"] as const
/** What came whole before the fault: nothing, text, or text and a call. */
export type Phase = (typeof phases)[number]
export interface Cell {
  readonly phase: Phase
  readonly streaming: boolean
}

export const cells: ReadonlyArray<Cell> = [true, false].flatMap((streaming) =>
  phases.map((phase) => ({ phase, streaming }))
)

const CALL = { id: "c1", name: "probe", arguments: '{"n":1}' }

const COUNTED = { prompt_tokens: 10, completion_tokens: 5 }

/** The chunks of an answer up to the fault. */
const chunks: Record<Phase, ReadonlyArray<string>> = {
  before: [],
  text: [HEAD, delta({ content: "Half" })],
  call: [HEAD, delta({ content: "Half" }), ...callChunks([CALL])]
}

/** The same of a document, without its end. */
const documents: Record<Phase, string> = {
  before: "",
  text: '{"choices":[{"message":{"role":"assistant","content":"Half"',
  call: `{"choices":[{"message":{"role":"assistant","content":"Half","tool_calls":[${JSON.stringify({ id: CALL.id, type: "function", function: { name: CALL.name, arguments: CALL.arguments } })}]`
}

/** An answer that breaks off after what the phase says, by `steps`. */
export const breaksOff =
  (...steps: ReadonlyArray<Step>) =>
  ({ phase, streaming }: Cell): Turn =>
    streaming
      ? stream(...chunks[phase], ...steps)
      : { status: 200, headers: JSON_TYPE, steps: [documents[phase], ...steps] }

/** An answer that is ended by these chunks, or by this finish reason in a document; `usage` in both. */
export const endsWith =
  (steps: ReadonlyArray<string>, finish_reason: string | null, usage?: unknown) =>
  ({ phase, streaming }: Cell): Turn =>
    streaming
      ? stream(...chunks[phase], ...steps)
      : {
          status: 200,
          headers: JSON_TYPE,
          steps: [
            phase === "before" ? '{"choices":[{"message":{"role":"assistant","content":""' : documents[phase],
            `},"finish_reason":${JSON.stringify(finish_reason)}}]`,
            usage === undefined ? "}" : `,"usage":${JSON.stringify(usage)}}`
          ]
        }

/** A whole answer with these calls, after what the phase says. */
export const callsWith =
  (made: ReadonlyArray<ScriptedCall>, ...extra: ReadonlyArray<string>) =>
  ({ phase, streaming }: Cell): Turn => {
    if (streaming)
      return stream(...chunks[phase], ...callChunks(made), ...extra, finish("tool_calls"), usage(COUNTED), DONE)
    const all = [...(phase === "call" ? [CALL] : []), ...made]
    const tool_calls = all.map(({ arguments: args, id, name }) => ({
      id,
      type: "function",
      function: { name, arguments: args }
    }))
    const message = { role: "assistant", content: phase === "before" ? null : "Half", tool_calls }
    return json({ choices: [{ message, finish_reason: "tool_calls" }], usage: COUNTED })
  }

/** Limits for a server that is silent: short where its silence is awaited, and nowhere else. */
export const quick = ({ phase, streaming }: Cell) => ({
  deadlines: !streaming
    ? { total_ms: 250 }
    : phase === "before"
      ? { first_chunk_ms: 250, idle_ms: 250 }
      : { idle_ms: 250 }
})

export interface FaultOptions {
  readonly cell: Cell
  readonly turns: ReadonlyArray<Answer>
  /** Of the driver that makes the calls of `turns`; later ones are made by a patient one. */
  readonly config?: Partial<OpenAi.OpenAiConfig>
  readonly limits?: Partial<Limits>
  /** Interrupts when so many things were reported. */
  readonly interruptAt?: number
}

const short = (code: string): string => code.replace(/^provider_/, "")
const plain = (text: string): string => (text.length > 40 ? `${text.slice(0, 10)}…${text.length}` : text)

type Told = DurableEvent | LiveBody

const word = (event: Told): string | undefined => {
  switch (event.type) {
    case "text_delta":
      return JSON.stringify(plain(event.content))
    case "retrying":
      return `!${short(event.code)}${event.delay_ms > 5 ? `+${event.delay_ms}` : ""}`
    case "stream_reset":
      return event.model === undefined ? "|" : `|>${event.model}`
    case "text_completed": {
      const finish = event.finish_reason === "stop" || event.finish_reason === "tool_calls" ? "" : event.finish_reason
      const rest = event.partial === true ? "…" : finish === "" ? "" : `/${finish}`
      return `=${JSON.stringify(plain(event.content))}${rest}`
    }
    case "tool_call":
      return `call ${event.tool_name}${event.content}`
    case "tool_result":
      return event.status
    case "usage": {
      const { estimated, input_tokens, output_tokens } = event.usage
      // How much is guessed depends on the request; that it is something, and nothing absurd, is the point.
      if (estimated === true && input_tokens > 0 && input_tokens + output_tokens < 1000) return "~u"
      return `u${input_tokens}+${output_tokens}`
    }
    case "task_completed":
      return "done"
    case "task_canceled":
      return "canceled"
    case "task_failed":
      return `FAILED ${short(event.error.code)}`
    default:
      return undefined
  }
}

/** Neighbouring deltas are one: how the network cut them is not the point. */
const merged = (words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const out: Array<string> = []
  for (const next of words) {
    const last = out.at(-1)
    if (next.startsWith('"') && last?.startsWith('"') === true) {
      out[out.length - 1] = JSON.stringify(`${JSON.parse(last)}${JSON.parse(next)}`)
    } else out.push(next)
  }
  return out
}

export const told = (log: ReadonlyArray<Told>): string => merged(log.flatMap((event) => word(event) ?? [])).join(" ")

export interface Ran {
  readonly line: string
  readonly log: ReadonlyArray<Told>
  readonly model: FakeModel.FakeModel
  /** What the tool did. */
  readonly effects: ReadonlyArray<string>
  /** Complaints about the history that the next prompt would send. */
  readonly broken: ReadonlyArray<string>
  /** How the next prompt ended. */
  readonly next: string
}

const policy = { ...retry, base_ms: 1, max_backoff_ms: 2 }

/** Runs one task and then another prompt. */
export const run = (options: FaultOptions): Effect.Effect<Ran, unknown, Scope.Scope> =>
  Effect.gen(function* () {
    const { cell, config, interruptAt = Infinity, limits } = options
    const model = yield* FakeModel.make()
    model.script(...options.turns)
    const patient = { profile: profiles.generic, base_url: model.base_url, model: "fake-model" }
    const [first, later] = [yield* OpenAi.make({ ...patient, ...config }), yield* OpenAi.make(patient)]
    let asked = 0
    const made = () => (asked++ < options.turns.length ? first : later)
    const { tool, log: effects } = probe()
    const log: Array<Told> = []
    const reached = yield* Deferred.make<void>()
    const take = (event: Told) => {
      log.push(event)
      if (log.length >= interruptAt) Deferred.doneUnsafe(reached, Effect.void)
    }
    const provider = Provider.of({
      model: first.model,
      capabilities: { ...first.capabilities, streaming: cell.streaming },
      generate: (request) => made().generate(request),
      stream: (request) => made().stream(request)
    })
    const { layer } = kit({
      provider: Layer.succeed(Provider, provider),
      reporter: { event: take, live: take },
      tools: [tool],
      limits: { retry: policy, ...limits }
    })
    return yield* Effect.gen(function* () {
      const engine = yield* Engine
      const fiber = yield* Effect.forkChild(engine.prompt({ content: "go" }))
      if (interruptAt !== Infinity) {
        yield* Effect.raceFirst(Deferred.await(reached), Fiber.await(fiber))
        yield* Fiber.interrupt(fiber)
      } else yield* Fiber.join(fiber)
      const line = told(log)
      const state = yield* Effect.flatMap(Reporter.Reporter, (reporter) => reporter.state)
      const broken = [...violations(messages(state)), ...model.violations()]
      const events = [...log]
      const next = yield* engine.prompt({ content: "and now?" })
      return { line, log: events, model, effects: [...effects], broken, next: next.status }
    }).pipe(Effect.provide(layer))
  })
