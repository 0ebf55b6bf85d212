import type { DurableBody } from "./Event.ts"
import type { SessionState } from "./Session.ts"
export const fold = (state: SessionState, _body: DurableBody): SessionState => state
