/** What rows of a journal say of calls. */
import type { Row } from "./disk.ts"

export const of = (rows: ReadonlyArray<Row>, ...types: ReadonlyArray<string>) =>
  rows.filter(({ type }) => types.includes(type))
export const callOf = ({ body }: Row): string => String(body.call_id)

export const hasResult = (rows: ReadonlyArray<Row>, call: string) =>
  of(rows, "tool_result").some((row) => callOf(row) === call)

/** The calls whose command writes this line; several where a subagent began again, whose calls have other ids. */
export const writing = (rows: ReadonlyArray<Row>, line: string): ReadonlyArray<string> =>
  of(rows, "tool_call")
    .filter(({ body }) =>
      `${(JSON.parse(String(body.content)) as { command?: string }).command} `.startsWith(`echo ${line} `)
    )
    .map(callOf)
