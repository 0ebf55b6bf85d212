/** Limits of spending of a session: what is left of each, and another one for the tasks that follow. */
import { useState } from "react"
import type { BudgetUse, WantedCap } from "../../domain/Budget.ts"
import { setCap } from "../session/setCap.ts"
import { useSession, useView } from "../session/SessionContext.ts"
import { amount } from "../text/format.ts"
import { useLocale, useWords } from "../words/useWords.ts"

const Use = ({ use }: { readonly use: BudgetUse }) => {
  const words = useWords()
  const locale = useLocale()
  const { budget, limit, unit, used } = use
  const text = (value: number) => amount(value, unit, locale)
  return (
    <li>
      <span>{words.budgetOf[budget]}</span>
      <meter
        min={0}
        max={limit}
        high={limit * 0.8}
        optimum={0}
        value={Math.min(used, limit)}
        aria-label={words.budgetOf[budget]}
      />
      <span className="quiet">{words.budgetLine(text(used), text(limit), text(Math.max(0, limit - used)))}</span>
    </li>
  )
}

const Set = () => {
  const session = useSession()
  const words = useWords()
  const [scope, setScope] = useState<WantedCap["scope"]>("task")
  const [unit, setUnit] = useState<WantedCap["unit"]>("usd")
  const [text, setText] = useState("")
  const set = async () => {
    if (await setCap(session, { scope, unit, amount: Number(text) })) setText("")
  }
  return (
    <form
      className="set-budget"
      onSubmit={(event) => {
        event.preventDefault()
        void set()
      }}
    >
      <select value={scope} aria-label={words.budgetScope} onChange={({ target }) => setScope(target.value as "task")}>
        {(["task", "session"] as const).map((one) => (
          <option key={one} value={one}>
            {words.budgetOf[one]}
          </option>
        ))}
      </select>
      <input
        type="number"
        min={0}
        step={unit === "usd" ? "any" : 1}
        required
        value={text}
        aria-label={words.budgetAmount}
        onChange={({ target }) => setText(target.value)}
      />
      <select value={unit} aria-label={words.budgetUnit} onChange={({ target }) => setUnit(target.value as "usd")}>
        <option value="usd">$</option>
        <option value="tokens">{words.budgetTokens}</option>
      </select>
      <button type="submit" className="button small" disabled={text.trim() === ""}>
        {words.budgetSet}
      </button>
    </form>
  )
}

export const Budgets = () => {
  const words = useWords()
  const budgets = useView(({ status }) => status?.budgets)
  return (
    <section className="budgets">
      <h3>{words.budgetTitle}</h3>
      {budgets === undefined || budgets.length === 0 ? (
        <p className="quiet">{words.budgetNone}</p>
      ) : (
        <ul>
          {budgets.map((use) => (
            <Use key={`${use.budget} ${use.unit}`} use={use} />
          ))}
        </ul>
      )}
      <Set />
      <p className="quiet">{words.budgetHint}</p>
    </section>
  )
}
