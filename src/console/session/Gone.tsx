/** There is no such session, or not any more. */
import { Link } from "wouter"
import { useWords } from "../words/useWords.ts"

export const Gone = ({ phase }: { readonly phase: "missing" | "removed" }) => {
  const words = useWords()
  return (
    <div className="empty">
      <h2>{words.gone[phase]}</h2>
      <p>{words.goneHint}</p>
      <Link href="/" className="button primary">
        {words.backToStart}
      </Link>
    </div>
  )
}
