/**
 * Prompts on their way: kept until the server has confirmed them, under the key that makes sending them again harmless
 * (R255). Owns: what is kept of them in this browser. Invariant: a prompt leaves here only when it was taken or refused.
 */
import { keep, kept } from "./kept.ts"

export interface Sending {
  readonly key: string
  readonly content: string
  readonly when_busy: "reject" | "queue" | "steer"
}

const nameOf = (id: string): string => `outbox.${id}`

export const outboxOf = (id: string): ReadonlyArray<Sending> => kept<ReadonlyArray<Sending>>(nameOf(id), [])

export const keepOutbox = (id: string, sending: ReadonlyArray<Sending>): void =>
  keep(nameOf(id), sending.length === 0 ? undefined : sending)

export const draftOf = (id: string): string => kept(`draft.${id}`, "")
export const keepDraft = (id: string, draft: string): void => keep(`draft.${id}`, draft === "" ? undefined : draft)
