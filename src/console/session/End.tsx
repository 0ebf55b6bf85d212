/** How a task ended: what it used, what went wrong, or what was stopped. */
import { Ban, Check, CircleAlert } from "lucide-react"
import { Fragment, memo } from "react"
import { budgetText } from "../../domain/Budget.ts"
import { table } from "../../domain/ErrorCode.ts"
import type { EndItem } from "../state/items.ts"
import { callText } from "../text/callText.ts"
import { costOf, duration, firstLine, tokens } from "../text/format.ts"
import { inOrder, reveal } from "../text/reveal.ts"
import { useLocale, useWords } from "../words/useWords.ts"
import { Raise } from "./Raise.tsx"
import { Undo } from "./Undo.tsx"
import { useIsLastEnd } from "./useIsLastEnd.ts"

const Figures = ({ item: { event, ms } }: { readonly item: EndItem }) => {
  const words = useWords()
  const { usage } = event
  const parts = [
    ...(ms === undefined ? [] : [duration(ms)]),
    ...(usage.input_tokens + usage.output_tokens === 0
      ? []
      : [
          `${usage.estimated === true ? "≈ " : ""}${words.tokens(tokens(usage.input_tokens), tokens(usage.output_tokens))}`,
          costOf(usage, words.costUnknown)
        ])
  ]
  return <span className="figures">{parts.join(" · ")}</span>
}

const Stopped = ({ stopped }: Pick<EndItem, "stopped">) => {
  const words = useWords()
  if (stopped.length === 0) return <span>{words.stoppedAnswer}</span>
  return (
    <span>
      {words.stoppedCalls}{" "}
      {stopped.map((call, i) => (
        <Fragment key={call.key}>
          {i === 0 ? "" : words.listComma}
          <code>
            {reveal(call.tool_name)} {firstLine(callText(call.content).subject, 60)}
          </code>
        </Fragment>
      ))}
    </span>
  )
}

interface EndProps {
  readonly item: EndItem
}

const How = ({ item, isLast }: EndProps & { readonly isLast: boolean }) => {
  const words = useWords()
  const locale = useLocale()
  const { event } = item
  if (event.type === "task_completed")
    return (
      <p className="end">
        <Check aria-hidden size={14} /> <span className="hidden">{words.done}</span> <Figures item={item} />
      </p>
    )
  if (event.type === "task_canceled")
    return (
      <p className="end stopped">
        <Ban aria-hidden size={14} /> <Stopped stopped={item.stopped} />
        {event.reason === undefined ? null : <span>{words.stoppedBecause(reveal(event.reason))}</span>}{" "}
        <Figures item={item} />
      </p>
    )
  const { budget, code, message } = event.error
  if (item.chosen && code === "interrupted_by_restart")
    return (
      <p className="end stopped">
        <Ban aria-hidden size={14} /> <span>{words.stopped}</span> <Figures item={item} />
      </p>
    )
  const known = table[code] as (typeof table)[typeof code] | undefined
  const translated = known === undefined || locale === "en" ? message : known.zh
  // What a hook says is in its own words.
  const own = translated !== message && code === "hook_denied" ? `${translated} ${reveal(message)}` : translated
  const sentence = budget === undefined ? own : budgetText(budget, locale)
  const offers = budget !== undefined && isLast
  return (
    <div className="end failed">
      <CircleAlert aria-hidden size={16} />
      <span>
        {inOrder(sentence)} <code>{code}</code>
        {offers ? <Raise use={budget} /> : null}
      </span>
      <Figures item={item} />
    </div>
  )
}

export const End = memo(({ item }: EndProps) => {
  const isLast = useIsLastEnd(item.key)
  return (
    <>
      <How item={item} isLast={isLast} />
      {isLast && item.acted ? <Undo task={item.event.task_id} /> : null}
    </>
  )
})
