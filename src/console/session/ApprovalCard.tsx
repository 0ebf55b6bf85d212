/**
 * A question before something runs. Owns: what is shown in which order, its keys. Does not own: where the answer goes.
 * Invariants: a key answers only while the focus is inside the card and not in a text; nothing answers twice; what will
 * run is shown whole, with its controls visible.
 */
import { ShieldAlert } from "lucide-react"
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react"
import type { Answer, ApprovalRequest } from "../../domain/Approval.ts"
import { useWords } from "../words/useWords.ts"
import { ApprovalButtons } from "./ApprovalButtons.tsx"
import { Asked } from "./Asked.tsx"
import { GrantChoice } from "./GrantChoice.tsx"
import { TimeLeft } from "./TimeLeft.tsx"
import { followNext, useFollow } from "./useFollow.ts"
import { useRest } from "./useRest.ts"

export interface Given {
  readonly decision: Answer
  readonly grant_option?: string
  readonly reason?: string
}

export interface ApprovalCardProps {
  readonly request: ApprovalRequest
  readonly online: boolean
  /** False: it was refused, and somebody has been told why. */
  readonly answer: (given: Given) => Promise<boolean>
  /** What was being written when somebody else had answered. */
  readonly unsaid?: (reason: string) => void
}

const keysOf = ({ kind, grant_options }: ApprovalRequest): Readonly<Record<string, Answer>> =>
  kind === "recovery"
    ? { r: "retry", k: "skip", x: "stop" }
    : { y: "allow_once", n: "deny", ...(grant_options.length > 0 ? { s: "allow_session" } : {}) }

const isText = (target: EventTarget): boolean =>
  target instanceof HTMLElement &&
  (target.tagName === "TEXTAREA" || (target.tagName === "INPUT" && target.getAttribute("type") !== "radio"))

const isMeant = (event: KeyboardEvent): boolean =>
  !event.ctrlKey && !event.metaKey && !event.altKey && !event.repeat && !isText(event.target)

/** Keys of before somebody can have seen the card are not meant for it (LESSONS 29, 50). */
const SETTLE_MS = 500

const useSettled = (): boolean => {
  const [settled, setSettled] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(true), SETTLE_MS)
    return () => clearTimeout(timer)
  }, [])
  return settled
}

const Head = ({ id, request }: { readonly id: string; readonly request: ApprovalRequest }) => {
  const words = useWords()
  return (
    <header>
      <ShieldAlert aria-hidden size={18} />
      <h3 id={id}>{request.kind === "recovery" ? words.recoveryTitle : words.approvalTitle(request.tool_name)}</h3>
      <span className="risk">{words.risk[request.risk]}</span>
      <TimeLeft expires_at={request.expires_at} />
    </header>
  )
}

export const ApprovalCard = ({ request, online, answer, unsaid }: ApprovalCardProps) => {
  const words = useWords()
  const title = useId()
  const { kind, grant_options: options } = request
  const [option, setOption] = useState(options[0]?.id)
  const [reason, setReason] = useState("")
  const [busy, setBusy] = useState(false)
  const card = useFollow(request.request_id)
  const settled = useSettled()
  const given = useRef(false)
  const focus = useRest(card, () => (given.current || reason.trim() === "" ? undefined : unsaid?.(reason.trim())))
  const give = async (decision: Answer) => {
    if (busy) return
    setBusy(true)
    followNext()
    const chosen = decision === "allow_session" && option !== undefined ? { grant_option: option } : {}
    const why = decision === "deny" && reason.trim() !== "" ? { reason: reason.trim() } : {}
    given.current = true
    given.current = await answer({ decision, ...chosen, ...why })
    setBusy(false)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (!settled || !isMeant(event)) return
    const nth = options[Number(event.key) - 1]
    if (nth !== undefined) return setOption(nth.id)
    const decision = keysOf(request)[event.key.toLowerCase()]
    if (decision === undefined) return
    event.preventDefault()
    void give(decision)
  }
  return (
    <div
      ref={card}
      className="approval"
      data-settled={settled}
      data-risk={request.risk}
      role="group"
      aria-labelledby={title}
      tabIndex={-1}
      onKeyDown={onKeyDown}
      {...focus}
    >
      <Head id={title} request={request} />
      <Asked request={request} />
      {kind === "tool" && options.length > 0 ? (
        <GrantChoice options={options} tool={request.tool_name} chosen={option} choose={setOption} />
      ) : null}
      <ApprovalButtons
        request={request}
        busy={busy || !online}
        give={(decision) => void give(decision)}
        reason={reason}
        setReason={setReason}
      />
      {online ? null : <p className="quiet">{words.answerLater}</p>}
    </div>
  )
}
