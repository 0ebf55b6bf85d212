/** What a person said. */
import { memo, useState } from "react"
import { clock } from "../text/format.ts"
import { inOrder } from "../text/reveal.ts"
import { useLocale, useWords } from "../words/useWords.ts"

interface PromptProps {
  readonly text: string
  readonly at?: number
  readonly steered?: boolean
  /** It is on its way. */
  readonly sending?: boolean
}

const LONG = 1_600

export const Prompt = memo(({ text, at, steered = false, sending = false }: PromptProps) => {
  const words = useWords()
  const locale = useLocale()
  const [whole, setWhole] = useState(false)
  const long = text.length > LONG
  return (
    <article className="prompt" data-sending={sending} aria-label={words.promptLabel}>
      <p>{inOrder(long && !whole ? `${text.slice(0, LONG)}…` : text)}</p>
      <footer>
        {steered ? <span>{words.steered}</span> : null}
        {sending ? <span>{words.sending}</span> : null}
        {at === undefined ? null : <time dateTime={new Date(at).toISOString()}>{clock(at, locale)}</time>}
        {long ? (
          <button type="button" className="link-button" aria-expanded={whole} onClick={() => setWhole(!whole)}>
            {whole ? words.showLess : words.showAll}
          </button>
        ) : null}
      </footer>
    </article>
  )
})
