/** What passes without a question here, each taken back with one click; and what was decided so far (R257). */
import { ShieldCheck } from "lucide-react"
import { api, type GrantInForce, type Mode, MODES } from "../net/api.ts"
import { useSession, useView } from "../session/SessionContext.ts"
import { moment } from "../text/format.ts"
import { reveal } from "../text/reveal.ts"
import { useLocale, useWords } from "../words/useWords.ts"
import { AuditTable } from "./AuditTable.tsx"
import { Fetched } from "./Fetched.tsx"
import { useLoaded } from "./useLoaded.ts"

const GrantRow = ({ grant, revoke }: { readonly grant: GrantInForce; readonly revoke: () => void }) => {
  const words = useWords()
  const locale = useLocale()
  const facts = [
    ...(grant.by === undefined ? [] : [words.grantBy(grant.by)]),
    words.grantUntil(moment(Date.parse(grant.expires_at), locale)),
    words.grantUses(grant.uses),
    ...(grant.content === undefined ? [] : [words.grantBound])
  ]
  return (
    <li className="grant">
      <ShieldCheck aria-hidden size={16} />
      <div>
        <p>{words.covers(grant.matcher, grant.tool_name)}</p>
        {grant.shown === undefined ? null : <code>{reveal(grant.shown)}</code>}
        <p className="quiet">{facts.join(" · ")}</p>
      </div>
      <button type="button" className="button small danger" onClick={revoke}>
        {words.revoke}
      </button>
    </li>
  )
}

const ModeNow = () => {
  const words = useWords()
  const mode = useView(({ status }) => status?.mode ?? "ask")
  const known = MODES.find((one): one is Mode => one === mode)
  return (
    <p className="mode-now">
      <strong>{words.modeNow(known === undefined ? mode : words.modes[known])}</strong>
      {known === undefined ? null : <span className="quiet"> {words.modeHint[known]}</span>}
    </p>
  )
}

export const Permissions = () => {
  const session = useSession()
  const words = useWords()
  // A decision may have made a grant.
  const seq = useView(({ state }) => state.seq)
  const grants = useLoaded(() => api.grants(session.id), `${session.id} ${Math.floor(seq / 4)}`)
  const audit = useLoaded(() => api.audit({ session: session.id }), `${session.id} ${Math.floor(seq / 4)}`)
  const revoke = (grant: GrantInForce) => () =>
    void api.revoke(session.id, grant.grant_id).then(grants.again, (error) => session.refuse(error))
  return (
    <>
      <ModeNow />
      <h2>{words.grantsTitle}</h2>
      <Fetched of={grants}>
        {({ grants: found }) =>
          found.length === 0 ? (
            <p className="quiet">{words.grantsNone}</p>
          ) : (
            <ul className="grants">
              {found.map((grant) => (
                <GrantRow key={grant.grant_id} grant={grant} revoke={revoke(grant)} />
              ))}
            </ul>
          )
        }
      </Fetched>
      <h2>{words.decisionsTitle}</h2>
      <Fetched of={audit}>{({ records }) => <AuditTable records={records} narrow />}</Fetched>
    </>
  )
}
