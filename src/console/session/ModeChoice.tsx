/** What passes without a question. */
import { type Mode, MODES } from "../net/api.ts"
import { useWords } from "../words/useWords.ts"
import { useSession, useView } from "./SessionContext.ts"

export const ModeChoice = () => {
  const session = useSession()
  const words = useWords()
  const mode = useView(({ status }) => status?.mode ?? "ask")
  const online = useView(({ link }) => link.kind === "ready")
  const known = MODES.some((one) => one === mode)
  return (
    <label className="mode" data-mode={mode} title={known ? words.modeHint[mode as Mode] : mode}>
      <span className="hidden">{words.mode}</span>
      <select value={mode} disabled={!online} onChange={({ target }) => void session.setMode(target.value as Mode)}>
        {known ? null : <option value={mode}>{mode}</option>}
        {MODES.map((one) => (
          <option key={one} value={one}>
            {words.modes[one]}
          </option>
        ))}
      </select>
    </label>
  )
}
