/** The session that a part of the page belongs to. */
import { createContext, useContext } from "react"
import { useStore } from "zustand"
import type { SessionStore, SessionView } from "../state/sessionStore.ts"

export const SessionContext = createContext<SessionStore | undefined>(undefined)

export const useSession = (): SessionStore => {
  const session = useContext(SessionContext)
  if (session === undefined) throw new Error("This part of the page stands outside of a session.")
  return session
}

export const useView = <A>(select: (view: SessionView) => A): A => useStore(useSession().store, select)
