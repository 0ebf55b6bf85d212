/** A tool call as a card: what it does, how it stands, what it printed. Owns: folding. Decides nothing. */
import { ChevronRight } from "lucide-react"
import { memo, useState } from "react"
import { useStore } from "zustand"
import { isNews, isPending, toneOf } from "../state/callState.ts"
import { hub } from "../state/hub.ts"
import type { CallItem } from "../state/items.ts"
import { callText } from "../text/callText.ts"
import { reveal } from "../text/reveal.ts"
import { useWords } from "../words/useWords.ts"
import { Approval } from "./Approval.tsx"
import { CallDetails } from "./CallDetails.tsx"
import { CallStatus } from "./CallStatus.tsx"
import { Decision } from "./Decision.tsx"
import { Output } from "./Output.tsx"
import { ToolIcon } from "./ToolIcon.tsx"

export const Call = memo(({ call }: { readonly call: CallItem }) => {
  const words = useWords()
  const [open, setOpen] = useState(false)
  const { subject } = callText(call.content)
  const pending = isPending(call)
  const me = useStore(hub.store, (view) => view.me?.principal.name)
  const running = call.started_at !== undefined && call.result === undefined
  return (
    <section className="call" data-tone={toneOf(call)} aria-label={words.callLabel(reveal(call.tool_name))}>
      <button type="button" className="call-head" aria-expanded={open} onClick={() => setOpen(!open)}>
        <ChevronRight aria-hidden size={14} className="twist" />
        <ToolIcon name={call.tool_name} />
        <span className="tool-name">{reveal(call.tool_name)}</span>
        <span className="subject">{subject}</span>
        <CallStatus call={call} />
      </button>
      {running && !open && call.output !== "" ? <Output text={call.output} lines={6} live /> : null}
      {!open && isNews(call, me) ? <Decision call={call} /> : null}
      {open ? <CallDetails call={call} /> : null}
      {pending && call.request !== undefined ? <Approval request={call.request} /> : null}
    </section>
  )
})
