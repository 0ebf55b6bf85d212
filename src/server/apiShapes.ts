/**
 * Bodies of the HTTP API as schemas: what a client sends and what it gets, spelt as on the wire (PROTOCOL §1, §2).
 * Owns: shapes. Does not own: routes or what they do. A request has these fields and no others (apiBody).
 */
import { Schema } from "effect"
import { kinds } from "../approval/Audit.ts"
import { ApprovalRequest, Grant } from "../domain/Approval.ts"
import { DurableBody, Envelope, FilesRestored, StateName } from "../domain/Event.ts"
import { ErrorCode } from "../domain/ErrorCode.ts"
import { PromptId, SessionId, TaskId } from "../domain/Ids.ts"
import { Principal } from "../domain/Principal.ts"
import * as Client from "../protocol/ClientMessage.ts"
import * as Server from "../protocol/ServerEvent.ts"

const optional = Schema.optionalKey
const without = <F extends Schema.Struct.Fields>({
  type: _type,
  v: _v,
  ...fields
}: F & Record<"type" | "v", unknown>) => fields as unknown as Omit<F, "type" | "v">
const named = (identifier: string) => ({ identifier })

export const Login = Schema.Struct({ token: Schema.String.check(Schema.isMaxLength(16_384)) }).annotate(named("Login"))
export const WaysIn = Schema.Struct({
  /** Whether anybody has to. */
  needed: Schema.Boolean,
  /** Where a browser goes to sign in at the issuer. */
  oidc: optional(Schema.String)
}).annotate(named("WaysIn"))
export const Me = Schema.Struct({ principal: Principal, permissions: Schema.Array(Schema.String) }).annotate(
  named("Me")
)

export const CreateSession = Schema.Struct({ ...Client.Create.fields, session_id: optional(SessionId) }).annotate(
  named("CreateSession")
)
/** What is known of a session without opening it. */
export const Session = Schema.Struct({
  session_id: SessionId,
  workspace: Schema.String,
  title: Schema.String,
  model: optional(Schema.String),
  mode: optional(Schema.String),
  created_at: Schema.String,
  /** When something was last done in it. */
  updated_at: Schema.String,
  archived: Schema.Boolean,
  state: StateName,
  pending_approvals: Schema.Int
}).annotate(named("Session"))
export const SessionChange = Schema.Struct({
  title: optional(Schema.String.check(Schema.isMaxLength(1024))),
  archived: optional(Schema.Boolean)
}).annotate(named("SessionChange"))
export const SessionPage = Schema.Struct({
  sessions: Schema.Array(Session),
  /** Absent: this is the last page. */
  next_cursor: optional(Schema.String)
}).annotate(named("SessionPage"))
/** The wire's `status` event. */
export const Status = Schema.Struct({
  ...Server.Status.fields,
  /** The process that has the session, where it is another one: it can be read here, not written. */
  held_by: optional(Schema.String),
  archived: optional(Schema.Boolean)
}).annotate(named("Status"))

export const Prompt = Schema.Struct(without(Client.Prompt.fields)).annotate(named("Prompt"))
export const Accepted = Schema.Struct({
  session_id: SessionId,
  prompt_id: PromptId,
  /** Absent: the prompt waits. */
  task_id: optional(TaskId),
  duplicate: Schema.Boolean
}).annotate(named("Accepted"))
export const Interrupt = Schema.Struct(without(Client.Interrupt.fields)).annotate(named("Interrupt"))
export const Approvals = Schema.Struct({ approvals: Schema.Array(ApprovalRequest) }).annotate(named("Approvals"))
const { request_id: _inPath, ...answer } = without(Client.ApprovalResponse.fields)
/** With whose session it is. */
export const Waiting = Schema.Struct({
  approvals: Schema.Array(
    Schema.Struct({ session_id: SessionId, title: Schema.String, workspace: Schema.String, ...ApprovalRequest.fields })
  )
}).annotate(named("Waiting"))
export const ApprovalAnswer = Schema.Struct(answer).annotate(named("ApprovalAnswer"))
type CommandShape = Schema.Codec<typeof Client.Command.Type>
const commands = Client.Command.members.map((member) => {
  const { name } = member.fields
  const shape = Schema.Struct(without(member.fields as never)) as unknown as CommandShape
  return { names: "literals" in name ? name.literals : [name.literal], shape }
})
export const Command = Schema.Union(commands.map(({ shape }) => shape)).annotate(named("Command"))
/** What is wrong with a command that has no name of these is its name. */
const anyName = Schema.Literals(commands.flatMap(({ names }): ReadonlyArray<string> => names))
const AnyCommand = Schema.StructWithRest(Schema.Struct({ name: anyName }), [
  Schema.Record(Schema.String, Schema.Unknown)
]) as unknown as CommandShape
/** The one shape that its name has, so that a complaint is about that one. */
export const commandOf = ({ name }: Readonly<Record<string, unknown>>): CommandShape =>
  commands.find(({ names }) => names.some((one) => one === name))?.shape ?? AnyCommand
export const Fork = Schema.Struct({
  /** The copy holds the facts up to and including this `seq`; absent: all there are. */
  at: optional(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))),
  session_id: optional(SessionId),
  title: optional(Schema.String.check(Schema.isMaxLength(1024)))
}).annotate(named("Fork"))

