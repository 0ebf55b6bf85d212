/** Who has just made a session writes in it without looking for the place. */
import { type RefObject, useEffect } from "react"
import type { SessionStore } from "../state/sessionStore.ts"

export const useWantedFocus = (session: SessionStore, area: RefObject<HTMLTextAreaElement | null>): void =>
  useEffect(() => {
    if (!session.wantsFocus) return
    session.wantsFocus = false
    area.current?.focus()
  }, [area, session])
