/** A scripted model that also summarises when it is asked to, and what it was asked. */
import { Stream } from "effect"
import { estimated, messageTokens, toolTokens } from "../../src/context/Tokens.ts"
import type { ModelPart } from "../../src/provider/ModelPart.ts"
import type { ModelRequest, Script } from "../../src/provider/Provider.ts"
import type { ProviderError } from "../../src/provider/ProviderError.ts"

/** A request for a summary has no tools, and nothing of the session's own messages. */
export const isSummary = ({ messages, tools }: ModelRequest): boolean =>
  tools.length === 0 && messages.length === 2 && messages[0]?.content.includes('"open_items"') === true

const counts = new WeakMap<object, number>()
const once = (of: object, count: () => number): number => {
  const known = counts.get(of) ?? count()
  counts.set(of, known)
  return known
}

export const tokensOf = ({ messages, tools }: ModelRequest): number =>
  messages.reduce((sum, message) => sum + once(message, () => messageTokens(estimated, message)), 3) +
  once(tools, () => toolTokens(estimated, tools))

const lines = (text: string, mark: string): ReadonlyArray<string> =>
  Array.from(text.matchAll(new RegExp(`${mark}: ([^\\n]+)`, "g")), ([, found = ""]) => found)

/** An honest summary of a transcript in which things are marked `GOAL:`, `RULE:` and `OPEN:`. */
export const honest = (text: string): string =>
  JSON.stringify({
    goal: lines(text, "GOAL")[0] ?? "",
    rules: lines(text, "RULE"),
    open_items: lines(text, "OPEN").slice(-1),
    notes: ["went on"]
  })

export const said = (text: string, usage = { input_tokens: 100, output_tokens: 20 }): Stream.Stream<ModelPart> =>
  Stream.fromArray<ModelPart>([
    { type: "text_delta", text },
    {
      type: "completed",
      message: { role: "assistant", content: text, tool_calls: [] },
      bad_calls: [],
      finish_reason: "stop",
      usage
    }
  ])

export interface Summarising {
  readonly script: Script
  /** Of the conversation alone. */
  readonly asked: Array<ModelRequest>
  readonly summaries: Array<string>
}

/** `summary` absent: an honest one. Turns are counted without the summaries. */
export const summarising = (
  answer: (request: ModelRequest, turn: number) => Stream.Stream<ModelPart, ProviderError>,
  summary: (text: string) => Stream.Stream<ModelPart, ProviderError> = (text) => said(honest(text))
): Summarising => {
  const asked: Array<ModelRequest> = []
  const summaries: Array<string> = []
  const script: Script = (request) => {
    if (isSummary(request)) {
      const text = request.messages[1]?.content ?? ""
      summaries.push(text)
      return summary(text)
    }
    asked.push(request)
    return answer(request, asked.length)
  }
  return { script, asked, summaries }
}
