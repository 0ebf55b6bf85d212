/** One session as a column: its head, its conversation, and the composer, which stays at the bottom (R248). */
import { useEffect, useMemo } from "react"
import { useStore } from "zustand"
import { hub } from "../state/hub.ts"
import type { SessionId } from "../../domain/Ids.ts"
import type { Around } from "./commands.ts"
import { Composer } from "./Composer.tsx"
import { Conversation } from "./Conversation.tsx"
import { Gone } from "./Gone.tsx"
import { Header } from "./Header.tsx"
import { LinkBanner } from "./LinkBanner.tsx"
import { SessionContext, useSession, useView } from "./SessionContext.ts"

/** What is in front of somebody is read, and shown as it comes. */
const useWatched = () => {
  const session = useSession()
  const seq = useView(({ state }) => state.seq)
  useEffect(() => session.watch(), [session])
  useEffect(() => {
    const read = () => {
      if (document.visibilityState === "visible") hub.saw(session.id)
    }
    read()
    document.addEventListener("visibilitychange", read)
    return () => document.removeEventListener("visibilitychange", read)
  }, [session, seq])
}

const Body = ({ around, close }: { readonly around: Around; readonly close?: () => void }) => {
  const phase = useView((view) => view.phase)
  useWatched()
  if (phase === "missing" || phase === "removed") return <Gone phase={phase} />
  return (
    <>
      <Header around={around} {...(close === undefined ? {} : { close })} />
      <LinkBanner />
      <Conversation />
      <Composer around={around} />
    </>
  )
}

interface PaneProps {
  readonly id: SessionId
  readonly around: Around
  /** Where several stand side by side. */
  readonly close?: () => void
}

export const SessionPane = ({ id, around, close }: PaneProps) => {
  const session = useMemo(() => hub.session(id), [id])
  const title = useStore(hub.store, ({ sessions }) => sessions.find(({ session_id }) => session_id === id)?.title ?? "")
  return (
    <SessionContext value={session}>
      <section className="pane" aria-label={title === "" ? id : title}>
        <Body around={around} {...(close === undefined ? {} : { close })} />
      </section>
    </SessionContext>
  )
}
