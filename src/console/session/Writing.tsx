/** The text itself. It keeps the focus while commands are chosen (a combobox). */
import type { ClipboardEvent, KeyboardEvent, RefObject } from "react"
import { useWords } from "../words/useWords.ts"
import { useView } from "./SessionContext.ts"

interface WritingProps {
  readonly area: RefObject<HTMLTextAreaElement | null>
  /** The command that is chosen in the list, while there is one. */
  readonly active: string | undefined
  readonly onChange: (text: string) => void
  readonly onKeyDown: (event: KeyboardEvent) => void
  readonly onPaste: (event: ClipboardEvent) => void
}

export const Writing = ({ area, active, onChange, onKeyDown, onPaste }: WritingProps) => {
  const words = useWords()
  const draft = useView((view) => view.draft)
  const gone = useView(({ phase }) => phase === "missing" || phase === "removed")
  return (
    <textarea
      ref={area}
      rows={1}
      value={draft}
      disabled={gone}
      placeholder={words.composerPlaceholder}
      aria-label={words.composerLabel}
      role="combobox"
      aria-autocomplete="list"
      aria-expanded={active !== undefined}
      aria-controls="slash-menu"
      aria-activedescendant={active === undefined ? undefined : `slash-${active}`}
      onChange={({ target }) => onChange(target.value)}
      onKeyDown={onKeyDown}
      onPaste={onPaste}
    />
  )
}
