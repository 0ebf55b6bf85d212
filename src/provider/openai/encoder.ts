/**
 * A request as the bytes that are sent, in any dialect. Owns: the stability of that text: each message is serialised once
 * per conversation, and the messages come last, so that request n+1 begins with request n byte for byte and the server's
 * prompt cache holds (LESSONS 15). Does not own: what a message is on the wire (encode.ts, responses/encode.ts), keeping
 * those bytes (bodyBytes.ts). Invariant: never a lone surrogate (LESSONS 12).
 */
import type { Message, ToolDefinition } from "../../domain/Message.ts"
import type { ModelRequest } from "../Provider.ts"
import { append, type BodyBytes, openBytes, textAt, upTo, view } from "./bodyBytes.ts"

/** How a dialect writes a request down. */
export interface Wire {
  readonly tool: (tool: ToolDefinition) => unknown
  /** What one message is: one item or more. */
  readonly items: (message: Message) => ReadonlyArray<unknown>
  /** Up to and with the bracket that opens the list of items, which ends the request; `tools`: JSON of all of them. */
  readonly head: (request: ModelRequest, streaming: boolean, tools: string) => string
}

/** `JSON.stringify` writes a lone surrogate as an escape that strict servers refuse; such a text is mended first. */
const LONE = /\\ud[89a-f][0-9a-f]{2}/i
const json = (value: unknown): string => {
  const text = JSON.stringify(value)
  if (!LONE.test(text)) return text
  return JSON.stringify(value, (_, inner: unknown) => (typeof inner === "string" ? inner.toWellFormed() : inner))
}

interface Kept {
  readonly tools: ReadonlyArray<ToolDefinition>
  readonly toolsText: string
  readonly messages: ReadonlyArray<Message>
  readonly body: BodyBytes
  readonly head: string
}

/** Where a request first differs from the one before it in the same conversation. */
export interface Difference {
  readonly where: "head" | number
  readonly before: string
  readonly after: string
}

/** The chunks of a body, in order: they belong to the encoder and are not written to. */
export type Chunks = ReadonlyArray<Uint8Array>

export interface Encoded {
  readonly body: Chunks
  /** Present where the prompt cache is lost: the request does not begin with the last one. */
  readonly difference: Difference | undefined
}

const TAIL = Buffer.from("]}")

/** How many messages two requests begin with in common. */
const sharedCount = (before: ReadonlyArray<Message>, after: ReadonlyArray<Message>): number => {
  let count = 0
  while (count < before.length && before[count] === after[count]) count++
  return count
}

/** `texts`: of the messages from `shared` on. */
const differenceOf = (
  kept: Kept | undefined,
  head: string,
  shared: number,
  texts: ReadonlyArray<string>
): Difference | undefined => {
  if (kept === undefined) return undefined
  if (kept.head !== head) return { where: "head", before: kept.head, after: head }
  for (let where = shared; where < kept.messages.length; where++) {
    const before = textAt(kept.body, where)
    const after = texts[where - shared] ?? ""
    if (before !== after) return { where, before, after }
  }
  return undefined
}

/** Encodes requests of one provider, and remembers each conversation's bytes as long as its object lives. */
export const encoderOf = (wire: Wire) => {
  const conversations = new WeakMap<object, Kept>()
  return (request: ModelRequest, streaming: boolean): Encoded => {
    const { conversation, messages, tools } = request
    const kept = conversation === undefined ? undefined : conversations.get(conversation)
    const toolsText = kept?.tools === tools ? kept.toolsText : json(tools.map(wire.tool))
    const head = wire.head(request, streaming, toolsText)
    const shared = kept?.head === head ? sharedCount(kept.messages, messages) : 0
    const texts = messages.slice(shared).map((message) => wire.items(message).map(json).join(","))
    const difference = differenceOf(kept, head, shared, texts)
    const body = kept?.head === head ? upTo(kept.body, shared) : openBytes(head)
    for (const text of texts) append(body, text)
    if (conversation !== undefined) conversations.set(conversation, { tools, toolsText, messages, body, head })
    return { body: [view(body), TAIL], difference }
  }
}

/** What strict servers accept as a function's name. */
export const wireName = (name: string): string => {
  const clean = name.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, 64)
  return clean === "" ? "unnamed" : clean
}
