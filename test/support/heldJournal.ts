/** A memory journal that keeps whoever appends a record of one type waiting, once, as a store that is busy does. */
import { Deferred, Effect, Layer, Logger } from "effect"
import { Journal } from "../../src/store/Journal.ts"
import { layerMemory } from "../../src/store/memory/MemoryStore.ts"

export interface Hold {
  readonly type: string
  /** Done when somebody waits. */
  readonly held: Deferred.Deferred<void>
  readonly go: Deferred.Deferred<void>
}

export const layerHeld = ({ type, held, go }: Hold) =>
  Layer.effect(
    Journal,
    Effect.map(Journal, (journal) =>
      Journal.of({
        ...journal,
        append: (session, epoch, records) => {
          const append = journal.append(session, epoch, records)
          if (!records.some(({ body }) => body.type === type)) return append
          const waiting = Effect.andThen(Deferred.succeed(held, undefined), Deferred.await(go))
          return Effect.uninterruptible(Effect.andThen(waiting, append))
        }
      })
    )
  ).pipe(Layer.provideMerge(Layer.mergeAll(layerMemory, Logger.layer([]))))
