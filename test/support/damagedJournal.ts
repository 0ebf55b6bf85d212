/** A memory journal some of whose records cannot be read back any more, as after a flipped byte. */
import { Effect, Layer } from "effect"
import type { ReportBody } from "../../src/domain/Event.ts"
import { Journal, type JournalRecord, type Page } from "../../src/store/Journal.ts"
import { layerMemory } from "../../src/store/memory/MemoryStore.ts"

export interface Flipped {
  /** Whether this one is damaged by now. */
  is: (body: ReportBody, pos: number) => boolean
  /** Its type cannot be told either: the record is gone. */
  gone?: boolean
}

const without = (flipped: Flipped, page: Page): Page => {
  const isLost = ({ body, pos }: JournalRecord) => flipped.is(body, pos)
  const lost = page.records.filter(isLost)
  const kinds = new Map(lost.map(({ pos, body }) => [pos, body.type]))
  return {
    ...page,
    records: page.records.filter((record) => !isLost(record)),
    damaged: lost.map(({ pos }) => pos),
    ...(flipped.gone === true || lost.length === 0 ? {} : { kinds })
  }
}

export const layerDamaged = (flipped: Flipped) =>
  Layer.effect(
    Journal,
    Effect.map(Journal, (journal) =>
      Journal.of({
        ...journal,
        read: (...given) => Effect.map(journal.read(...given), (page) => without(flipped, page)),
        readPublic: (...given) => Effect.map(journal.readPublic(...given), (page) => without(flipped, page))
      })
    )
  ).pipe(Layer.provideMerge(layerMemory))
