/** How long a question still waits. The last minute is told aloud, once. */
import { Timer } from "lucide-react"
import { countdown } from "../text/format.ts"
import { useWords } from "../words/useWords.ts"
import { useNow } from "./useNow.ts"

const SOON_MS = 60_000

export const TimeLeft = ({ expires_at }: { readonly expires_at: string | undefined }) => {
  const words = useWords()
  const now = useNow(expires_at !== undefined)
  if (expires_at === undefined) return null
  const left = Date.parse(expires_at) - now
  const soon = left < SOON_MS
  return (
    <span className="time-left" data-soon={soon}>
      <Timer aria-hidden size={14} />
      <span aria-hidden>{left > 0 ? countdown(left) : words.expired}</span>
      <span className="hidden" role={soon ? "alert" : undefined}>
        {left > 0 ? (soon ? words.expiresSoon : "") : words.expired}
      </span>
    </span>
  )
}
