/** The real driver against a fake model server: what most tests of the wire need, in one scope. */
import { Effect, type Scope, Stream } from "effect"
import type { Completed, ModelPart } from "../../src/provider/ModelPart.ts"
import type { ModelRequest, Provider } from "../../src/provider/Provider.ts"
import type { ProviderError } from "../../src/provider/ProviderError.ts"
import * as OpenAi from "../../src/provider/openai/OpenAi.ts"
import { profiles } from "../../src/provider/Profiles.ts"
import * as FakeModel from "./fakeModel.ts"

export interface Rig {
  readonly model: FakeModel.FakeModel
  readonly provider: Provider["Service"]
}

/** A fake server and a driver that points at it. */
export const rig = (config: Partial<OpenAi.OpenAiConfig> = {}): Effect.Effect<Rig, never, Scope.Scope> =>
  Effect.gen(function* () {
    const model = yield* FakeModel.make()
    const defaults = { profile: profiles.generic, base_url: model.base_url, model: "fake-model" }
    return { model, provider: yield* OpenAi.make({ ...defaults, ...config }) }
  })

/** A request with one user message. */
export const ask = (content = "hi", more: Partial<ModelRequest> = {}): ModelRequest => ({
  messages: [{ role: "user", content }],
  tools: [],
  ...more
})

/** All that a stream gave, and how it failed if it did. */
export interface Outcome {
  readonly parts: ReadonlyArray<ModelPart>
  readonly error: ProviderError | undefined
}

export const outcome = (stream: Stream.Stream<ModelPart, ProviderError>): Effect.Effect<Outcome> =>
  Effect.suspend(() => {
    const parts: Array<ModelPart> = []
    return Stream.runForEach(stream, (part) => Effect.sync(() => void parts.push(part))).pipe(
      Effect.as<Outcome>({ parts, error: undefined }),
      Effect.catch((error) => Effect.succeed<Outcome>({ parts, error }))
    )
  })

export const textOf = (parts: ReadonlyArray<ModelPart>): string =>
  parts.map((part) => (part.type === "text_delta" ? part.text : "")).join("")

export const completedOf = (parts: ReadonlyArray<ModelPart>): Completed | undefined =>
  parts.find((part) => part.type === "completed")

