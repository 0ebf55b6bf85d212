/**
 * A server's session as one of this process (`claw attach`), over the typed client. Owns: reaching the server, what a
 * person is told of the connection. Does not own: sockets, what the session does. Invariants: it is there only once the
 * server has told all of it; a lost connection and its return are told once; every waiter is told of the end for good.
 */
import { Deferred, Effect, Queue, type Scope } from "effect"
import { type ErrorBody, errorBody, table } from "../domain/ErrorCode.ts"
import type { RequestId, SessionId, TaskId } from "../domain/Ids.ts"
import * as Usage from "../domain/Usage.ts"
import { connect } from "../protocol/Client.ts"
import type { Client, ClientOptions, ClientState, Told, Transport } from "../protocol/ClientContract.ts"
import { RuntimeError } from "../runtime/RuntimeError.ts"
import type { Accepted, SessionRuntime } from "../runtime/SessionRuntime.ts"
import type { Task } from "../runtime/Task.ts"
import type { Locale } from "./Commands.ts"
import { type Facts, makeFacts } from "./remoteFacts.ts"
import type { Around } from "./SlashCommands.ts"
import { remoteRestoring } from "./remoteRestoring.ts"
import { heldOf, statusOf } from "./remoteStatus.ts"
import { remoteTexts } from "./remoteTexts.ts"

export interface RemoteOptions extends Pick<ClientOptions, "token" | "detach" | "create" | "client"> {
  readonly transport: Transport
  /** Absent: a new session. */
  readonly session_id?: SessionId
  readonly locale: Locale
  /** Gets sentences about the connection, as they come. */
  readonly notices: Queue.Queue<string>
  /** Done when the conversation is over and will not come back, with why. */
  readonly over: Deferred.Deferred<ErrorBody>
}

/** Why there is no session: what the server said, or that it said nothing. */
export type Unreached = ErrorBody | "unreachable" | "silent"

type Status = Told<"status">

interface Wire extends Pick<RemoteOptions, "locale" | "notices" | "over"> {
  readonly client: Client
  readonly facts: Facts
  /** The newest that the server told. */
  status: Status | undefined
  /** It was interrupted while there was no connection. */
  impatient: boolean
}

const REACH = "10 seconds"
const FAREWELL = "3 seconds"

const refused = ({ code, message }: ErrorBody): RuntimeError =>
  new RuntimeError({ code, ...(message === table[code].en ? {} : { detail: message }) })

const asked = <A>(request: () => Promise<A>): Effect.Effect<A, RuntimeError> =>
  Effect.tryPromise({ try: request, catch: (error) => refused(error as ErrorBody) })

/** How the first try to be let in went: nothing where it succeeded. */
const reached = (
  open: (onState: (state: ClientState) => void) => Client
): Effect.Effect<Client, Unreached, Scope.Scope> =>
  Effect.gen(function* () {
    const first = yield* Deferred.make<void, ErrorBody | "unreachable">()
    const onState = (state: ClientState) => {
      if (state.kind === "ready") Deferred.doneUnsafe(first, Effect.void)
      if (state.kind === "waiting") Deferred.doneUnsafe(first, Effect.fail(state.error ?? "unreachable"))
      if (state.kind === "ended") Deferred.doneUnsafe(first, Effect.fail(state.error ?? errorBody("internal")))
    }
    const client = yield* Effect.acquireRelease(
      Effect.sync(() => open(onState)),
      (made) => Effect.sync(() => made.close())
    )
    const silent = Effect.fail("silent" as const)
    yield* Effect.timeoutOrElse(Deferred.await(first), { duration: REACH, orElse: () => silent })
    return client
  })

