/**
 * How prompts reach the server: one after another, in the order in which they were said. Owns: which refusal is a "wait".
 * Invariants: none overtakes another; each is settled once, taken or refused; one that may be taken later is sent again
 * then, under its key.
 */
import type { ErrorBody } from "../../domain/ErrorCode.ts"
import type { Sending } from "./outbox.ts"

export interface Courier {
  readonly prompt: (sending: Sending) => Promise<unknown>
  readonly taken: (sending: Sending) => void
  readonly refused: (sending: Sending, error: ErrorBody) => void
  /** It waits for this to pass; undefined: that has. */
  readonly waits: (error: ErrorBody | undefined) => void
  readonly pause?: (ms: number) => Promise<void>
}

const WAIT_MS = 2_000
/** They say nothing against what was sent. */
const passing: ReadonlySet<string> = new Set(["rate_limited", "server_draining"])

const later = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms))

/** Gives what is called for each prompt that is to be sent. */
export const makeDelivery = ({
  prompt,
  taken,
  refused,
  waits,
  pause = later
}: Courier): ((sending: Sending) => void) => {
  const bring = async (sending: Sending): Promise<void> => {
    for (let tries = 1; ; tries++) {
      const error = await prompt(sending).then(
        () => undefined,
        (refusal: ErrorBody) => refusal
      )
      if (tries > 1) waits(undefined)
      if (error === undefined) return taken(sending)
      if (!passing.has(error.code)) return refused(sending, error)
      waits(error)
      await pause(error.retry_after_ms ?? WAIT_MS)
    }
  }
  let last: Promise<void> = Promise.resolve()
  return (sending) => {
    last = last.then(() => bring(sending))
  }
}

/** A text that comes back stands before what is written meanwhile, and behind those that came back before it. */
export const makeReturned = (): ((draft: string, content: string) => string) => {
  let back = ""
  return (draft, content) => {
    const before = back !== "" && draft.startsWith(back) ? back : ""
    const behind = draft.slice(before.length).replace(/^\n+/, "")
    back = before === "" ? content : `${before}\n\n${content}`
    return behind === "" ? back : `${back}\n\n${behind}`
  }
}
