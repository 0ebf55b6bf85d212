/**
 * One script, two model servers: our own fake, which judges histories, and one that was not written here (aimock).
 * Owns: from answers in order to what each server is told. Does not own: what a turn looks like on the wire.
 */
import { LLMock } from "@copilotkit/aimock"
import { Effect, type Scope } from "effect"
import * as Fake from "./fakeModel.ts"
import { calls, text } from "./fakeModelScript.ts"

export interface Call {
  readonly id: string
  readonly name: string
  readonly arguments: string
}

/** Answers to one prompt: calls, one turn each, then a text. */
export interface Episode {
  readonly prompt: string
  readonly calls: ReadonlyArray<Call>
  readonly text: string
}

export type Message = Readonly<Record<string, unknown>>

export interface Server {
  readonly base_url: string
  /** The messages of each request so far. */
  readonly requests: () => ReadonlyArray<ReadonlyArray<Message>>
  readonly violations: () => ReadonlyArray<string>
}

export const call = (id: string, name: string, args: object): Call => ({ id, name, arguments: JSON.stringify(args) })

/** Answers in the order in which requests come. */
export const ownFake = Effect.fnUntraced(function* (episodes: ReadonlyArray<Episode>) {
  const model = yield* Fake.make()
  for (const episode of episodes) model.script(...episode.calls.map((one) => calls([one])), text(episode.text, 3))
  return {
    base_url: model.base_url,
    requests: () => model.requests().map(({ messages }) => messages),
    violations: model.violations
  } satisfies Server
})

const fill = (mock: LLMock, { prompt, calls: made, text: content }: Episode) => {
  const turns = [...made.map((one) => ({ toolCalls: [one] })), { content }]
  const [first = { content }, ...rest] = turns
  // The result of a call leads to the next turn; the prompt alone to the first.
  rest.forEach((turn, i) => mock.onToolResult(made[i]?.id ?? "", turn))
  mock.on({ userMessage: prompt, hasToolResult: false }, first)
}

/** Answers by what it is sent: the last tool result, or the prompt. */
export const aimock = (episodes: ReadonlyArray<Episode>): Effect.Effect<Server, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const mock = new LLMock({ port: 0, chunkSize: 8 })
        for (const episode of episodes) fill(mock, episode)
        await mock.start()
        return mock
      }),
      (mock) => Effect.promise(() => mock.stop())
    ),
    (mock) => ({
      base_url: `${mock.url}/v1`,
      requests: () =>
        mock.getRequests().flatMap(({ path, body }) => {
          if (!path.endsWith("/chat/completions")) return []
          return [(body as unknown as { readonly messages: ReadonlyArray<Message> }).messages]
        }),
      // It answers what it does not take with an error, which the test would see.
      violations: () => []
    })
  )

export const servers = [
  ["our own fake", ownFake],
  ["aimock", aimock]
] as const
