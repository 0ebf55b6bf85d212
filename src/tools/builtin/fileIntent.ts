/**
 * Whether a call that was to write one file did so (R083, DESIGN §7). Pure but for the digests.
 * Invariant: only a file that is exactly what the call was to make of it counts as done, and only one that is exactly
 * what it was before counts as untouched; everything else is for a person to say.
 */
import { createHash } from "node:crypto"
import type { FileIntent, Probe, ToolOutput } from "../Tool.ts"

const digest = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

/** `before` undefined: there is no file. */
export const intentOf = (before: Uint8Array | undefined, after: Uint8Array): FileIntent => ({
  ...(before === undefined ? {} : { before: digest(before) }),
  after: digest(after)
})

export const judge = (now: Uint8Array | undefined, intent: FileIntent | undefined, output: ToolOutput): Probe => {
  if (intent === undefined) return { state: "unknown" }
  const { before, after } = intent
  const found = now === undefined ? undefined : digest(now)
  if (found === after) return { state: "done", output }
  return { state: found === before ? "not_done" : "unknown" }
}
