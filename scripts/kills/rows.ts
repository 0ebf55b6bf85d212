/** What rows of a journal say of calls. */
import type { Row } from "./disk.ts"

export const of = (rows: ReadonlyArray<Row>, ...types: ReadonlyArray<string>) =>
  rows.filter(({ type }) => types.includes(type))
export const callOf = ({ body }: Row): string => String(body.call_id)

export const hasResult = (rows: ReadonlyArray<Row>, call: string) =>
  of(rows, "tool_result").some((row) => callOf(row) === call)
