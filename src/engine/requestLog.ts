/**
 * The private record of each request that a model is sent, so that it can be rebuilt from the journal (issue 5). Owns:
 * what is recorded when. Invariants: a request's record comes to the journal before anything of its answer; the head
 * (system prompt, tools, model, limit) is stored once and again only when it changed in this process.
 */
import type { PrivateBody } from "../domain/Event.ts"
import type { TaskId } from "../domain/Ids.ts"
import type { ModelRequest } from "../provider/Provider.ts"
import { headDigest, makeChain, type RequestHead, toolsText } from "./RequestDigest.ts"

/** What one session's engine has stored last. */
export interface KnownHead {
  digest: string | undefined
  tools: { readonly of: ModelRequest["tools"]; readonly text: string } | undefined
}

export const makeKnown = (): KnownHead => ({ digest: undefined, tools: undefined })

const headOf = (known: KnownHead, request: ModelRequest, model: string): RequestHead => {
  if (known.tools?.of !== request.tools) known.tools = { of: request.tools, text: toolsText(request.tools) }
  const [first] = request.messages
  const { max_output_tokens } = request
  return {
    model: request.model ?? model,
    system: first?.role === "system" ? first.content : "",
    tools: known.tools.text,
    ...(max_output_tokens === undefined ? {} : { max_output_tokens })
  }
}

/** Of one task: nothing but its history changes from turn to turn, and near the end of a budget the limit. */
export const make = (known: KnownHead, model: string) => {
  let chain: ReturnType<typeof makeChain> | undefined
  let head: { readonly digest: string; readonly value: RequestHead } | undefined
  return (
    at: { readonly task_id: TaskId; readonly turn: number },
    request: ModelRequest
  ): ReadonlyArray<PrivateBody> => {
    if (head === undefined || head.value.max_output_tokens !== request.max_output_tokens) {
      const value = headOf(known, request, model)
      head = { digest: headDigest(value), value }
      chain = undefined
    }
    chain ??= makeChain(head.value)
    const digest = chain(request.messages.slice(1))
    const record = { type: "model_request", ...at, digest, head: head.digest } as const
    if (known.digest === head.digest) return [record]
    known.digest = head.digest
    return [{ type: "model_head", digest: head.digest, ...head.value }, record]
  }
}
