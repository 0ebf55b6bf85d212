/** A task met a limit of spending: it is raised here, and then the work goes on. */
import { useState } from "react"
import type { BudgetUse } from "../../domain/Budget.ts"
import { amount } from "../text/format.ts"
import { useLocale, useWords } from "../words/useWords.ts"
import { raisable, suggested } from "../state/budgets.ts"
import { setCap } from "./setCap.ts"
import { useSession } from "./SessionContext.ts"

export const Raise = ({ use }: { readonly use: BudgetUse }) => {
  const session = useSession()
  const words = useWords()
  const locale = useLocale()
  const [text, setText] = useState(() => String(suggested(use)))
  const [raised, setRaised] = useState<number>()
  const cap = raisable(use)
  const wanted = Number(text)
  if (cap === undefined) return null
  if (raised !== undefined)
    return (
      <span className="raise">
        {words.budgetRaised(amount(raised, cap.unit, locale))}
        <button type="button" className="button small" onClick={() => session.send(words.goOnText, "queue")}>
          {words.goOn}
        </button>
      </span>
    )
  const raise = async () => {
    if (await setCap(session, { ...cap, amount: wanted })) setRaised(wanted)
  }
  return (
    <form
      className="raise"
      onSubmit={(event) => {
        event.preventDefault()
        void raise()
      }}
    >
      <label>
        {words.budgetRaiseTo[use.unit === "usd" ? "usd" : "tokens"]}
        <input
          type="number"
          min={0}
          step="any"
          required
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </label>
      <button type="submit" className="button small" disabled={!Number.isFinite(wanted) || text.trim() === ""}>
        {words.budgetRaise}
      </button>
    </form>
  )
}
