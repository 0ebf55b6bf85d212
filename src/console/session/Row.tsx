/** One item of the conversation. */
import { memo } from "react"
import type { Item } from "../state/items.ts"
import { Answer } from "./Answer.tsx"
import { Call } from "./Call.tsx"
import { End } from "./End.tsx"
import { Note } from "./Note.tsx"
import { Prompt } from "./Prompt.tsx"

const content = (item: Item) => {
  switch (item.kind) {
    case "prompt":
      return <Prompt text={item.text} at={item.at} steered={item.steered} />
    case "answer":
      return <Answer answer={item} />
    case "call":
      return <Call call={item} />
    case "note":
      return <Note item={item} />
    case "end":
      return <End item={item} />
  }
}

export const Row = memo(({ item, joined }: { readonly item: Item; readonly joined: boolean }) => (
  <div className="row" data-kind={item.kind} data-joined={joined}>
    {content(item)}
  </div>
))
