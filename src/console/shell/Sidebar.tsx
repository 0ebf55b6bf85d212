/** The list of sessions, found by a word, and the ways to the other pages. */
import { ChartColumn, Menu, Plus, ScrollText, Search, Settings2, X } from "lucide-react"
import { lazy, type MouseEvent, Suspense } from "react"
import { Link, useLocation } from "wouter"
import { useStore } from "zustand"
import { hub } from "../state/hub.ts"
import { useWords } from "../words/useWords.ts"
import { later } from "./later.ts"
import { idsOf } from "./route.ts"
import { SessionRow } from "./SessionRow.tsx"
import { Tray } from "./Tray.tsx"

// Menus are more than the rest of this column.
const Settings = lazy(later.settings)

interface SidebarProps {
  readonly newSession: () => void
  readonly openPalette: () => void
  readonly drawer: boolean
  readonly setDrawer: (open: boolean) => void
}

const Find = () => {
  const words = useWords()
  const query = useStore(hub.store, (view) => view.query)
  const archived = useStore(hub.store, (view) => view.archived)
  return (
    <div className="find">
      <label className="search">
        <Search aria-hidden size={15} />
        <input
          type="search"
          value={query}
          placeholder={words.search}
          aria-label={words.search}
          onChange={({ target }) => hub.look({ query: target.value })}
        />
      </label>
      <button type="button" className="chip" aria-pressed={archived} onClick={() => hub.look({ archived: !archived })}>
        {words.archived}
      </button>
    </div>
  )
}

const List = () => {
  const words = useWords()
  const [path] = useLocation()
  const sessions = useStore(hub.store, (view) => view.sessions)
  const listed = useStore(hub.store, (view) => view.listed)
  const query = useStore(hub.store, (view) => view.query)
  const shown = idsOf(path)
  if (listed && sessions.length === 0)
    return <p className="quiet nothing">{query === "" ? words.noSessions : words.nothingFound}</p>
  return (
    <ul className="sessions">
      {sessions.map((session) => {
        const current = shown.includes(session.session_id)
        return (
          <SessionRow
            key={session.session_id}
            session={session}
            current={current}
            beside={current && shown.length > 1}
          />
        )
      })}
    </ul>
  )
}

const Pages = () => {
  const words = useWords()
  const [path] = useLocation()
  const current = (to: string) => (path === to ? { "aria-current": "page" as const } : {})
  return (
    <div className="pages">
      <Link href="/usage" className="page-link" {...current("/usage")}>
        <ChartColumn aria-hidden size={16} /> {words.usage}
      </Link>
      <Link href="/audit" className="page-link" {...current("/audit")}>
        <ScrollText aria-hidden size={16} /> {words.audit}
      </Link>
      <Suspense
        fallback={
          <span className="page-link">
            <Settings2 aria-hidden size={16} /> {words.settings}
          </span>
        }
      >
        <Settings />
      </Suspense>
    </div>
  )
}

export const Sidebar = ({ newSession, openPalette, drawer, setDrawer }: SidebarProps) => {
  const words = useWords()
  // Whoever chose something wants to see it.
  const leave = ({ target }: MouseEvent) => {
    if (target instanceof Element && target.closest("a, .new") !== null) setDrawer(false)
  }
  return (
    <>
      <header className="topbar">
        <button
          type="button"
          className="icon-button"
          aria-label={words.sessions}
          aria-expanded={drawer}
          onClick={() => setDrawer(!drawer)}
        >
          {drawer ? <X aria-hidden size={20} /> : <Menu aria-hidden size={20} />}
        </button>
        <span className="brand">claw</span>
        <Tray />
      </header>
      <nav className="side" aria-label={words.sessions} onClick={leave}>
        <div className="side-head">
          <Link href="/" className="brand">
            claw
          </Link>
          <button
            type="button"
            className="icon-button"
            aria-label={words.palette}
            title={`${words.palette} (Ctrl K)`}
            onClick={openPalette}
          >
            <Search aria-hidden size={17} />
          </button>
          <Tray />
        </div>
        <button type="button" className="button new" onClick={newSession}>
          <Plus aria-hidden size={16} /> {words.newSession} <kbd aria-hidden>Alt N</kbd>
        </button>
        <Find />
        <List />
        <Pages />
      </nav>
      <button type="button" className="scrim" tabIndex={-1} aria-hidden onClick={() => setDrawer(false)} />
    </>
  )
}
