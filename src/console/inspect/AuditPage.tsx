/** All decisions of all sessions. */
import { useState } from "react"
import { api, type AuditRecord } from "../net/api.ts"
import { useWords } from "../words/useWords.ts"
import { AuditTable } from "./AuditTable.tsx"
import { Fetched } from "./Fetched.tsx"
import { useLoaded } from "./useLoaded.ts"

const CHOICES = ["", "allow_once", "allow_session", "deny"] as const

const More = ({ from, decision }: { readonly from: string; readonly decision: string }) => {
  const words = useWords()
  const [cursor, setCursor] = useState<string | undefined>(from)
  const [records, setRecords] = useState<ReadonlyArray<AuditRecord>>([])
  const load = () =>
    void api.audit({ decision, ...(cursor === undefined ? {} : { cursor }) }).then((page) => {
      setRecords([...records, ...page.records])
      setCursor(page.next_cursor)
    })
  return (
    <>
      {records.length === 0 ? null : <AuditTable records={records} />}
      {cursor === undefined ? null : (
        <button type="button" className="button" onClick={load}>
          {words.more}
        </button>
      )}
    </>
  )
}

const AuditPage = () => {
  const words = useWords()
  const [decision, setDecision] = useState<(typeof CHOICES)[number]>("")
  const page = useLoaded(() => api.audit({ decision }), `audit ${decision}`)
  return (
    <div className="page">
      <header>
        <h1>{words.auditTitle}</h1>
        <p className="quiet">{words.auditText}</p>
      </header>
      <label className="filter">
        <span>{words.auditFilter}</span>
        <select value={decision} onChange={({ target }) => setDecision(target.value as (typeof CHOICES)[number])}>
          {CHOICES.map((one) => (
            <option key={one} value={one}>
              {one === "" ? words.auditAll : words.decision[one]}
            </option>
          ))}
        </select>
      </label>
      <Fetched of={page}>
        {({ records, next_cursor }) => (
          <>
            <AuditTable records={records} />
            {next_cursor === undefined ? null : <More key={decision} from={next_cursor} decision={decision} />}
          </>
        )}
      </Fetched>
    </div>
  )
}

export default AuditPage
