/** What the model said, and before it what it thought, folded. */
import { ChevronRight } from "lucide-react"
import { memo, useState } from "react"
import type { AnswerItem } from "../state/items.ts"
import { duration, firstLine } from "../text/format.ts"
import { Markdown, Prose } from "../text/Markdown.tsx"
import { inOrder } from "../text/reveal.ts"
import { useWords } from "../words/useWords.ts"
import type { Part } from "./rows.ts"

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
        {open ? null : (
          <span className="glimpse">{thinking ? inOrder(last.slice(-160)) : firstLine(answer.reasoning)}</span>
        )}
      </button>
      {open ? <Markdown text={answer.reasoning} open={thinking} /> : null}
    </div>
  )
}

interface AnswerProps {
  readonly answer: AnswerItem
  readonly part: Part
}

/** One part of an answer; a short answer has one. */
export const Answer = memo(({ answer, part }: AnswerProps) => {
  const words = useWords()
  const { chunk, first, last } = part
  const reasoned = first && answer.reasoning !== ""
  const nothing = answer.text.trim() === ""
  return (
    <article
      className="answer"
      data-open={answer.open}
      data-superseded={answer.superseded}
      aria-label={words.answerLabel}
    >
      {reasoned ? <Reasoning answer={answer} /> : null}
      {nothing || chunk === undefined ? null : <Prose chunk={chunk} links={part.links} open={answer.open && last} />}
      {answer.open && nothing && answer.reasoning === "" ? (
        <span className="pulse" role="img" aria-label={words.thinking} />
      ) : null}
      {answer.superseded && last ? <p className="quiet">{words.superseded}</p> : null}
      {answer.cut && last && !answer.superseded && !nothing ? <p className="quiet">{words.cut}</p> : null}
    </article>
  )
})
