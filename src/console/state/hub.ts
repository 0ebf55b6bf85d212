/**
 * All sessions of this page: the list, and the open ones by id. Owns: which sessions have a connection, what is read and
 * unread, what waits anywhere. Invariants: a session has one store in this page; the list never opens a session, for a
 * connection makes somebody present who could be asked, and needs none of what opens one.
 */
import { createStore } from "zustand/vanilla"
import type { ApprovalRequest } from "../../domain/Approval.ts"
import type { ErrorBody } from "../../domain/ErrorCode.ts"
import type { SessionId } from "../../domain/Ids.ts"
import { pendingApprovals } from "../../domain/Session.ts"
import { api, type ListedSession, type Me } from "../net/api.ts"
import { forgetOwn, keep, keepFor, kept } from "./kept.ts"
import type { SessionStore } from "./sessionStore.ts"

export interface Waiting {
  readonly session_id: SessionId
  readonly title: string
  readonly request: ApprovalRequest
}

export interface HubView {
  readonly signedIn: "asking" | "yes" | "no"
  /** Somebody was signed in, and is not any more, without having said so. */
  readonly loginEnded: boolean
  readonly me: Me | undefined
  readonly sessions: ReadonlyArray<ListedSession>
  readonly listed: boolean
  readonly query: string
  readonly archived: boolean
  /** The server did not answer when it was asked last. */
  readonly unreachable: boolean
  /** Open approvals of all sessions, oldest first. */
  readonly waiting: ReadonlyArray<Waiting>
  /** When a session was last looked at, RFC 3339. */
  readonly seen: Readonly<Record<string, string>>
  /** When this browser was here first: what is older is not news. */
  readonly since: string
  /** Counts the changes of open sessions that the list shows. */
  readonly beat: number
}

const POLL_MS = 4_000

class Hub {
  readonly store = createStore<HubView>(() => ({
    signedIn: "asking",
    loginEnded: false,
    me: undefined,
    sessions: [],
    listed: false,
    query: "",
    archived: false,
    unreachable: false,
    waiting: [],
    seen: kept<Record<string, string>>("seen", {}),
    since: kept("since", new Date().toISOString()),
    beat: 0
  }))
  private readonly open = new Map<SessionId, SessionStore>()
  /** What the server said last of all sessions. */
  private asked: ReadonlyArray<Waiting> = []
  private timer: ReturnType<typeof setTimeout> | undefined
  private round = 0

  /** `asked`: who is there, where that is on its way already. */
  async begin(asked = api.me()): Promise<void> {
    keep("since", this.store.getState().since)
    try {
      const me = await asked
      const { tenant, project, user } = me.principal
      if (!keepFor(`${tenant}/${project}/${user}`)) this.forgotten()
      this.store.setState({ me, signedIn: "yes", unreachable: false })
      await this.refresh()
    } catch (error) {
      const { code } = error as ErrorBody
      if (code === "unauthenticated") return this.signedOut()
      this.store.setState({ unreachable: true })
      this.timer = setTimeout(() => void this.begin(), POLL_MS)
    }
  }

  async login(token: string): Promise<void> {
    await api.login(token)
    await this.begin()
  }

  async logout(): Promise<void> {
    await api.logout()
    this.store.setState({ signedIn: "asking" })
    this.signedOut()
    forgetOwn()
    this.forgotten()
  }

  /** Of what was read, and since when, nothing is known. */
  private forgotten(): void {
    const since = new Date().toISOString()
    keep("since", since)
    this.store.setState({ seen: {}, since })
  }

  readonly signedOut = (): void => {
    clearTimeout(this.timer)
    for (const session of this.open.values()) session.close()
    this.open.clear()
    const loginEnded = this.store.getState().signedIn === "yes"
    this.store.setState({ signedIn: "no", loginEnded, me: undefined, sessions: [], waiting: [], listed: false })
  }

  /** `make` only where it is not open yet. */
  session(id: SessionId, make: (id: SessionId, signedOut: () => void) => SessionStore): SessionStore {
    const known = this.open.get(id)
    if (known !== undefined) return known
    const made = make(id, this.signedOut)
    this.open.set(id, made)
    made.store.subscribe((now, before) => {
      const changed =
        now.doing.state !== before.doing.state || now.state.task !== before.state.task || now.status !== before.status
      if (changed) this.note()
    })
    return made
  }

  known(id: SessionId): SessionStore | undefined {
    return this.open.get(id)
  }

  forget(id: SessionId): void {
    this.open.get(id)?.close()
    this.open.delete(id)
    this.asked = this.asked.filter(({ session_id }) => session_id !== id)
    this.store.setState(({ sessions }) => ({ sessions: sessions.filter(({ session_id }) => session_id !== id) }))
    this.note()
  }

  look(query: { readonly query?: string; readonly archived?: boolean }): void {
    this.store.setState(query)
    void this.refresh()
  }

  saw(id: SessionId): void {
    const seen = { ...this.store.getState().seen, [id]: new Date().toISOString() }
    this.store.setState({ seen })
    keep("seen", seen)
  }

  async refresh(): Promise<void> {
    clearTimeout(this.timer)
    const round = ++this.round
    const { query, archived } = this.store.getState()
    try {
      const [sessions, { approvals }] = await Promise.all([this.listed(query, archived), api.waiting()])
      if (round !== this.round) return
      this.asked = approvals.map(({ session_id, title, workspace: _, ...request }) => ({ session_id, title, request }))
      this.store.setState({ sessions, listed: true, unreachable: false })
      this.note()
    } catch (error) {
      if ((error as ErrorBody).code === "unauthenticated") return this.signedOut()
      this.store.setState({ unreachable: true })
    }
    if (round === this.round) this.timer = setTimeout(() => void this.refresh(), POLL_MS)
  }

  /** A search's page may be empty and yet not the last one. */
  private async listed(q: string, archived: boolean): Promise<ReadonlyArray<ListedSession>> {
    const all: Array<ListedSession> = []
    let cursor: string | undefined
    do {
      const page = await api.sessions({
        q,
        ...(archived ? { archived: "only" as const } : {}),
        ...(cursor === undefined ? {} : { cursor })
      })
      all.push(...page.sessions)
      cursor = page.next_cursor
    } while (cursor !== undefined && all.length < 300)
    // One that changed between two pages comes again, as it is by now.
    return Array.from(new Map(all.map((one) => [one.session_id, one])).values())
  }

  private note(): void {
    const { sessions, beat } = this.store.getState()
    const titles = new Map(sessions.map(({ session_id, title }) => [session_id, title]))
    const of = (id: SessionId, requests: ReadonlyArray<ApprovalRequest>) =>
      requests.map((request): Waiting => ({ session_id: id, title: this.titleOf(id, titles), request }))
    const here = Array.from(this.open).flatMap(([id, { folding }]) => of(id, pendingApprovals(folding.state)))
    const there = this.asked.filter(({ session_id }) => this.open.get(session_id)?.store.getState().phase !== "open")
    this.store.setState({ waiting: [...here, ...there], beat: beat + 1 })
  }

  private titleOf(id: SessionId, titles: ReadonlyMap<SessionId, string>): string {
    return this.open.get(id)?.store.getState().status?.title ?? titles.get(id) ?? ""
  }
}

export const hub = new Hub()
