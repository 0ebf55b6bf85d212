/** A session's status, from two places: the wire tells it, HTTP also what the wire does not. Pure. */
import type { Told } from "../../protocol/ClientContract.ts"
import type { Status } from "../net/api.ts"

/** What the wire says now, with what only HTTP said. */
export const toldNow = (told: Told<"status">, { held_by, archived }: Partial<Status> = {}): Status => ({
  ...told,
  ...(held_by === undefined ? {} : { held_by }),
  ...(archived === undefined ? {} : { archived })
})

/** What only HTTP says now; the rest of it only where the wire has told nothing yet. */
export const looked = (
  known: Status | { readonly archived: boolean },
  status: Status | undefined
): Status | undefined => {
  const { archived = false } = known
  const held = "held_by" in known && known.held_by !== undefined ? { held_by: known.held_by } : {}
  if (status !== undefined) return { ...status, archived, ...held }
  return "state" in known ? known : undefined
}
