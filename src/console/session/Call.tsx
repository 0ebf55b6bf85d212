/** A tool call as a card: what it does, how it stands, what it printed. Owns: folding. Decides nothing. */
import { ChevronRight } from "lucide-react"
import { memo, type ReactNode, useState } from "react"
import { useStore } from "zustand"
import { asking, isNews, phaseOf, toneOf } from "../state/callState.ts"
import { hub } from "../state/hub.ts"
import type { CallItem } from "../state/items.ts"
import { callText } from "../text/callText.ts"
import { reveal } from "../text/reveal.ts"
import { useWords } from "../words/useWords.ts"
import { Approval } from "./Approval.tsx"
import { CallDetails } from "./CallDetails.tsx"
import { CallStatus } from "./CallStatus.tsx"
import { Decision } from "./Decision.tsx"
import { Glimpse } from "./Inside.tsx"
import { Output } from "./Output.tsx"
import { useSession } from "./SessionContext.ts"
import { ToolIcon } from "./ToolIcon.tsx"

const inner = (call: CallItem): ReactNode => <Call call={call} within />

interface CallProps {
  readonly call: CallItem
  /** It stands inside another one, which asks for it. */
  readonly within?: boolean
}

export const Call = memo(({ call, within = false }: CallProps) => {
  const words = useWords()
  const [open, setOpen] = useState(false)
  const { subject } = callText(call.content)
  const { folding } = useSession()
  const { inside } = call
  const asked = within ? [] : asking(call)
  const me = useStore(hub.store, (view) => view.me?.principal.name)
  const running = phaseOf(call) === "running"
  const title = inside === undefined || inside.title === "" ? subject : reveal(inside.title)
  return (
    <section className="call" data-tone={toneOf(call)} aria-label={words.callLabel(reveal(call.tool_name))}>
      <button type="button" className="call-head" aria-expanded={open} onClick={() => setOpen(!open)}>
        <ChevronRight aria-hidden size={14} className="twist" />
        <ToolIcon name={call.tool_name} />
        <span className="tool-name">{reveal(call.tool_name)}</span>
        <span className="subject">{title}</span>
        {inside?.background === true ? <span className="quiet">{words.subagentBackground}</span> : null}
        <CallStatus call={call} />
      </button>
      {running && !open && inside !== undefined ? <Glimpse inside={inside} /> : null}
      {running && !open && inside === undefined && call.output !== "" ? (
        <Output text={call.output} lines={6} live />
      ) : null}
      {!open && isNews(call, me, folding.isElsewhere(call.resolved?.request_id)) ? <Decision call={call} /> : null}
      {open ? <CallDetails call={call} renderCall={inner} /> : null}
      {asked.map(({ key, request }) => (request === undefined ? null : <Approval key={key} request={request} />))}
    </section>
  )
})
