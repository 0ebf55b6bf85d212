/** Tokens by day as bars, with the same figures as a table for whoever cannot see them. */
import type { UsageReport } from "../net/api.ts"
import { money, tokens } from "../text/format.ts"
import { useLocale, useWords } from "../words/useWords.ts"

const HEIGHT = 160
const BAR = 22
const GAP = 10
const MOST = 30

type Day = UsageReport["days"][number]

const shortDay = (day: string, locale: string): string =>
  new Date(`${day}T00:00:00Z`).toLocaleDateString(locale, { month: "short", day: "numeric", timeZone: "UTC" })

const Bar = ({ day, x, scale }: { readonly day: Day; readonly x: number; readonly scale: number }) => {
  const words = useWords()
  const locale = useLocale()
  const { input_tokens: input, output_tokens: output, cost_usd } = day.usage
  const [low, high] = [output * scale, input * scale]
  const cost = cost_usd === null ? "" : ` · ${money(cost_usd)}`
  return (
    <g>
      <title>{`${day.day}: ${words.tokens(tokens(input), tokens(output))}${cost}`}</title>
      <rect className="bar input" x={x} y={HEIGHT - low - high} width={BAR} height={high} rx={2} />
      <rect
        className="bar output"
        x={x}
        y={HEIGHT - low}
        width={BAR}
        height={Math.max(low, output > 0 ? 1 : 0)}
        rx={1}
      />
      <text className="tick-label" x={x + BAR / 2} y={HEIGHT + 16} textAnchor="middle">
        {shortDay(day.day, locale)}
      </text>
    </g>
  )
}

export const DaysChart = ({ days }: { readonly days: ReadonlyArray<Day> }) => {
  const words = useWords()
  const shown = days.toSorted((a, b) => (a.day < b.day ? -1 : 1)).slice(-MOST)
  const most = Math.max(1, ...shown.map(({ usage }) => usage.input_tokens + usage.output_tokens))
  const step = Math.max(BAR + GAP, 48)
  const width = Math.max(320, shown.length * step)
  return (
    <figure className="days" tabIndex={0}>
      <svg
        viewBox={`0 0 ${width} ${HEIGHT + 24}`}
        width={width}
        height={HEIGHT + 24}
        role="img"
        aria-label={words.chartTokens}
      >
        <line className="grid" x1={0} x2={width} y1={HEIGHT} y2={HEIGHT} />
        {shown.map((day, i) => (
          <Bar key={day.day} day={day} x={i * step + (step - BAR) / 2} scale={(HEIGHT - 8) / most} />
        ))}
      </svg>
      <figcaption className="legend">
        <span data-kind="input">{words.input}</span>
        <span data-kind="output">{words.output}</span>
      </figcaption>
    </figure>
  )
}
