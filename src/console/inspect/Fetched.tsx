/** What is shown while something is fetched, or where that failed. */
import type { ReactNode } from "react"
import { useWords } from "../words/useWords.ts"
import type { Loaded } from "./useLoaded.ts"

export const Fetched = <A,>({
  of,
  children
}: {
  readonly of: Loaded<A>
  readonly children: (value: A) => ReactNode
}) => {
  const words = useWords()
  if (of.value !== undefined) return <>{children(of.value)}</>
  if (!of.failed) return <p className="quiet">{words.loading}</p>
  return (
    <p className="quiet">
      {words.failed}{" "}
      <button type="button" className="link-button" onClick={of.again}>
        {words.again}
      </button>
    </p>
  )
}
