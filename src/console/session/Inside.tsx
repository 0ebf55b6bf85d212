/** What a subagent does inside its call: its order, what it said, its own calls. Questions stand at the call that began it. */
import { type ReactNode, useMemo, useState } from "react"
import type { CallItem, Inside as InsideItem } from "../state/items.ts"
import { callText } from "../text/callText.ts"
import { costOf, firstLine, tokens } from "../text/format.ts"
import { reveal } from "../text/reveal.ts"
import { useWords } from "../words/useWords.ts"
import { Answer } from "./Answer.tsx"
import { Note } from "./Note.tsx"
import { Output } from "./Output.tsx"
import { type RowItem, Rows } from "./rows.ts"

/** Calls inside calls are drawn by whoever draws calls. */
export type RenderCall = (call: CallItem) => ReactNode

const Part = ({ item, part, renderCall }: RowItem & { readonly renderCall: RenderCall }) => {
  const words = useWords()
  switch (item.kind) {
    case "prompt":
      return (
        <section className="order">
          <h4>{item.steered ? words.subagentTold : words.subagentOrder}</h4>
          <Output text={item.text} lines={8} />
        </section>
      )
    case "answer":
      return part === undefined ? null : <Answer answer={item} part={part} />
    case "call":
      return renderCall(item)
    case "note":
      return <Note item={item} />
    case "end":
      return null
  }
}

const Ended = ({ inside: { ended } }: { readonly inside: InsideItem }) => {
  const words = useWords()
  if (ended === undefined) return null
  const { error, status, usage } = ended
  return (
    <p className="end">
      {status === "completed" ? null : <strong>{words.subagentEnded[status]}</strong>}
      {error === undefined ? null : <span>{reveal(error.message)}</span>}
      <span className="figures">
        {words.tokens(tokens(usage.input_tokens), tokens(usage.output_tokens))} · {costOf(usage, words.costUnknown)}
      </span>
    </p>
  )
}

interface InsideProps {
  readonly inside: InsideItem
  readonly renderCall: RenderCall
}

export const Inside = ({ inside, renderCall }: InsideProps) => {
  const [made] = useState(() => new Rows())
  const rows = useMemo(() => made.of(inside.items), [made, inside.items])
  return (
    <div className="inside">
      {rows.map((row) => (
        <Part {...row} key={row.key} renderCall={renderCall} />
      ))}
      <Ended inside={inside} />
    </div>
  )
}

/** One line of what it does now, while nobody looks closer. */
export const Glimpse = ({ inside }: { readonly inside: InsideItem }) => {
  const words = useWords()
  const last = inside.items.findLast(({ kind }) => kind === "call" || kind === "answer")
  const said = last?.kind === "answer" ? firstLine(last.text) : ""
  return (
    <p className="glimpse-line">
      {last?.kind === "call" ? (
        <>
          <span className="tool-name">{reveal(last.tool_name)}</span> {firstLine(callText(last.content).subject)}
        </>
      ) : said === "" ? (
        words.thinking
      ) : (
        reveal(said)
      )}
    </p>
  )
}
