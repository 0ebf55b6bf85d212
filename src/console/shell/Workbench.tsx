/** The sessions of the address, side by side, and what is looked at more closely beside them. */
import { lazy, Suspense, useEffect, useState } from "react"
import { useLocation } from "wouter"
import type { SessionId } from "../../domain/Ids.ts"
import type { Around } from "../session/commands.ts"
import { Gone } from "../session/Gone.tsx"
import { SessionPane } from "../session/SessionPane.tsx"
import { wantFocus } from "../session/useWantedFocus.ts"
import { Beside } from "./Beside.tsx"
import { idsOf, sessionsPath } from "./route.ts"

const Inspector = lazy(() => import("../inspect/Inspector.tsx"))

export type Tab = Parameters<Around["inspect"]>[0]

/** Where there is no room for all, what is looked at more closely is what stays in sight. */
const useInSight = (id: SessionId | undefined) => {
  useEffect(() => {
    const pane = id === undefined ? null : document.querySelector(`.pane[data-session="${id}"]`)
    pane?.scrollIntoView({ block: "nearest", inline: "nearest" })
  }, [id])
}

const Workbench = ({ newSession }: { readonly newSession: () => void }) => {
  const [path, go] = useLocation()
  const ids = idsOf(path)
  const [inspected, setInspected] = useState<{ readonly id: SessionId; readonly tab: Tab }>()
  const [choosing, setChoosing] = useState(false)
  const toPane = (id: SessionId) => {
    wantFocus(id)
    go(sessionsPath([...ids, id]))
  }
  const shown = ids.find((id) => id === inspected?.id)
  useInSight(shown)
  const aroundOf = (id: SessionId): Around => ({
    go: (next) =>
      go(sessionsPath(next === "" ? ids.filter((one) => one !== id) : ids.map((one) => (one === id ? next : one)))),
    beside: () => setChoosing(true),
    newSession,
    inspect: (tab) => setInspected((now) => (now?.id === id && now.tab === tab ? undefined : { id, tab }))
  })
  // An address that names nothing that could be one.
  if (ids.length === 0) return <Gone phase="missing" />
  const close = (id: SessionId) => () => go(sessionsPath(ids.filter((one) => one !== id)))
  return (
    <div className="bench" data-panes={ids.length} data-inspecting={shown !== undefined}>
      <div className="panes">
        {ids.map((id) => (
          <SessionPane key={id} id={id} around={aroundOf(id)} {...(ids.length > 1 ? { close: close(id) } : {})} />
        ))}
      </div>
      {shown === undefined || inspected === undefined ? null : (
        <Suspense fallback={<aside className="inspector" />}>
          <Inspector
            key={shown}
            id={shown}
            tab={inspected.tab}
            setTab={(tab) => setInspected({ id: shown, tab })}
            close={() => setInspected(undefined)}
          />
        </Suspense>
      )}
      <Beside open={choosing} ids={ids} close={() => setChoosing(false)} choose={toPane} />
    </div>
  )
}

export default Workbench
