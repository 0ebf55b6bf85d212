/** There is no such session, or not any more. */
import { Link } from "wouter"
import { useWords } from "../words/useWords.ts"

interface GoneProps {
  readonly phase: "missing" | "removed"
  /** Where others stand beside it. */
  readonly close?: () => void
}

export const Gone = ({ phase, close }: GoneProps) => {
  const words = useWords()
  return (
    <div className="empty">
      <h2>{words.gone[phase]}</h2>
      <p>{words.goneHint}</p>
      {close === undefined ? (
        <Link href="/" className="button primary">
          {words.backToStart}
        </Link>
      ) : (
        <button type="button" className="button primary" onClick={close}>
          {words.closePane}
        </button>
      )}
    </div>
  )
}
