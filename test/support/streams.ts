/** Scripted answers that a test steers: text comes when it says so. */
import { Deferred, Effect, Stream } from "effect"
import type { ModelPart } from "../../src/provider/ModelPart.ts"
import { completed, text } from "./engineKit.ts"

/** Says `first`, waits for `go`, says `rest`, is complete. */
export const held = (first: string, rest: string) => {
  const go = Deferred.makeUnsafe<void>()
  const later = Stream.unwrap(
    Effect.as(Deferred.await(go), Stream.fromArray<ModelPart>([...text(rest), completed(first + rest)]))
  )
  return {
    stream: Stream.concat(Stream.fromArray<ModelPart>(text(first)), later),
    go: Effect.asVoid(Deferred.succeed(go, undefined))
  }
}

/** Says `first` and nothing more. */
export const endless = (first: string) => held(first, "").stream
