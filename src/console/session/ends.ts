/** The end of a conversation, from elsewhere in the page: what is asked stands there, and may not be drawn yet. */
import { useEffect, useRef } from "react"
import type { SessionId } from "../../domain/Ids.ts"

const ends = new Map<SessionId, () => void>()

export const toEndOf = (id: SessionId): void => ends.get(id)?.()

export const useEndOf = (id: SessionId, toEnd: () => void): void => {
  const held = useRef(toEnd)
  useEffect(() => {
    held.current = toEnd
  })
  useEffect(() => {
    ends.set(id, () => held.current())
    return () => void ends.delete(id)
  }, [id])
}
