/** Whether this is how the newest task ended, and none runs: then something can be done about it. */
import { useView } from "./SessionContext.ts"

export const useIsLastEnd = (key: string): boolean =>
  useView(
    ({ items, doing, state }) =>
      state.task === undefined &&
      doing.task === undefined &&
      items.findLast(({ kind }) => kind === "end" || kind === "prompt")?.key === key
  )
