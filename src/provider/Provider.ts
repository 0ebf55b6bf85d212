/**
 * A model is a stream of parts and one error type. Owns: the contract and the scripted provider of tests and demo.
 * Does not own: retries (Retry.ts decides, the engine carries out), history, display.
 * Invariant: interrupting the consumer closes the connection to the model; nothing survives the stream's scope.
 */
import { Context, Effect, Layer, Stream } from "effect"
import { newCallId } from "../domain/Ids.ts"
import type { Message, ToolDefinition } from "../domain/Message.ts"
import type { Completed, ModelPart } from "./ModelPart.ts"
import { ProviderError } from "./ProviderError.ts"

export interface Capabilities {
  readonly streaming: boolean
  readonly tools: boolean
  readonly reasoning: boolean
  /** Tokens; absent: unknown. */
  readonly context_window?: number
  readonly max_output_tokens?: number
}

export interface ModelRequest {
  /** Overrides the provider's configured model. */
  readonly model?: string
  readonly messages: ReadonlyArray<Message>
  readonly tools: ReadonlyArray<ToolDefinition>
  readonly max_output_tokens?: number
  /**
   * Identity of the conversation within one task: a driver may keep serialised forms of its messages under it,
   * for as long as the object lives.
   */
  readonly conversation?: object
  /** Whose call it is: all that fails of one task says no more of a server than its first failure (Breaker.ts). */
  readonly task?: string
}

export class Provider extends Context.Service<
  Provider,
  {
    /** The configured model's name, as the server knows it. */
    readonly model: string
    readonly capabilities: Capabilities
    /** The whole answer at once. */
    readonly generate: (request: ModelRequest) => Effect.Effect<Completed, ProviderError>
    /** Parts as they come, grouped as the network delivered them; see ModelPart for its one terminal element. */
    readonly stream: (request: ModelRequest) => Stream.Stream<ModelPart, ProviderError>
  }
>()("claw/provider/Provider") {}

/** One answer of a scripted model: the parts of a turn, or a way to make them from the request. */
export type Script = (request: ModelRequest, turn: number) => Stream.Stream<ModelPart, ProviderError>

/** A whole answer for a script: its text in one delta, then its calls. `arguments` are plain values. */
export const answer = (
  text: string,
  calls: ReadonlyArray<{ readonly tool_name: string; readonly arguments: object }> = []
): Stream.Stream<ModelPart> => {
  const tool_calls = calls.map((call) => ({ ...call, call_id: newCallId(), arguments: JSON.stringify(call.arguments) }))
  const end: ModelPart = {
    type: "completed",
    message: { role: "assistant", content: text, tool_calls },
    bad_calls: [],
    finish_reason: calls.length > 0 ? "tool_calls" : "stop"
  }
  return Stream.fromArray(text === "" ? [end] : [{ type: "text_delta", text }, end])
}

const last = (stream: Stream.Stream<ModelPart, ProviderError>): Effect.Effect<Completed, ProviderError> =>
  Stream.runFold(
    stream,
    (): Completed | undefined => undefined,
    (found, part) => (part.type === "completed" ? part : found)
  ).pipe(
    Effect.flatMap((completed) =>
      completed === undefined
        ? Effect.fail(new ProviderError({ code: "provider_bad_stream", detail: "The script ended without an answer." }))
        : Effect.succeed(completed)
    )
  )

export const makeScripted = (script: Script, options?: Partial<Capabilities> & { readonly model?: string }) => {
  let turn = 0
  const { model = "scripted", ...capabilities } = options ?? {}
  const next = (request: ModelRequest) => Stream.suspend(() => script(request, turn++))
  return Provider.of({
    model,
    capabilities: { streaming: true, tools: true, reasoning: true, ...capabilities },
    stream: next,
    generate: (request) => last(next(request))
  })
}

/** A provider that follows `script`, turn by turn. */
export const layerScripted = (script: Script, options?: Partial<Capabilities> & { readonly model?: string }) =>
  Layer.sync(Provider, () => makeScripted(script, options))
