/** What happened beside the conversation: files put back, the past summarised, or forgotten. */
import { memo } from "react"
import type { Durable } from "../../domain/Event.ts"
import type { NoteItem } from "../state/items.ts"
import { reveal } from "../text/reveal.ts"
import { tokens } from "../text/format.ts"
import { useWords } from "../words/useWords.ts"

const Restored = ({ event }: { readonly event: Durable<"files_restored"> }) => {
  const words = useWords()
  return (
    <details className="note restored">
      <summary>{words.restored(event.direction, event.count, event.kept.length)}</summary>
      <ul>
        {event.files.map((path) => (
          <li key={path}>
            <code>{path}</code>
          </li>
        ))}
        {event.kept.map(({ path, reason }) => (
          <li key={`kept ${path}`}>
            <code>{path}</code> {words.kept[reason]}
          </li>
        ))}
      </ul>
    </details>
  )
}

export const Note = memo(({ item }: { readonly item: NoteItem }) => {
  const words = useWords()
  switch (item.note) {
    case "cleared":
      return <p className="note line">{words.cleared}</p>
    case "standsIn":
      return <p className="note line">{words.standsIn(reveal(item.model))}</p>
    case "compacted":
      if (item.event.summary === "")
        return (
          <p className="note line">
            {words.shortened(tokens(item.event.tokens_before), tokens(item.event.tokens_after))}
          </p>
        )
      return (
        <details className="note">
          <summary>{words.compacted(tokens(item.event.tokens_before), tokens(item.event.tokens_after))}</summary>
          <p className="kept">{item.event.summary}</p>
        </details>
      )
    case "restored":
      return <Restored event={item.event} />
    case "unrecorded":
      return <p className="note">{words.unrecorded[item.reason]}</p>
  }
})
