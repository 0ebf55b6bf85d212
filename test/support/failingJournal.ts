/** A memory journal whose appends can fail as a disk's do: refused, or stored although they seem to have failed. */
import { Effect, Layer } from "effect"
import { Journal } from "../../src/store/Journal.ts"
import { layerMemory } from "../../src/store/memory/MemoryStore.ts"
import { StoreError } from "../../src/store/StoreError.ts"

export type Fault = "none" | "refused" | "stored"

export interface Disk {
  /** What becomes of the next append. */
  next: () => Fault
}

const full = new StoreError({ code: "storage_unavailable", operation: "append", detail: "The disk is full." })

export const layerFailing = (disk: Disk) =>
  Layer.effect(
    Journal,
    Effect.map(Journal, (journal) =>
      Journal.of({
        ...journal,
        append: (session, epoch, records) =>
          Effect.suspend(() => {
            const fault = disk.next()
            if (fault === "refused") return Effect.fail(full)
            const stored = journal.append(session, epoch, records)
            return fault === "stored" ? Effect.andThen(stored, Effect.fail(full)) : stored
          })
      })
    )
  ).pipe(Layer.provideMerge(layerMemory))
