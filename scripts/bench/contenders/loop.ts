/**
 * The least a tool loop can be: ask, run the calls, ask again; nothing is checked, bounded, stored or shown.
 * Owns: the loop of the contenders that are only a transport. They differ in how one answer is read.
 */
import { type Contender, hasTools, NOOP, noop, PROMPT, SYSTEM, type Watch } from "./contender.ts"

export interface CallDraft {
  id: string
  readonly type: "function"
  readonly function: { name: string; arguments: string }
}

export interface Draft {
  text: string
  readonly calls: Array<CallDraft>
}

export interface Delta {
  readonly content?: string | null
  readonly tool_calls?: ReadonlyArray<{
    readonly index: number
    readonly id?: string
    readonly function?: { readonly name?: string; readonly arguments?: string }
  }>
}

export type Message =
  | { readonly role: "system" | "user"; readonly content: string }
  | { readonly role: "assistant"; readonly content: string | null; readonly tool_calls?: ReadonlyArray<CallDraft> }
  | { readonly role: "tool"; readonly tool_call_id: string; readonly content: string }

export interface Body {
  readonly model: string
  readonly stream: true
  readonly messages: ReadonlyArray<Message>
  readonly tools?: ReadonlyArray<unknown>
}

/** Reads one answer into the draft, telling of text as it comes. */
export type Ask = (body: Body, signal: AbortSignal, take: (delta: Delta) => void) => Promise<void>

const absorb = (draft: Draft, delta: Delta, onText: Watch["onText"]): void => {
  if (delta.content !== undefined && delta.content !== null && delta.content !== "") {
    draft.text += delta.content
    onText?.(delta.content)
  }
  for (const piece of delta.tool_calls ?? []) {
    const call = (draft.calls[piece.index] ??= { id: "", type: "function", function: { name: "", arguments: "" } })
    call.id = piece.id ?? call.id
    call.function.name += piece.function?.name ?? ""
    call.function.arguments += piece.function?.arguments ?? ""
  }
}

const tools = [{ type: "function", function: NOOP }]

const loop = async (ask: Ask, model: string, messages: Array<Message>, watch: Watch, signal: AbortSignal) => {
  const offered = hasTools(model) ? { tools } : {}
  for (;;) {
    const draft: Draft = { text: "", calls: [] }
    await ask({ model, stream: true, messages, ...offered }, signal, (delta) => absorb(draft, delta, watch.onText))
    const { text, calls } = draft
    if (calls.length === 0) {
      messages.push({ role: "assistant", content: text })
      return
    }
    messages.push({ role: "assistant", content: text === "" ? null : text, tool_calls: calls })
    const results = await Promise.all(calls.map((call) => noop(JSON.parse(call.function.arguments) as never)))
    calls.forEach((call, i) => messages.push({ role: "tool", tool_call_id: call.id, content: results[i] ?? "" }))
  }
}

export const overLoop = (ask: Ask): Contender => ({
  open: async (model) => {
    const messages: Array<Message> = [{ role: "system", content: SYSTEM }]
    return {
      run: (watch) => {
        messages.push({ role: "user", content: PROMPT })
        const controller = new AbortController()
        const ended = loop(ask, model, messages, watch, controller.signal).catch((error: unknown) => {
          if (!controller.signal.aborted) throw error
        })
        return { ended, cancel: () => controller.abort() }
      },
      close: async () => void messages.splice(0)
    }
  },
  close: async () => undefined,
  fibers: () => 0
})
