/** What happened beside the conversation: files put back, the past summarised, or forgotten. */
import { memo } from "react"
import type { Durable } from "../../domain/Event.ts"
import type { Report } from "../../domain/FromClaw.ts"
import { hookIn } from "../../domain/HookName.ts"
import type { NoteItem } from "../state/items.ts"
import { inOrder, reveal } from "../text/reveal.ts"
import { firstLine, tokens } from "../text/format.ts"
import { Markdown } from "../text/Markdown.tsx"
import { useWords } from "../words/useWords.ts"
import type { Words } from "../words/Words.ts"

const Restored = ({ event }: { readonly event: Durable<"files_restored"> }) => {
  const words = useWords()
  return (
    <details className="note restored">
      <summary>{words.restored(event.direction, event.count, event.kept.length)}</summary>
      <ul>
        {event.files.map((path) => (
          <li key={path}>
            <code>{reveal(path)}</code>
          </li>
        ))}
        {event.kept.map(({ path, reason }) => (
          <li key={`kept ${path}`}>
            <code>{reveal(path)}</code> {words.kept[reason]}
          </li>
        ))}
      </ul>
    </details>
  )
}

/** What a subagent in the background has to say: of use to the model, and no words of the person. */
const Reported = ({ report: { failed, text, title } }: { readonly report: Report }) => {
  const words = useWords()
  const head = text === "" ? words.reportCut : failed ? words.reportFailed : words.report
  if (text === "") return <p className="note">{head(reveal(title))}</p>
  return (
    <details className="note report" data-failed={failed}>
      <summary>
        {head(reveal(title))} <span className="quiet">{reveal(firstLine(text.replace(/^[#\s]+/, "")))}</span>
      </summary>
      <Markdown text={text} open={false} />
    </details>
  )
}

/** As a person knows it: whose it is, and its program. */
const calledHook = (name: string, words: Words): string => {
  const hook = hookIn(name)
  return hook === undefined ? reveal(name) : words.hookOf(reveal(hook.program), hook.tier)
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
          {item.event.digest_reason === undefined ? null : <p>{words.digested(reveal(item.event.digest_reason))}</p>}
          <p className="kept">{inOrder(item.event.summary)}</p>
        </details>
      )
    case "report":
      return <Reported report={item.report} />
    case "hook":
      return (
        <details className="note">
          <summary>{words.hookAdded(reveal(item.hook.program), item.hook.tier)}</summary>
          <p className="kept">{reveal(item.text)}</p>
        </details>
      )
    case "hookFailed":
      return (
        <p className="note line">{words.hookFailed(calledHook(item.event.hook, words), reveal(item.event.reason))}</p>
      )
    case "reminded":
      return <p className="note line">{words.reminded}</p>
    case "restored":
      return <Restored event={item.event} />
    case "unrecorded":
      return <p className="note">{words.unrecorded[item.reason]}</p>
  }
})
