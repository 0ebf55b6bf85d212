/** The answers that a question has, each with its key. */
import type { Answer, ApprovalRequest } from "../../domain/Approval.ts"
import { useWords } from "../words/useWords.ts"

interface ButtonsProps {
  readonly request: ApprovalRequest
  readonly busy: boolean
  readonly give: (decision: Answer) => void
  readonly reason: string
  readonly setReason: (reason: string) => void
}

interface Choice {
  readonly decision: Answer
  readonly key: string
  readonly look: string
}

const recovery: ReadonlyArray<Choice> = [
  { decision: "retry", key: "R", look: "" },
  { decision: "skip", key: "K", look: "primary" },
  { decision: "stop", key: "X", look: "danger" }
]

const choicesOf = ({ kind, grant_options }: ApprovalRequest): ReadonlyArray<Choice> =>
  kind === "recovery"
    ? recovery
    : [
        { decision: "allow_once", key: "Y", look: "primary" },
        ...(grant_options.length > 0 ? [{ decision: "allow_session" as const, key: "S", look: "" }] : []),
        { decision: "deny", key: "N", look: "danger" }
      ]

export const ApprovalButtons = ({ request, busy, give, reason, setReason }: ButtonsProps) => {
  const words = useWords()
  return (
    <div className="answers">
      {choicesOf(request).map(({ decision, key, look }) => (
        <button
          key={decision}
          type="button"
          className={`button ${look}`}
          disabled={busy}
          aria-keyshortcuts={key}
          onClick={() => give(decision)}
        >
          {words.answers[decision]} <kbd aria-hidden>{key}</kbd>
        </button>
      ))}
      {request.kind === "tool" ? (
        <input
          className="why"
          value={reason}
          maxLength={500}
          placeholder={words.denyReason}
          aria-label={words.denyReason}
          onChange={({ target }) => setReason(target.value)}
          onKeyDown={({ key, nativeEvent }) => (key === "Enter" && !nativeEvent.isComposing ? give("deny") : undefined)}
        />
      ) : null}
    </div>
  )
}
