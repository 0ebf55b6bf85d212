/** Who decided about a call, and why. */
import { refusedBy } from "../state/callState.ts"
import type { CallItem } from "../state/items.ts"
import { reveal } from "../text/reveal.ts"
import { useWords } from "../words/useWords.ts"
import { useSession } from "./SessionContext.ts"

export const Decision = ({ call }: { readonly call: CallItem }) => {
  const words = useWords()
  const { folding } = useSession()
  const { resolved } = call
  if (resolved === undefined) return null
  const hook = refusedBy(call)
  if (hook !== undefined)
    return <p className="decided">{words.hookRefused(reveal(hook.program), hook.tier, reveal(hook.why))}</p>
  const by = resolved.by ?? resolved.rule
  return (
    <p className="decided">
      {words.decided(resolved.decision, resolved.via, by === undefined ? by : reveal(by))}
      {folding.isElsewhere(resolved.request_id) ? ` · ${words.answeredElsewhere}` : ""}
      {resolved.reason === undefined || resolved.via === "timeout" ? null : <> · {words.reason(resolved.reason)}</>}
    </p>
  )
}
