/** What prompts that wait do to the state. Pure; a part of `Fold`. Owns: the queue and what is known of each key. */
import type { Durable } from "./Event.ts"
import type { PromptId } from "./Ids.ts"
import type { KeyUse, SessionState } from "./Session.ts"

/** An empty queue is not paused. */
export const unqueue = (state: SessionState, id: PromptId): SessionState => {
  const queue = state.queue.filter((prompt) => prompt.prompt_id !== id)
  if (queue.length === state.queue.length) return state
  return { ...state, queue, queue_paused: state.queue_paused && queue.length > 0 }
}

/** What is known of the key under which a waiting prompt was sent. */
export const keyed = (state: SessionState, id: PromptId, known: Partial<KeyUse>): SessionState => {
  const key = state.queue.find((prompt) => prompt.prompt_id === id)?.idempotency_key
  const use = key === undefined ? undefined : state.keys.get(key)
  if (key === undefined || use === undefined) return state
  return { ...state, keys: new Map(state.keys).set(key, { ...use, ...known }) }
}

export const queued = (state: SessionState, event: Durable<"prompt_queued">): SessionState => {
  const { prompt_id, content, mode, from, idempotency_key: key } = event
  const origin = from === undefined ? {} : { from }
  if (state.queue.some((prompt) => prompt.prompt_id === prompt_id)) return state
  return {
    ...state,
    queue: [
      ...state.queue,
      { prompt_id, content, mode, ...origin, ...(key === undefined ? {} : { idempotency_key: key }) }
    ],
    keys: key === undefined ? state.keys : new Map(state.keys).set(key, { prompt_id, content })
  }
}
