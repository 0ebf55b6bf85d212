/** Decisions as a table; where there is little room, as a list of the same. */
import { Link } from "wouter"
import { useStore } from "zustand"
import type { Answer, Via } from "../../domain/Approval.ts"
import type { AuditRecord } from "../net/api.ts"
import { hub } from "../state/hub.ts"
import { sessionsPath } from "../shell/route.ts"
import { moment } from "../text/format.ts"
import { named } from "../text/named.ts"
import { reveal } from "../text/reveal.ts"
import { useLocale, useWords } from "../words/useWords.ts"

const Decision = ({ record: { decision, kind } }: { readonly record: AuditRecord }) => {
  const words = useWords()
  const known = decision === undefined ? undefined : words.decision[decision as Answer]
  return (
    <span className="decision" data-decision={decision}>
      {known ?? decision ?? words.auditKind[kind as keyof typeof words.auditKind] ?? kind}
    </span>
  )
}

const Who = ({ record: { who, via, rule } }: { readonly record: AuditRecord }) => {
  const words = useWords()
  const how = via === undefined ? undefined : (words.vias[via as Via] ?? via)
  const named = via === "user" ? (who ?? how) : how
  return (
    <>
      {reveal(named ?? who ?? "")}
      {via === "policy" && rule !== undefined ? ` (${reveal(rule)})` : ""}
    </>
  )
}

const SessionLink = ({ id, removed }: { readonly id: string; readonly removed: boolean }) => {
  const words = useWords()
  const title = useStore(hub.store, ({ sessions }) => sessions.find(({ session_id }) => session_id === id)?.title)
  if (removed && title === undefined) return <span className="quiet">{id}</span>
  return (
    <Link href={sessionsPath([id])}>
      <bdi>{title === undefined ? id : named(title, words.untitled)}</bdi>
    </Link>
  )
}

const Narrow = ({ records }: { readonly records: ReadonlyArray<AuditRecord> }) => {
  const locale = useLocale()
  return (
    <ul className="audit-list">
      {records.map((record) => (
        <li key={record.n}>
          <p>
            <Decision record={record} /> <code>{reveal(record.tool_name ?? "")}</code>
          </p>
          {record.shown === undefined ? null : <code className="shown">{reveal(record.shown)}</code>}
          <p className="quiet">
            {moment(Date.parse(record.when), locale)} · <Who record={record} />
          </p>
        </li>
      ))}
    </ul>
  )
}

interface TableProps {
  readonly records: ReadonlyArray<AuditRecord>
  readonly narrow?: boolean
}

export const AuditTable = ({ records, narrow = false }: TableProps) => {
  const words = useWords()
  const locale = useLocale()
  const removed = new Set(records.flatMap(({ kind, session_id }) => (kind === "session_removed" ? [session_id] : [])))
  if (records.length === 0) return <p className="quiet">{words.auditNone}</p>
  if (narrow) return <Narrow records={records} />
  return (
    <div className="table wide audit" tabIndex={0} role="region" aria-label={words.auditTitle}>
      <table>
        <thead>
          <tr>
            <th scope="col">{words.when}</th>
            <th scope="col">{words.result}</th>
            <th scope="col">{words.what}</th>
            <th scope="col">{words.who}</th>
            <th scope="col">{words.session}</th>
          </tr>
        </thead>
        <tbody>
          {records.map((record) => (
            <tr key={record.n}>
              <td className="nowrap">{moment(Date.parse(record.when), locale)}</td>
              <td>
                <Decision record={record} />
              </td>
              <td>
                <code>{reveal([record.tool_name, record.shown].filter(Boolean).join(" "))}</code>
                {record.reason === undefined ? null : <p className="quiet">{words.reason(record.reason)}</p>}
              </td>
              <td>
                <Who record={record} />
              </td>
              <td>
                <SessionLink id={record.session_id} removed={removed.has(record.session_id)} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
