/**
 * Where one writes next, without looking for the place: whoever has made a session, gone to one, or answered in one.
 * Invariant: who is wanted gets the focus once, also where the place is not there yet.
 */
import { type RefObject, useEffect } from "react"
import type { SessionId } from "../../domain/Ids.ts"

const wanted = new Set<SessionId>()
const places = new Map<SessionId, () => void>()

export const wantFocus = (id: SessionId): void => {
  const take = places.get(id)
  if (take === undefined) wanted.add(id)
  else requestAnimationFrame(take)
}

export const useWantedFocus = (id: SessionId, area: RefObject<HTMLTextAreaElement | null>): void =>
  useEffect(() => {
    const take = () => area.current?.focus()
    places.set(id, take)
    if (wanted.delete(id)) take()
    return () => void places.delete(id)
  }, [area, id])
