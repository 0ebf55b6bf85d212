/** Events of `/responses` through the answer and its conclusion: what came of them. */
import { assert } from "@effect/vitest"
import type { CallId } from "../../src/domain/Ids.ts"
import type { Completed } from "../../src/provider/ModelPart.ts"
import { ProviderError } from "../../src/provider/ProviderError.ts"
import { conclude } from "../../src/provider/openai/conclusion.ts"
import { openResponsesAnswer } from "../../src/provider/openai/responses/answer.ts"

export type Fields = Readonly<Record<string, unknown>>

export const concluded = (events: ReadonlyArray<Fields>): Completed | ProviderError => {
  const answer = openResponsesAnswer({ base_url: "http://x", model: "m" })
  for (const event of events) if (!answer.over()) answer.chunk(event)
  answer.take(true)
  let made = 0
  return conclude(answer.draft(), () => `made_${++made}` as CallId)
}
/** Name, arguments and id of each call, and the text. */
export const got = (events: ReadonlyArray<Fields>) => {
  const result = concluded(events)
  assert(!(result instanceof ProviderError), JSON.stringify(result))
  const { bad_calls, message } = result
  assert.deepStrictEqual(bad_calls, [])
  return {
    calls: message.tool_calls.map((call) => [call.tool_name, call.arguments, call.call_id as string]),
    text: message.content,
    thought: message.reasoning ?? ""
  }
}
