/** A limit of spending is set, from the next task on. Does not own: what is allowed (the server). */
import { capKey, type WantedCap } from "../../domain/Budget.ts"
import type { SessionStore } from "../state/sessionStore.ts"

export const setCap = (session: SessionStore, wanted: WantedCap): Promise<boolean> =>
  session.command({ type: "command", name: "set_budget", [capKey(wanted)]: wanted.amount })
