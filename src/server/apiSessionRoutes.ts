/**
 * The routes of sessions and what is in them, as a description (issues 3 and 6). Owns: paths, methods, statuses of these.
 * Does not own: handlers, the routes of the server itself (Api).
 */
import { Schema } from "effect"
import { HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { TaskId } from "../domain/Ids.ts"
import { Authenticated } from "./apiCaller.ts"
import { change, count, cursor, del, get, id, limit, optional, patch, post, read, say, session } from "./apiParts.ts"
import { problems } from "./apiProblem.ts"
import * as Shape from "./apiShapes.ts"

export const sessions = HttpApiGroup.make("sessions")
  .add(
    post("create", "/api/sessions", {
      payload: Shape.CreateSession,
      success: Shape.Status.pipe(HttpApiSchema.status(201)),
      error: problems(...change, 422)
    }).annotateMerge(say("Makes a session."))
  )
  .add(
    get("list", "/api/sessions", {
      query: {
        q: optional(Schema.String.check(Schema.isMaxLength(1024))),
        archived: optional(Schema.Literals(["true", "false", "only"])),
        limit,
        cursor
      },
      success: Shape.SessionPage,
      error: problems(...read)
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Sessions, newest first; `q`: those whose id, title, workspace or first prompt has this text.",
        description:
          "`archived`: absent or `false` leaves out what was put aside, `true` shows it with the others, `only` nothing " +
          "else. A page of a search may be short, or empty, and still have a `next_cursor`: go on with it. " +
          "A session that changes meanwhile may come again; none that was there is left out."
      })
    )
  )
  .add(
    get("show", "/api/sessions/:session_id", {
      params: session,
      success: Shape.Status,
      error: problems(...read, 409, 422)
    }).annotateMerge(say("A session's status."))
  )
  .add(
    patch("update", "/api/sessions/:session_id", {
      params: session,
      payload: Shape.SessionChange,
      success: Shape.Session,
      error: problems(...change, 422)
    }).annotateMerge(say("Names the session, puts it aside (`archived`) or takes it back."))
  )
  .add(
    del("remove", "/api/sessions/:session_id", {
      params: session,
      success: HttpApiSchema.NoContent,
      error: problems(...read, 409)
    }).annotateMerge(say("Ends its task and removes the session."))
  )
  .add(
    get("events", "/api/sessions/:session_id/events", {
      params: session,
      query: { after: count, limit },
      headers: { "last-event-id": optional(Schema.String) },
      success: [Shape.EventPage, HttpApiSchema.StreamSse({ data: Shape.Fact })],
      error: problems(...read, 406, 409, 416, 422)
    }).annotateMerge(
      OpenApi.annotations({
        summary:
          "Events as they happen (SSE, resumed by Last-Event-ID), or a page of facts (`Accept: application/json`).",
        description:
          "A message of the stream has no `event:` field: every type comes to `onmessage`, and `data.type` tells which " +
          "it is. Only facts have an `id:`, their `seq`; what is told while it happens has none and is not repeated. A " +
          "server that ends says `draining` with its `deadline`, then ends the stream; whoever comes back goes on."
      })
    )
  )
  .add(
    get("history", "/api/sessions/:session_id/history", {
      params: session,
      query: { before: optional(Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))), limit },
      success: Shape.HistoryPage,
      error: problems(...read)
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Facts from the end back: the newest, or the newest in front of `before`.",
        description: "Within a page they stand in order. A page may be shorter than `limit` where its facts are large."
      })
    )
  )
  .add(
    post("prompt", "/api/sessions/:session_id/prompt", {
      params: session,
      headers: { "idempotency-key": optional(Schema.String) },
      payload: Shape.Prompt,
      success: Shape.Accepted.pipe(HttpApiSchema.status(202)),
      error: problems(...change, 422)
    }).annotateMerge(say("Starts a task, or keeps the prompt for later."))
  )
  .add(
    post("interrupt", "/api/sessions/:session_id/interrupt", {
      params: session,
      payload: Shape.Interrupt,
      success: HttpApiSchema.NoContent,
      error: problems(...change, 422)
    }).annotateMerge(say("Cancels the running task and waits for its end."))
  )
  .add(
    get("approvals", "/api/sessions/:session_id/approvals", {
      params: session,
      success: Shape.Approvals,
      error: problems(...read, 409, 422)
    }).annotateMerge(say("Questions that wait for an answer."))
  )
  .add(
    post("approve", "/api/sessions/:session_id/approvals/:request_id", {
      params: { ...session, request_id: id },
      payload: Shape.ApprovalAnswer,
      success: HttpApiSchema.NoContent,
      error: problems(...change, 410, 422)
    }).annotateMerge(say("Answers a question."))
  )
  .add(
    del("unqueue", "/api/sessions/:session_id/queue/:prompt_id", {
      params: { ...session, prompt_id: id },
      success: HttpApiSchema.NoContent,
      error: problems(...read, 409, 422)
    }).annotateMerge(say("Takes a waiting prompt back."))
  )
  .add(
    post("command", "/api/sessions/:session_id/command", {
      params: session,
      payload: Shape.Command,
      success: HttpApiSchema.NoContent,
      error: problems(...change, 422)
    }).annotateMerge(say("Changes the session: clear, rename, mode, model, limits of spending, queue."))
  )
  .add(
    post("fork", "/api/sessions/:session_id/fork", {
      params: session,
      payload: Shape.Fork,
      success: Shape.Status.pipe(HttpApiSchema.status(201)),
      error: problems(...change, 416, 422)
    }).annotateMerge(say("Makes a session whose past is a copy of this one's."))
  )
  .add(
    get("grants", "/api/sessions/:session_id/grants", {
      params: session,
      query: { limit, cursor },
      success: Shape.Grants,
      error: problems(...read, 409, 422)
    }).annotateMerge(say("Grants in force."))
  )
  .add(
    del("revoke", "/api/sessions/:session_id/grants/:grant_id", {
      params: { ...session, grant_id: id },
      success: HttpApiSchema.NoContent,
      error: problems(...read, 409, 422)
    }).annotateMerge(say("Takes a grant back."))
  )
  .add(
    get("checkpoints", "/api/sessions/:session_id/checkpoints", {
      params: session,
      success: Shape.Checkpoints,
      error: problems(...read, 409, 422)
    }).annotateMerge(say("Tasks that changed files, oldest first: what can be taken back, or given back."))
  )
  .add(
    get("diff", "/api/sessions/:session_id/diff", {
      params: session,
      query: { all: optional(Schema.Literals(["true", "false"])), task: optional(TaskId) },
      success: Shape.Difference,
      error: problems(...read, 409, 422)
    }).annotateMerge(say("What the newest task did to the files that stands still; `all` tasks, or one `task`."))
  )
  .add(
    post("undo", "/api/sessions/:session_id/undo", {
      params: session,
      payload: Shape.Undo,
      success: Shape.Restored,
      error: problems(...change, 422)
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Takes back what the newest task that changed files did to them; `to`: all tasks back to this one.",
        description:
          "What somebody changed meanwhile is left alone and named in `kept`. `session_busy` while a task runs, " +
          "`nothing_to_restore` where there is none, or where nothing is recorded here."
      })
    )
  )
  .add(
    post("redo", "/api/sessions/:session_id/redo", {
      params: session,
      payload: Shape.Redo,
      success: Shape.Restored,
      error: problems(...change, 422)
    }).annotateMerge(say("Gives back what `undo` took; `to`: all tasks up to this one."))
  )
  .add(
    get("prompts", "/api/sessions/:session_id/prompts", {
      params: session,
      success: Shape.NamedPrompts,
      error: problems(...read)
    }).annotateMerge(say("Prompts that have a name where the session works (`commands/*.md`)."))
  )
  .add(
    post("fillPrompt", "/api/sessions/:session_id/prompts/:name", {
      params: { ...session, name: id },
      payload: Shape.FillPrompt,
      success: Shape.FilledPrompt,
      error: problems(...change)
    }).annotateMerge(say("A named prompt with these words in it; nothing is sent to the model by this."))
  )
  .middleware(Authenticated)
