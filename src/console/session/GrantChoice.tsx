/** What an answer for the session would cover, in plain words; the first is the most exact. */
import { useId } from "react"
import type { GrantOption } from "../../domain/Approval.ts"
import { useWords } from "../words/useWords.ts"

interface ChoiceProps {
  readonly options: ReadonlyArray<GrantOption>
  readonly tool: string
  readonly chosen: string | undefined
  readonly choose: (id: string) => void
}

export const GrantChoice = ({ options, tool, chosen, choose }: ChoiceProps) => {
  const words = useWords()
  const name = useId()
  return (
    <fieldset className="grant-choice">
      <legend>{words.grantChoice}</legend>
      {options.map(({ id, matcher }) => (
        <label key={id}>
          <input type="radio" name={name} value={id} checked={id === chosen} onChange={() => choose(id)} />
          <span>{words.covers(matcher, tool)}</span>
        </label>
      ))}
    </fieldset>
  )
}
