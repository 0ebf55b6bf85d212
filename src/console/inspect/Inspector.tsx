/** A session looked at more closely: what it may, when it did what, what it changed, what it cost. */
import { Tabs } from "@base-ui/react/tabs"
import { X } from "lucide-react"
import { useMemo } from "react"
import type { SessionId } from "../../domain/Ids.ts"
import { SessionContext } from "../session/SessionContext.ts"
import { sessionOf } from "../state/sessionOf.ts"
import { useWords } from "../words/useWords.ts"
import { Changes } from "./Changes.tsx"
import { Permissions } from "./Permissions.tsx"
import { SessionUsage } from "./SessionUsage.tsx"
import { Timeline } from "./Timeline.tsx"

const TABS = ["permissions", "timeline", "changes", "usage"] as const
type Tab = (typeof TABS)[number]

interface InspectorProps {
  readonly id: SessionId
  readonly tab: Tab
  readonly setTab: (tab: Tab) => void
  readonly close: () => void
}

const contents = { permissions: Permissions, timeline: Timeline, changes: Changes, usage: SessionUsage }

const Inspector = ({ id, tab, setTab, close }: InspectorProps) => {
  const words = useWords()
  const session = useMemo(() => sessionOf(id), [id])
  return (
    <SessionContext value={session}>
      <aside className="inspector" aria-label={words.details}>
        <Tabs.Root value={tab} onValueChange={(now: Tab) => setTab(now)}>
          <header className="inspector-head">
            <Tabs.List className="tabs" aria-label={words.details}>
              {TABS.map((name) => (
                <Tabs.Tab key={name} value={name} className="tab">
                  {words.tabs[name]}
                </Tabs.Tab>
              ))}
            </Tabs.List>
            <button type="button" className="icon-button" aria-label={words.close} onClick={close}>
              <X aria-hidden size={18} />
            </button>
          </header>
          {TABS.map((name) => {
            const Content = contents[name]
            return (
              <Tabs.Panel key={name} value={name} className="tab-panel">
                <Content />
              </Tabs.Panel>
            )
          })}
        </Tabs.Root>
      </aside>
    </SessionContext>
  )
}

export default Inspector
