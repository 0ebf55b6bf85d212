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

/** Says `piece` again and again, a while apart, until `stop`; then it is complete. */
export const flowing = (piece: string) => {
  let stopped = false
  let said = 0
  const more = Effect.sync((): ReadonlyArray<ModelPart> => {
    said += 1
    return text(piece)
  })
  const pieces = Stream.fromEffectRepeat(Effect.delay(more, 1)).pipe(
    Stream.takeUntil(() => stopped),
    Stream.flattenIterable
  )
  const end = Stream.unwrap(
    Effect.delay(
      Effect.sync(() => Stream.fromArray<ModelPart>([completed(piece.repeat(said))])),
      50
    )
  )
  return { stream: Stream.concat(pieces, end), stop: Effect.sync(() => void (stopped = true)) }
}