/** A name that nobody knows would become a new session: asking for what is behind its first fact tells. */
const exists = ({ transport, token, session_id }: RemoteOptions) =>
  session_id === undefined
    ? Effect.void
    : reached((onState) => {
        const who = token === undefined ? {} : { token }
        return connect({ transport, session_id, ...who, detach: true, after: { seq: 1 }, onEvent: () => {}, onState })
      }).pipe(
        Effect.scoped,
        Effect.asVoid,
        Effect.catchIf(
          (error) => typeof error === "object" && error.code === "position_ahead",
          () => Effect.void
        )
      )

/** Closed is closed when the other side has seen it: a program that ends at once would take its farewell along. */
const farewell = (transport: Transport) => {
  const open = new Set<() => void>()
  const waiting = new Set<() => void>()
  const watched: Transport = {
    open: (handlers) => {
      const gone = () => {
        open.delete(gone)
        if (open.size === 0) for (const wake of waiting) wake()
      }
      open.add(gone)
      return transport.open({
        ...handlers,
        closed: (code) => {
          gone()
          handlers.closed(code)
        }
      })
    }
  }
  const closed = Effect.callback<void>((resume) => {
    const wake = () => resume(Effect.void)
    if (open.size === 0) wake()
    else waiting.add(wake)
  })
  return { transport: watched, closed: Effect.asVoid(Effect.timeoutOption(closed, FAREWELL)) }
}

const tellConnection = (wire: Omit<Wire, "client">, lost: { is: boolean }) => (state: ClientState) => {
  const texts = remoteTexts[wire.locale]
  const say = (line: string) => void Queue.offerUnsafe(wire.notices, line)
  if (state.kind === "waiting" && !lost.is) {
    lost.is = true
    say(texts.lost)
  } else if (state.kind === "ready" && lost.is) {
    lost.is = false
    wire.impatient = false
    say(texts.back)
  } else if (state.kind === "ended") {
    Deferred.doneUnsafe(wire.over, Effect.succeed(state.error ?? errorBody("internal", texts.left)))
  }
}

const awaitEnd = ({ facts, over }: Wire, task_id: TaskId) => {
  const end = Effect.callback<ReturnType<Facts["ended"]> & {}>((resume) => {
    const look = () => {
      const found = facts.ended(task_id)
      if (found !== undefined) resume(Effect.succeed(found))
    }
    const stop = facts.watch(undefined, look)
    look()
    return Effect.sync(stop)
  })
  const given = Effect.map(Deferred.await(over), (error) => ({
    task_id,
    status: "failed" as const,
    error,
    usage: Usage.none
  }))
  return Effect.raceFirst(end, given)
}

/** Without a connection nothing can be stopped; the second time the person wants to leave. */
const interrupt = (wire: Wire, task_id = wire.facts.state().task?.task_id) =>
  Effect.suspend((): Effect.Effect<void, RuntimeError> => {
    const { client, notices, locale } = wire
    if (client.state().kind === "ready") {
      const taken = asked(() => client.interrupt(task_id))
      return task_id === undefined ? taken : Effect.andThen(taken, Effect.asVoid(awaitEnd(wire, task_id)))
    }
    if (wire.impatient) client.close()
    else Queue.offerUnsafe(notices, remoteTexts[locale].again)
    wire.impatient = true
    return Effect.fail(new RuntimeError({ code: "no_task" }))
  })

const taskOf = (wire: Wire, { prompt_id, task_id = "" as TaskId }: Told<"accepted">): Task => {
  const end = awaitEnd(wire, task_id)
  return {
    task_id,
    prompt_id,
    status: Effect.sync(() => wire.facts.ended(task_id)?.status ?? "running"),
    await: end,
    cancel: Effect.andThen(Effect.ignore(Effect.suspend(() => interrupt(wire, task_id))), end)
  }
}

