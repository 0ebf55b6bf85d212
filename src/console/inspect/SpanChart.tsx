/** A task's spans as a picture: a line each, from left to right in the task's own time. */
import type { TaskSpans } from "../state/spans.ts"
import { duration } from "../text/format.ts"
import { useWords } from "../words/useWords.ts"

const WIDTH = 320
const LINE = 14
const MOST = 60

export const SpanChart = ({ task }: { readonly task: TaskSpans }) => {
  const words = useWords()
  const spans = task.spans.slice(0, MOST)
  const length = Math.max(1, task.to - task.from)
  const height = spans.length * LINE + 16
  const x = (at: number) => ((at - task.from) / length) * WIDTH
  return (
    <svg className="spans" viewBox={`0 0 ${WIDTH} ${height}`} role="img" aria-label={words.timelineTask(task.title)}>
      {[0.25, 0.5, 0.75].map((part) => (
        <line key={part} className="grid" x1={part * WIDTH} x2={part * WIDTH} y1={0} y2={height - 14} />
      ))}
      {spans.map((span, i) => (
        <rect
          key={i}
          className="span"
          data-kind={span.kind}
          data-failed={span.failed}
          x={x(span.from)}
          y={i * LINE + 2}
          width={Math.max(2, x(span.to) - x(span.from))}
          height={LINE - 4}
          rx={2}
        >
          <title>{words.spanTitle(words.spans[span.kind], span.name, duration(span.to - span.from))}</title>
        </rect>
      ))}
      <text x={0} y={height - 2} className="tick-label">
        0
      </text>
      <text x={WIDTH} y={height - 2} textAnchor="end" className="tick-label">
        {duration(length)}
      </text>
    </svg>
  )
}
