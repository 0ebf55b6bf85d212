/** Facts of a journal that may not stand where they stand, by the rule that an import is held to. Pure. */
import type { DurableBody } from "../../src/domain/Event.ts"
import * as Order from "../../src/domain/Order.ts"
import type { Row } from "./disk.ts"

export const misplaced = (rows: ReadonlyArray<Row>): ReadonlyArray<string> => {
  const order = Order.make()
  return rows.flatMap(({ seq, type, body }) => {
    const why = seq === null ? undefined : order(seq, { ...body, type } as unknown as DurableBody)
    return why === undefined ? [] : [`I3: ${type} at ${seq} may not stand there: ${why}`]
  })
}
