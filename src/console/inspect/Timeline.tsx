/** When each task waited for the model, a person, a tool. */
import { useMemo } from "react"
import { useSession, useView } from "../session/SessionContext.ts"
import { spansOf, sumOf, type TaskSpans } from "../state/spans.ts"
import { clock, duration } from "../text/format.ts"
import { inOrder } from "../text/reveal.ts"
import { useLocale, useWords } from "../words/useWords.ts"
import { SpanChart } from "./SpanChart.tsx"

const SHOWN = 20

const SpanTable = ({ task }: { readonly task: TaskSpans }) => {
  const words = useWords()
  return (
    <details>
      <summary>{words.timelineTable}</summary>
      <table className="span-table">
        <thead>
          <tr>
            <th scope="col">{words.spanWhat}</th>
            <th scope="col">{words.spanStart}</th>
            <th scope="col">{words.spanLength}</th>
          </tr>
        </thead>
        <tbody>
          {task.spans.map((span, i) => (
            <tr key={i}>
              <td>
                {words.spans[span.kind]} <code>{span.name}</code>
              </td>
              <td>{duration(span.from - task.from)}</td>
              <td>{duration(span.to - span.from)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  )
}

const Task = ({ task }: { readonly task: TaskSpans }) => {
  const words = useWords()
  const locale = useLocale()
  const sum = (kind: "model" | "approval" | "tool") => duration(sumOf(task.spans, kind))
  return (
    <li className="task-spans">
      <h3>{inOrder(task.title)}</h3>
      <p className="quiet">
        {clock(task.from, locale)} · {duration(task.to - task.from)} ·{" "}
        {words.timelineSum(sum("model"), sum("approval"), sum("tool"))}
      </p>
      <SpanChart task={task} />
      <SpanTable task={task} />
    </li>
  )
}

export const Timeline = () => {
  const session = useSession()
  const words = useWords()
  const seq = useView(({ state }) => state.seq)
  const tasks = useMemo(() => spansOf(session.folding.facts).slice(-SHOWN).toReversed(), [session, seq])
  if (tasks.length === 0) return <p className="quiet">{words.timelineNone}</p>
  return (
    <>
      <ul className="legend" aria-hidden>
        {(["model", "approval", "tool"] as const).map((kind) => (
          <li key={kind} data-kind={kind}>
            {words.spans[kind]}
          </li>
        ))}
      </ul>
      <ol className="task-list">
        {tasks.map((task) => (
          <Task key={task.task_id} task={task} />
        ))}
      </ol>
    </>
  )
}
