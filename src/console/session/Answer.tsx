/** What the model said, and before it what it thought, folded. */
import { ChevronRight } from "lucide-react"
import { memo, useState } from "react"
import type { AnswerItem } from "../state/items.ts"
import { duration, firstLine } from "../text/format.ts"
import { Markdown } from "../text/Markdown.tsx"
import { inOrder } from "../text/reveal.ts"
import { useWords } from "../words/useWords.ts"

const Reasoning = ({ answer }: { readonly answer: AnswerItem }) => {
  const words = useWords()
  const [open, setOpen] = useState(false)
  const thinking = answer.open && answer.text === ""
  const ms = answer.thought_ms
  const title = thinking ? words.thinking : words.thought(ms === undefined ? undefined : duration(ms))
  const last = answer.reasoning.trimEnd().split("\n").at(-1) ?? ""
  return (
    <div className="reasoning" data-live={thinking}>
      <button type="button" className="reasoning-head" aria-expanded={open} onClick={() => setOpen(!open)}>
        <ChevronRight aria-hidden size={14} className="twist" />
        <span className="title">{title}</span>
        {open ? null : <span className="glimpse">{thinking ? last.slice(-160) : firstLine(answer.reasoning)}</span>}
      </button>
      {open ? <Markdown text={inOrder(answer.reasoning)} open={thinking} /> : null}
    </div>
  )
}

export const Answer = memo(({ answer }: { readonly answer: AnswerItem }) => {
  const words = useWords()
  const nothing = answer.text.trim() === ""
  return (
    <article
      className="answer"
      data-open={answer.open}
      data-superseded={answer.superseded}
      aria-label={words.answerLabel}
    >
      {answer.reasoning === "" ? null : <Reasoning answer={answer} />}
      {nothing ? null : <Markdown text={inOrder(answer.text)} open={answer.open} />}
      {answer.open && nothing && answer.reasoning === "" ? (
        <span className="pulse" role="img" aria-label={words.thinking} />
      ) : null}
      {answer.superseded ? <p className="quiet">{words.superseded}</p> : null}
      {answer.cut && !answer.superseded && !nothing ? <p className="quiet">{words.cut}</p> : null}
    </article>
  )
})