/** A fact as it stands on the wire. */
export const Fact = Schema.Union(
  DurableBody.members.map((member) => Schema.Struct({ ...Envelope.fields, ...(member.fields as object) }))
).annotate(named("Fact"))
export const EventPage = Schema.Struct({
  events: Schema.Array(Fact),
  /** `seq` to go on behind. */
  next_after: Schema.Int,
  more: Schema.Boolean,
  /** Stored records between these that cannot be read back. */
  damaged: Schema.Int
}).annotate(named("EventPage"))

export const GrantInForce = Schema.Struct({
  ...Grant.fields,
  /** Calls that it allowed, besides the one that it was asked for. */
  uses: Schema.Int,
  last_used_at: optional(Schema.String)
}).annotate(named("Grant"))
export const Grants = Schema.Struct({
  grants: Schema.Array(GrantInForce),
  next_cursor: optional(Schema.String)
}).annotate(named("Grants"))

/** Prompts that people gave a name: the person's who runs the server, and those of a workspace that is trusted. */
export const NamedPrompts = Schema.Struct({
  prompts: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      description: Schema.String,
      /** What may follow; empty: nothing is said of it. */
      argument: Schema.String,
      of: Schema.Literals(["user", "project"])
    })
  )
}).annotate(named("NamedPrompts"))
export const FillPrompt = Schema.Struct({ words: optional(Schema.String) }).annotate(named("FillPrompt"))
export const FilledPrompt = Schema.Struct({ content: Schema.String }).annotate(named("FilledPrompt"))

export const HistoryPage = Schema.Struct({
  events: Schema.Array(Fact),
  /** Absent: this page begins with the session's first fact. */
  next_before: optional(Schema.Int),
  damaged: Schema.Int
}).annotate(named("HistoryPage"))

export const Checkpoints = Schema.Struct({
  checkpoints: Schema.Array(
    Schema.Struct({
      task_id: TaskId,
      /** What the task is called; empty where that is not known. */
      title: Schema.String,
      at: Schema.String,
      /** Calls that changed something. */
      steps: Schema.Int,
      /** One of them was cut off by a crash: taken back only with `uncertain`. */
      uncertain: Schema.Boolean,
      state: Schema.Literals(["done", "undone"])
    })
  )
}).annotate(named("Checkpoints"))
/** A unified diff; `hidden`: files that it has no place for. */
export const Difference = Schema.Struct({
  text: Schema.String,
  files: Schema.Int,
  hidden: Schema.Int,
  tasks: Schema.Int
}).annotate(named("Difference"))
export const Redo = Schema.Struct({ to: optional(TaskId) }).annotate(named("Redo"))
export const Undo = Schema.Struct({ ...Redo.fields, uncertain: optional(Schema.Boolean) }).annotate(named("Undo"))
/** One for each task, in the order in which they were done. */
export const Restored = Schema.Struct({ restored: Schema.Array(FilesRestored) }).annotate(named("Restored"))

export const Options = Schema.Struct({
  /** Where a session is made that names none. */
  workspace: Schema.String,
  /** That one, and where sessions were made that the caller has. */
  workspaces: Schema.Array(Schema.String),
  /** Any other directory of the server's machine may be named, too; otherwise those below `workspace`. */
  any_workspace: Schema.Boolean,
  mode: Schema.String,
  modes: Schema.Array(Schema.Literals(Client.modes)),
  model: optional(Schema.String)
}).annotate(named("Options"))

/** Of a decision there are `seq`, `call_id`, `tool_name`, `decision` and `via`. */
export const Audit = Schema.Struct({
  /** Place in the chain of the whole store: it grows, with gaps where others' entries stand. */
  n: Schema.Int,
  kind: Schema.Literals(kinds),
  session_id: Schema.String,
  when: Schema.String,
  seq: optional(Schema.Int),
  call_id: optional(Schema.String),
  tool_name: optional(Schema.String),
  digest: optional(Schema.String),
  shown: optional(Schema.String),
  decision: optional(Schema.String),
  via: optional(Schema.String),
  rule: optional(Schema.String),
  reason: optional(Schema.String),
  request_id: optional(Schema.String),
  grant_id: optional(Schema.String),
  who: optional(Schema.String)
}).annotate(named("AuditRecord"))
export const AuditPage = Schema.Struct({
  records: Schema.Array(Audit),
  next_cursor: optional(Schema.String)
}).annotate(named("AuditPage"))

/** Tokens that were spent; `cost_usd` is null where no price is known. */
export const Spent = Schema.Struct({
  input_tokens: Schema.Int,
  output_tokens: Schema.Int,
  cached_tokens: Schema.Int,
  reasoning_tokens: Schema.Int,
  cost_usd: Schema.NullOr(Schema.Finite)
}).annotate(named("Spent"))
export const UsageReport = Schema.Struct({
  total: Spent,
  sessions: Schema.Array(Schema.Struct({ session_id: SessionId, title: Schema.String, usage: Spent })),
  /** By day (UTC) on which they were spent. */
  days: Schema.Array(Schema.Struct({ day: Schema.String, usage: Spent })),
  /** The same days by model; `model` is empty where an older claw did not write it down. */
  models: Schema.Array(Schema.Struct({ day: Schema.String, model: Schema.String, usage: Spent })),
  /** Of `sessions`; absent: this is the last page. */
  next_cursor: optional(Schema.String)
}).annotate(named("UsageReport"))

export const Alive = Schema.Struct({ status: Schema.Literal("alive") }).annotate(named("Alive"))
export const Ready = Schema.Struct({ ready: Schema.Literal(true) }).annotate(named("Ready"))
export const NotReady = Schema.Struct({ ready: Schema.Literal(false), reasons: Schema.Array(ErrorCode) }).annotate(
  named("NotReady")
)
