/** Tokens and cost of all sessions: in all, by day, by model, by session. */
import { type ReactNode, useState } from "react"
import { Link } from "wouter"
import { api } from "../net/api.ts"
import { sessionsPath } from "../shell/route.ts"
import { costText, type UsageRow, usageRows } from "../state/usageRows.ts"
import { money, tokens } from "../text/format.ts"
import { named } from "../text/named.ts"
import { reveal } from "../text/reveal.ts"
import { useWords } from "../words/useWords.ts"
import { DaysChart } from "./DaysChart.tsx"
import { Fetched } from "./Fetched.tsx"
import { useLoaded } from "./useLoaded.ts"

const Total = ({ total }: { readonly total: UsageRow }) => {
  const words = useWords()
  const { usage } = total
  const figures: ReadonlyArray<readonly [string, string]> = [
    [words.input, tokens(usage.input_tokens)],
    [words.cachedInput, tokens(usage.cached_tokens)],
    [words.output, tokens(usage.output_tokens)],
    [words.cost, costText(total, money, words.unknownCost)]
  ]
  return (
    <dl className="tiles">
      {figures.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** So many are shown before somebody asks for the rest. */
const MOST = 30

interface RowsProps {
  readonly title: string
  readonly column: string
  readonly rows: ReadonlyArray<UsageRow>
  readonly render: (row: UsageRow) => ReactNode
  readonly children?: ReactNode
}

const Rows = ({ title, column, rows, render, children }: RowsProps) => {
  const words = useWords()
  const [all, setAll] = useState(false)
  const shown = all ? rows : rows.slice(0, MOST)
  return (
    <>
      <h2>{title}</h2>
      {children}
      <div className="table wide" tabIndex={0} role="region" aria-label={title}>
        <table>
          <thead>
            <tr>
              <th scope="col">{column}</th>
              {[words.input, words.cachedInput, words.output, words.cost].map((name) => (
                <th key={name} scope="col" className="number">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <tr key={row.key}>
                <td>{render(row)}</td>
                <td className="number">{tokens(row.usage.input_tokens)}</td>
                <td className="number">{tokens(row.usage.cached_tokens)}</td>
                <td className="number">{tokens(row.usage.output_tokens)}</td>
                <td className="number">{costText(row, money, words.unknown)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {shown.length === rows.length ? null : (
        <button type="button" className="link-button" onClick={() => setAll(true)}>
          {words.more}
        </button>
      )}
    </>
  )
}

const SessionLink = ({ row }: { readonly row: UsageRow }) => {
  const words = useWords()
  return (
    <Link href={sessionsPath([row.key])}>
      <bdi>{named(row.name, words.untitled)}</bdi>
    </Link>
  )
}

const UsagePage = () => {
  const words = useWords()
  const loaded = useLoaded(api.usage, "usage")
  return (
    <div className="page">
      <header>
        <h1>{words.usageTitle}</h1>
        <p className="quiet">{words.usageText}</p>
      </header>
      <Fetched of={loaded}>
        {(report) => {
          if (report.days.length === 0) return <p className="quiet">{words.usageNone}</p>
          const { day, model, session, total } = usageRows(report)
          return (
            <>
              <Total total={total} />
              <Rows title={words.perDay} column={words.day} rows={day} render={({ name }) => name}>
                <DaysChart days={report.days} />
              </Rows>
              <Rows
                title={words.perModel}
                column={words.model}
                rows={model}
                render={({ name }) => (name === "" ? <i>{words.notRecorded}</i> : <code>{reveal(name)}</code>)}
              />
              <Rows
                title={words.perSession}
                column={words.session}
                rows={session}
                render={(row) => <SessionLink row={row} />}
              />
            </>
          )
        }}
      </Fetched>
    </div>
  )
}

export default UsagePage
