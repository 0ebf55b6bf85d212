/** A session in the list: its name, how it stands, whether something new is in it, whether it waits for somebody. */
import { memo, type MouseEvent } from "react"
import { Link } from "wouter"
import { useStore } from "zustand"
import type { StateName } from "../../domain/Event.ts"
import { pendingApprovals } from "../../domain/Session.ts"
import type { ListedSession } from "../net/api.ts"
import { useNow } from "../session/useNow.ts"
import { wantFocus } from "../session/useWantedFocus.ts"
import { hub } from "../state/hub.ts"
import { ago, pathTail } from "../text/format.ts"
import { named } from "../text/named.ts"
import { useLocale, useWords } from "../words/useWords.ts"
import { sessionsPath } from "./route.ts"

interface RowProps {
  readonly session: ListedSession
  readonly current: boolean
  /** It is one of several that are shown. */
  readonly beside: boolean
}

export type Mark = "waiting" | "running" | "unread" | "none"

/** The strongest of what there is to say. */
const markOf = (state: StateName, waiting: number, unread: boolean): Mark => {
  if (waiting > 0) return "waiting"
  if (state !== "idle" && state !== "suspended") return "running"
  return unread ? "unread" : "none"
}

/** What an open session knows itself is newer than what the list says of it. */
const useStanding = (listed: ListedSession) => {
  useStore(hub.store, (view) => view.beat)
  const open = hub.known(listed.session_id)
  const view = open?.store.getState()
  if (open === undefined || view === undefined || view.phase !== "open")
    return { state: listed.state ?? "idle", waiting: listed.pending_approvals ?? 0, title: listed.title }
  const running = view.state.task !== undefined || view.doing.task !== undefined
  return {
    state: running ? view.doing.state : ("idle" as const),
    waiting: pendingApprovals(open.folding.state).length,
    title: view.status?.title ?? listed.title
  }
}

export const SessionRow = memo(({ session, current, beside }: RowProps) => {
  const words = useWords()
  const locale = useLocale()
  const now = useNow()
  const { state, waiting, title } = useStanding(session)
  const seen = useStore(hub.store, ({ seen: all, since }) => all[session.session_id] ?? since)
  const unread = !current && session.updated_at > seen
  const mark = markOf(state, waiting, unread)
  return (
    <li>
      <Link
        href={sessionsPath([session.session_id])}
        className="session-row"
        data-mark={mark}
        data-unread={unread}
        {...(current ? { "aria-current": "page" as const } : {})}
        onClick={(event: MouseEvent) => {
          // The others stay.
          if (!beside || event.ctrlKey || event.metaKey || event.shiftKey) return
          event.preventDefault()
          wantFocus(session.session_id)
        }}
      >
        <span className="mark" aria-hidden />
        <bdi className="name">{named(title, words.untitled)}</bdi>
        <span className="when">{ago(Date.parse(session.updated_at), now, locale)}</span>
        <span className="sub">
          {mark === "none" || mark === "unread" ? pathTail(session.workspace, 1) : words.marks[mark]}
        </span>
        {unread ? <span className="hidden">{words.unread}</span> : null}
      </Link>
    </li>
  )
})
