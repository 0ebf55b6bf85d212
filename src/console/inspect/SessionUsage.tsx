/** What this session used so far. */
import { useView } from "../session/SessionContext.ts"
import { costOf, tokens } from "../text/format.ts"
import { useWords } from "../words/useWords.ts"
import { Budgets } from "./Budgets.tsx"

export const SessionUsage = () => {
  const words = useWords()
  const usage = useView(({ state, status }) => (state.usage.input_tokens > 0 ? state.usage : status?.counters.usage))
  const tasks = useView(({ status, state }) => Math.max(status?.counters.tasks ?? 0, state.tasks))
  if (usage === undefined)
    return (
      <>
        <p className="quiet">{words.usageNone}</p>
        <Budgets />
      </>
    )
  return (
    <>
      <dl className="figures-list">
        <div>
          <dt>{words.input}</dt>
          <dd>{tokens(usage.input_tokens)}</dd>
        </div>
        {usage.cached_tokens === undefined ? null : (
          <div>
            <dt>{words.cachedInput}</dt>
            <dd>{tokens(usage.cached_tokens)}</dd>
          </div>
        )}
        <div>
          <dt>{words.output}</dt>
          <dd>{tokens(usage.output_tokens)}</dd>
        </div>
        <div>
          <dt>{words.cost}</dt>
          <dd>{costOf(usage, words.unknownCost)}</dd>
        </div>
      </dl>
      <p className="quiet">
        {words.tasksRun(tasks)}
        {usage.estimated === true ? ` · ${words.usageEstimated}` : ""}
      </p>
      <Budgets />
    </>
  )
}
