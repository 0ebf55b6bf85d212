/** Who is there: a token becomes a cookie that no script can read (SETTLED 21, R251). */
import { KeyRound } from "lucide-react"
import { type FormEvent, useEffect, useState } from "react"
import { useStore } from "zustand"
import type { ErrorBody } from "../../domain/ErrorCode.ts"
import { linkRefusal } from "../begin.ts"
import { api } from "../net/api.ts"
import { hub } from "../state/hub.ts"
import { useWords } from "../words/useWords.ts"

/** At the issuer, where the server has one; it leads back to where somebody was. */
const Issuer = () => {
  const words = useWords()
  const [oidc, setOidc] = useState<string>()
  useEffect(
    () =>
      void api.waysIn().then(
        (ways) => setOidc(ways.oidc),
        () => {}
      ),
    []
  )
  if (oidc === undefined) return null
  return (
    <a className="button" href={`${oidc}?to=${encodeURIComponent(location.pathname)}`}>
      {words.loginIssuer}
    </a>
  )
}

export const Login = () => {
  const words = useWords()
  const ended = useStore(hub.store, (view) => view.loginEnded)
  const [token, setToken] = useState("")
  const said = ({ code, message }: ErrorBody) => (code === "unauthenticated" ? words.wrongToken : message)
  const [refusal, setRefusal] = useState<string | undefined>(() => {
    const first = ended ? undefined : linkRefusal()
    return first === undefined ? undefined : said(first)
  })
  const [busy, setBusy] = useState(false)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    try {
      await hub.login(token.trim())
    } catch (error) {
      setRefusal(said(error as ErrorBody))
    }
    setBusy(false)
  }
  return (
    <main className="login">
      <form onSubmit={(event) => void submit(event)}>
        <KeyRound aria-hidden size={28} />
        <h1>{words.loginTitle}</h1>
        {ended ? <p role="status">{words.loginEnded}</p> : null}
        <p>{words.loginText}</p>
        <label>
          <span>{words.token}</span>
          <input
            type="password"
            autoComplete="current-password"
            autoFocus
            required
            value={token}
            aria-invalid={refusal !== undefined}
            aria-describedby="login-refusal"
            onChange={({ target }) => setToken(target.value)}
          />
        </label>
        <p id="login-refusal" className="refusal" role="alert" hidden={refusal === undefined}>
          {refusal}
        </p>
        <button type="submit" className="button primary" disabled={busy || token.trim() === ""}>
          {words.login}
        </button>
        <Issuer />
      </form>
    </main>
  )
}
