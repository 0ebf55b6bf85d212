/** What the server refused last, until it is put away. */
import { X } from "lucide-react"
import { table } from "../../domain/ErrorCode.ts"
import { inOrder } from "../text/reveal.ts"
import { useLocale, useWords } from "../words/useWords.ts"
import { useSession, useView } from "./SessionContext.ts"

export const Refusal = () => {
  const session = useSession()
  const words = useWords()
  const locale = useLocale()
  const refusal = useView((view) => view.refusal)
  if (refusal === undefined) return null
  const own = refusal.message !== table[refusal.code].en
  return (
    <p className="refusal" role="alert">
      <span>{locale === "en" || own ? inOrder(refusal.message) : table[refusal.code].zh}</span>
      <button
        type="button"
        className="icon-button small"
        aria-label={words.dismiss}
        onClick={() => session.refuse(undefined)}
      >
        <X aria-hidden size={14} />
      </button>
    </p>
  )
}
