/** Tokens and cost of all sessions. */
import { Link } from "wouter"
import { api, type Spent, type UsageReport } from "../net/api.ts"
import { sessionsPath } from "../shell/route.ts"
import { money, tokens } from "../text/format.ts"
import { named } from "../text/named.ts"
import { useWords } from "../words/useWords.ts"
import { DaysChart } from "./DaysChart.tsx"
import { Fetched } from "./Fetched.tsx"
import { useLoaded } from "./useLoaded.ts"

const Total = ({ total }: { readonly total: Spent }) => {
  const words = useWords()
  const figures: ReadonlyArray<readonly [string, string]> = [
    [words.input, tokens(total.input_tokens)],
    [words.cachedInput, tokens(total.cached_tokens)],
    [words.output, tokens(total.output_tokens)],
    [words.cost, total.cost_usd === null ? words.unknownCost : money(total.cost_usd)]
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

const Sessions = ({ sessions }: Pick<UsageReport, "sessions">) => {
  const words = useWords()
  const used = sessions.filter(({ usage }) => usage.input_tokens + usage.output_tokens > 0)
  return (
    <div className="table wide" tabIndex={0} role="region" aria-label={words.perSession}>
      <table>
        <thead>
          <tr>
            <th scope="col">{words.session}</th>
            <th scope="col" className="number">
              {words.input}
            </th>
            <th scope="col" className="number">
              {words.output}
            </th>
            <th scope="col" className="number">
              {words.cost}
            </th>
          </tr>
        </thead>
        <tbody>
          {used.map(({ session_id, title, usage }) => (
            <tr key={session_id}>
              <td>
                <Link href={sessionsPath([session_id])}>
                  <bdi>{named(title, words.untitled)}</bdi>
                </Link>
              </td>
              <td className="number">{tokens(usage.input_tokens)}</td>
              <td className="number">{tokens(usage.output_tokens)}</td>
              <td className="number">{usage.cost_usd === null ? "–" : money(usage.cost_usd)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
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
        {({ total, days, sessions }) =>
          days.length === 0 ? (
            <p className="quiet">{words.usageNone}</p>
          ) : (
            <>
              <Total total={total} />
              <h2>{words.perDay}</h2>
              <DaysChart days={days} />
              <h2>{words.perSession}</h2>
              <Sessions sessions={sessions} />
            </>
          )
        }
      </Fetched>
    </div>
  )
}

export default UsagePage