const sessionOf = (wire: Wire, session_id: SessionId): SessionRuntime => {
  const { client, facts, locale } = wire
  const command = (message: Parameters<Client["send"]>[0]) => asked(() => client.send(message))
  const wireless = Effect.fail(new RuntimeError({ code: "unknown_type", detail: remoteTexts[locale].grants }))
  const isReady = () => client.state().kind === "ready"
  const fresh = Effect.suspend(() => (isReady() ? Effect.ignore(asked(() => client.status())) : Effect.void))
  return {
    session_id,
    prompt: ({ content, ...given }) =>
      Effect.map(
        asked(() => client.prompt(content, given)),
        (told): Accepted => ({
          prompt_id: told.prompt_id,
          duplicate: told.duplicate === true,
          ...(told.task_id === undefined ? {} : { task: taskOf(wire, told) })
        })
      ),
    unqueue: (prompt_id) => command({ type: "unqueue", prompt_id }),
    interrupt: (id) => interrupt(wire, id),
    answer: ({ request_id, by: _, withdrawn: __, ...answer }) =>
      asked(() => client.answer(request_id as RequestId, answer)),
    subscribe: ({ after, sink }) =>
      Effect.asVoid(
        Effect.acquireRelease(
          Effect.sync(() => facts.watch(after, sink)),
          (stop) => Effect.sync(stop)
        )
      ),
    status: Effect.map(fresh, () => statusOf(facts.state(), wire.status, session_id)),
    state: Effect.sync(facts.state),
    clear: command({ type: "command", name: "clear" }),
    compact: (focus = "") => command({ type: "command", name: "compact", focus }),
    setMode: (mode) =>
      mode === "bypass"
        ? Effect.fail(new RuntimeError({ code: "bad_message", detail: remoteTexts[locale].bypass }))
        : command({ type: "command", name: "set_mode", mode }),
    setModel: (model) => command({ type: "command", name: "set_model", model }),
    setBudget: (caps) =>
      command({ type: "command", name: "set_budget", ...caps }).pipe(
        Effect.andThen(fresh),
        Effect.map(() => heldOf(caps, facts.state(), wire.status))
      ),
    desert: Effect.void,
    rename: (title) => command({ type: "command", name: "rename", title }),
    resumeQueue: command({ type: "command", name: "resume_queue" }),
    ...remoteRestoring(client, facts, asked),
    grants: wireless,
    revoke: () => wireless
  }
}

/** In the caller's scope, whose end leaves the session. Fails with what the server said, or with why it said nothing. */
export const remoteSession = Effect.fnUntraced(function* (options: RemoteOptions) {
  yield* exists(options)
  const { transport: plain, locale, notices, over, session_id: named, ...hello } = options
  const { transport, closed } = farewell(plain)
  const wire = {
    facts: makeFacts(),
    locale,
    notices,
    over,
    status: undefined as Status | undefined,
    impatient: false
  }
  const complete = yield* Deferred.make<void>()
  const tell = tellConnection(wire, { is: false })
  yield* Effect.addFinalizer(() => closed)
  const client = yield* reached((onState) =>
    connect({
      ...hello,
      ...(named === undefined ? {} : { session_id: named }),
      transport,
      after: { seq: 0 },
      onEvent: wire.facts.see,
      onState: (state) => {
        onState(state)
        tell(state)
      },
      onTold: (event) => {
        if (event.type === "status") {
          wire.status = wire.facts.told(event)
          Deferred.doneUnsafe(complete, Effect.void)
        } else if (event.type === "draining") Queue.offerUnsafe(notices, remoteTexts[locale].draining)
      }
    })
  )
  // Who may only look on has no session of its own.
  if (client.session() === undefined) return yield* Effect.fail(errorBody("forbidden"))
  yield* Effect.raceFirst(Deferred.await(complete), Effect.flatMap(Deferred.await(wire.over), Effect.fail))
  return sessionOf(Object.assign(wire, { client }), client.session() as SessionId)
})

/** What the commands of the prompt may use where there is nothing but the wire. */
export const wirelessAround = (locale: Locale): Pick<Around, "locale" | "tools" | "sessions"> => ({
  locale,
  tools: [],
  sessions: Effect.fail(new RuntimeError({ code: "unknown_type", detail: remoteTexts[locale].sessions }))
})
