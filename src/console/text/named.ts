/** What a session is called before people. Pure. Invariants: a title turns no line around; a session without one is not called by its id. */
import { inOrder } from "./reveal.ts"

export const named = (title: string | undefined, untitled: string): string =>
  title === undefined || title.trim() === "" ? untitled : inOrder(title)
