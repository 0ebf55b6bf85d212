/** One item of the conversation, or a part of one. */
import { memo } from "react"
import type { Item } from "../state/items.ts"
import { Answer } from "./Answer.tsx"
import { Call } from "./Call.tsx"
import { End } from "./End.tsx"
import { Note } from "./Note.tsx"
import { Prompt } from "./Prompt.tsx"
import type { Part, RowItem } from "./rows.ts"

const WHOLE: Part = { chunk: undefined, links: "", first: true, last: true }

const content = (item: Item, part = WHOLE) => {
  switch (item.kind) {
    case "prompt":
      return <Prompt text={item.text} at={item.at} steered={item.steered} />
    case "answer":
      return <Answer answer={item} part={part} />
    case "call":
      return <Call call={item} />
    case "note":
      return <Note item={item} />
    case "end":
      return <End item={item} />
  }
}

export const Row = memo(({ item, joined, part }: Omit<RowItem, "key">) => (
  <div className="row" data-kind={item.kind} data-joined={joined}>
    {content(item, part)}
  </div>
))
