/** What an Outbox keeps of what waits here, and of what the transport has not got rid of. Does not own: the rules. */
import type { Delta, LiveEvent } from "../domain/Event.ts"

/** `content` is absent where `text` is final. */
export interface Waiting {
  readonly text: string | undefined
  readonly delta: (LiveEvent & Delta) | undefined
  content: string
  bytes: number
  readonly at: number
  /** Does not count against the limits of size: a replay, which its giver paces. */
  readonly exempt: boolean
}

export type Growing = Waiting & { readonly delta: LiveEvent & Delta }

/** What the transport has been given and not yet taken: bytes written in all when it was, and the age of its oldest. */
export interface Given {
  readonly upTo: number
  readonly at: number
}
