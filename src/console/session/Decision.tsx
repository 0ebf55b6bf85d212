/** Who decided about a call, and why. */
import type { CallItem } from "../state/items.ts"
import { useWords } from "../words/useWords.ts"

export const Decision = ({ call }: { readonly call: CallItem }) => {
  const words = useWords()
  const { resolved } = call
  if (resolved === undefined) return null
  const by = resolved.by ?? resolved.rule
  return (
    <p className="decided">
      {words.decided(resolved.decision, resolved.via, by)}
      {resolved.reason === undefined || resolved.via === "timeout" ? null : <> · {resolved.reason}</>}
    </p>
  )
}
