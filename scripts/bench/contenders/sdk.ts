/** The openai package as its own documentation uses it: `for await` over a streamed completion. */
import OpenAI from "openai"
import type { Contender, ContenderOptions } from "./contender.ts"
import { overLoop } from "./loop.ts"

type Params = OpenAI.Chat.Completions.ChatCompletionCreateParamsStreaming

export const make = ({ base_url }: ContenderOptions): Contender => {
  const client = new OpenAI({ baseURL: base_url, apiKey: "bench", maxRetries: 0 })
  return overLoop(async (body, signal, take) => {
    const stream = await client.chat.completions.create(body as unknown as Params, { signal })
    for await (const chunk of stream) {
      const delta = chunk.choices[0]?.delta
      if (delta !== undefined) take(delta)
    }
    signal.throwIfAborted()
  })
}
