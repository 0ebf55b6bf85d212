/** One session as a column: its head, its conversation, and the composer, which stays at the bottom (R248). */
import { type ReactNode, useEffect, useMemo } from "react"
import { useStore } from "zustand"
import { hub } from "../state/hub.ts"
import { sessionOf } from "../state/sessionOf.ts"
import type { SessionId } from "../../domain/Ids.ts"
import { named } from "../text/named.ts"
import { useWords } from "../words/useWords.ts"
import type { Around } from "./commands.ts"
import { Composer } from "./Composer.tsx"
import { Conversation } from "./Conversation.tsx"
import { Gone } from "./Gone.tsx"
import { Header } from "./Header.tsx"
import { LinkBanner } from "./LinkBanner.tsx"
import { SessionContext, useSession, useView } from "./SessionContext.ts"
import { useDrop } from "./useFiles.ts"

/** What is in front of somebody is read, and shown as it comes. */
const useWatched = () => {
  const session = useSession()
  const seq = useView(({ state }) => state.seq)
  const open = useView(({ phase }) => phase === "open")
  useEffect(() => session.watch(), [session])
  useEffect(() => {
    const read = () => {
      if (open && document.visibilityState === "visible") hub.saw(session.id)
    }
    read()
    document.addEventListener("visibilitychange", read)
    return () => document.removeEventListener("visibilitychange", read)
  }, [session, seq, open])
}

const Body = ({ around, close }: { readonly around: Around; readonly close?: () => void }) => {
  const phase = useView((view) => view.phase)
  useWatched()
  if (phase === "missing" || phase === "removed")
    return <Gone phase={phase} {...(close === undefined ? {} : { close })} />
  return (
    <>
      <Header around={around} {...(close === undefined ? {} : { close })} />
      <LinkBanner />
      <Conversation />
      <Composer around={around} />
    </>
  )
}

const Pane = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => {
  const { id } = useSession()
  const { dropping, handlers } = useDrop()
  return (
    <section className="pane" data-session={id} data-dropping={dropping} tabIndex={-1} aria-label={name} {...handlers}>
      {children}
    </section>
  )
}

interface PaneProps {
  readonly id: SessionId
  readonly around: Around
  /** Where several stand side by side. */
  readonly close?: () => void
}

export const SessionPane = ({ id, around, close }: PaneProps) => {
  const session = useMemo(() => sessionOf(id), [id])
  const words = useWords()
  const title = useStore(session.store, ({ status }) => status?.title)
  return (
    <SessionContext value={session}>
      <Pane name={named(title, words.untitled)}>
        <Body around={around} {...(close === undefined ? {} : { close })} />
      </Pane>
    </SessionContext>
  )
}
