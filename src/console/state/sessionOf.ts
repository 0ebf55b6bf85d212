/** A session's store, opened where it is not. Apart from the hub: a page that shows no session loads nothing of what opens one. */
import type { SessionId } from "../../domain/Ids.ts"
import { hub } from "./hub.ts"
import { SessionStore } from "./sessionStore.ts"

export const sessionOf = (id: SessionId): SessionStore =>
  hub.session(id, (name, signedOut) => new SessionStore(name, signedOut))
