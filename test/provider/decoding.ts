/** Bytes through the event decoder, in any pieces: what came out, neighbours merged. */
import type { CallId } from "../../src/domain/Ids.ts"
import type { ModelPart } from "../../src/provider/ModelPart.ts"
import { ProviderError } from "../../src/provider/ProviderError.ts"
import { errorIn, openAnswer } from "../../src/provider/openai/answer.ts"
import { type Decoder, type DecoderOptions, type Read, openEventDecoder } from "../../src/provider/openai/decoder.ts"

export const options: DecoderOptions = {
  errorIn,
  open: () => openAnswer(["reasoning_content", "reasoning"]),
  newId: () => "made" as CallId,
  refusal: (error) => new ProviderError({ code: "provider_unavailable", detail: JSON.stringify(error) })
}

/** Deltas of one kind in a row as one; progress, which depends on the reads, left out. */
export const merged = (parts: ReadonlyArray<ModelPart>): ReadonlyArray<ModelPart> => {
  const out: Array<ModelPart> = []
  for (const part of parts) {
    const last = out.at(-1)
    if (part.type === "tool_call_progress") continue
    if (part.type === "text_delta" && last?.type === "text_delta")
      out[out.length - 1] = { ...part, text: last.text + part.text }
    else if (part.type === "reasoning_delta" && last?.type === "reasoning_delta")
      out[out.length - 1] = { ...part, text: last.text + part.text }
    else out.push(part)
  }
  return out
}

export interface Decoded {
  readonly parts: ReadonlyArray<ModelPart>
  readonly error: ProviderError | undefined
  /** How many reads said that the answer is over. */
  readonly ends: number
}

const bytesOf = (piece: string | Uint8Array) => (typeof piece === "string" ? new TextEncoder().encode(piece) : piece)

/** Feeds the pieces; `close`: then the body ends cleanly. Stops at the end, as the driver does. */
export const decode = (
  pieces: ReadonlyArray<string | Uint8Array>,
  close = true,
  decoder: Decoder = openEventDecoder(options)
): Decoded => {
  const reads: Array<Read> = []
  for (const piece of pieces) {
    const read = decoder.feed(bytesOf(piece))
    reads.push(read)
    if (read.ended) break
  }
  if (close && reads.at(-1)?.ended !== true) reads.push(decoder.end())
  return {
    parts: merged(reads.flatMap(({ parts }) => parts)),
    error: reads.find(({ failure }) => failure !== undefined)?.failure,
    ends: reads.filter(({ ended }) => ended).length
  }
}
