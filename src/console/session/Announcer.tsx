/**
 * What is said aloud: an answer when it is whole, a question when it is asked, an end. Never a piece of a stream, which
 * would interrupt itself twenty times a second (WCAG 4.1.3).
 */
import { useEffect, useRef, useState } from "react"
import { asking } from "../state/callState.ts"
import type { Item } from "../state/items.ts"
import { inOrder } from "../text/reveal.ts"
import { useWords } from "../words/useWords.ts"
import type { Words } from "../words/Words.ts"
import { useView } from "./SessionContext.ts"

const LONGEST = 1_000

/** What of an item deserves to be said, once it is so. */
const spoken = (item: Item, words: Words): string => {
  if (item.kind === "answer") return item.open || item.superseded ? "" : item.text.slice(0, LONGEST)
  if (item.kind === "call")
    return asking(item)
      .map(({ tool_name }) => words.approvalTitle(tool_name))
      .join(" ")
  if (item.kind !== "end") return ""
  if (item.event.type === "task_failed") return item.event.error.message
  return item.event.type === "task_canceled" ? words.stopped : words.done
}

/** Each question of a call is news. */
const keyOf = (item: Item): string =>
  item.kind === "call"
    ? `${item.key} ${asking(item)
        .map(({ request }) => request?.request_id)
        .join(" ")}`
    : item.key

export const Announcer = () => {
  const words = useWords()
  const items = useView((view) => view.items)
  const phase = useView((view) => view.phase)
  const [said, setSaid] = useState("")
  const heard = useRef<Set<string>>(undefined)
  useEffect(() => {
    if (phase !== "open") return
    const now = items.slice(-6).flatMap((item) => {
      const text = spoken(item, words)
      return text === "" ? [] : [[keyOf(item), text] as const]
    })
    const known = heard.current
    heard.current = new Set([...(known ?? []), ...now.map(([key]) => key)])
    // What was there when the page was opened is not news.
    if (known === undefined) return
    const fresh = now.filter(([key]) => !known.has(key)).map(([, text]) => text)
    if (fresh.length > 0) setSaid(inOrder(fresh.map((text) => text.replace(/[.。\s]+$/u, "")).join(". ")))
  }, [items, phase, words])
  return (
    <p className="hidden" role="status" aria-live="polite">
      {said}
    </p>
  )
}
