/** The modes that may be chosen, each with what it lets pass. */
import type { Mode } from "../net/api.ts"
import { useWords } from "../words/useWords.ts"

interface ModesProps {
  readonly modes: ReadonlyArray<Mode>
  readonly mode: Mode | undefined
  readonly choose: (mode: Mode) => void
}

export const Modes = ({ modes, mode, choose }: ModesProps) => {
  const words = useWords()
  return (
    <fieldset className="mode-choice">
      <legend>{words.modeLegend}</legend>
      {modes.map((one) => (
        <label key={one}>
          <input type="radio" name="mode" value={one} checked={mode === one} onChange={() => choose(one)} />
          <span>
            <strong>{words.modes[one]}</strong>
            <small>{words.modeHint[one]}</small>
          </span>
        </label>
      ))}
    </fieldset>
  )
}
