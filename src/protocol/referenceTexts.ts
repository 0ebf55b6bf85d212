/**
 * The sentences of the page that no schema holds: how to connect, what each message and event is for, what is promised.
 * Owns: prose. Invariant: every message, event and command has its sentence (the types say so).
 */
import type { ClientMessageType, Command } from "./ClientMessage.ts"
import type { EventType } from "./referenceExamples.ts"

export const opening = `# claw wire protocol, version 1

> 摘要：每条消息是一个 JSON 对象。TCP（默认端口 8080）一行一条；WebSocket（\`ws://127.0.0.1:8081/ws\`）一个文本帧一条。
> 启用认证时首条消息必须是带 \`token\` 的 \`hello\`（WebSocket 也可用 \`Authorization: Bearer\` 或 cookie）；\`--no-auth\`
> 时可以直接发送 \`{"type":"prompt","content":"…"}\`。带 \`seq\` 的事件是已落盘的事实，按序且不重不漏；断线后用 \`resume\`
> 和最后的 \`seq\` 续上。需要批准时会收到 \`approval_request\`，用 \`approval_response\` 回答。连接关闭会取消正在运行的任务，
> 除非要求了 \`detach\`。错误以稳定的 \`code\` 区分，\`message\` 只给人看。

A message is one JSON object: one line over TCP (UTF-8; LF, an optional CR before it), one frame over WebSocket (text, or
binary that holds UTF-8). Unknown fields are ignored; an unknown type is answered with an error. A bad message never ends
the connection; lost framing (a line that is too long, no UTF-8) does.`

export const connecting = `## Connect

| transport | address (default) | with TLS |
| --- | --- | --- |
| TCP | \`127.0.0.1:8080\` (\`--tcp-port\`) | the same port speaks TLS |
| WebSocket | \`ws://127.0.0.1:8081/ws\` (\`--http-port\`) | \`wss://HOST:8081/ws\` |

TLS is on, for both, where the server has \`server.tls_cert\` and \`server.tls_key\`. Beyond loopback a server listens only
with authentication, and with TLS or behind a proxy.

## Sign in

| transport | how |
| --- | --- |
| TCP | the first message is \`hello\` with \`token\` |
| WebSocket | the same; or at the upgrade \`Authorization: Bearer TOKEN\`, or the cookie that a browser got for a token |
| server with \`--no-auth\` | not at all: everybody is the local admin |

A token is an API token (\`claw token create\`) or a JWT of the server's issuer; it never stands in a URL. Anything before
it, or a wrong one, ends the connection with \`unauthenticated\` (an upgrade gets HTTP 401); it must come within
\`handshake_ms\`. A \`hello\` with a good token that is wrong otherwise is a \`bad_message\`: say it again. A revoked token ends
its open connections within seconds.

\`hello\` is optional for whoever is known without it (no auth, or signed in at the upgrade). If it is used it is the first
message, and only once: later it is a \`bad_message\`. Without it the first message that needs a session makes one.
An upgrade from a web page of a foreign Origin is refused with \`forbidden\`.`

export const sessions = `## Sessions and who sees them

A session belongs to {tenant, project, user} for life. Every token of that user reaches it, on any transport, several at a
time; for everybody else it is \`session_not_found\`. Roles say what may be done with one's own sessions and never open
another user's, an \`admin\`'s neither.

| role | events, status | prompt, interrupt, unqueue, command | approval_response |
| --- | --- | --- | --- |
| \`viewer\` | yes | – | – |
| \`requester\` | yes | yes, but no mode that lets more pass unasked (\`set_mode\`, \`create\`) | – |
| \`approver\` | yes | – | yes |
| \`member\`, \`admin\` | yes | yes | yes |

What a role may not is answered with \`forbidden\`. A \`viewer\` or \`approver\` makes no session: it names one.

\`session_id\`: 1 to 128 of \`A-Z a-z 0-9 . _ : -\`. The server makes \`tcp-channel-session-N\` and \`ws-channel-session-N\` (over
HTTP \`http-…\`), each N once; a \`hello\` with an id that is not there makes the session of that name, unless it says \`after\` a \`seq\` or may not
prompt (\`session_not_found\`). Other ids (\`task_…\`, \`evt_…\`, \`str_…\`,
\`prompt_…\`, \`call_…\`, \`req_…\`) are opaque text; \`call_id\` may be the model's own. Ids count within their session.

## Tasks, queue, approvals

One task runs in a session at a time. What a prompt does while one runs is its \`when_busy\`; default \`reject\`, answered
with \`session_busy\`. What waits is limited by \`queue_prompts\` and \`queue_bytes\`: \`queue_full\`. An interrupt or a failure pauses the queue: its prompts wait until \`resume_queue\`, or until the task
of a next prompt (which starts at once) completes. A server that has all its places taken starts the task and tells its
place with \`task_waiting\`.

An \`approval_request\` waits for the first answer of anybody who may give one; others get \`approval_already_resolved\`.

| \`kind\` | decisions | when |
| --- | --- | --- |
| \`tool\` | \`allow_once\`, \`allow_session\`, \`deny\` | a call wants to change something |
| \`recovery\` | \`retry\`, \`skip\`, \`stop\`; \`allow_once\` counts as \`retry\`, \`deny\` as \`skip\` | a call ran when its server was killed, and neither its tool nor its effects tell whether it happened; asked under one \`request_id\` until somebody answers, without expiry. A new prompt answers it with \`skip\` and ends its task |

Another one is a \`bad_decision\`. \`grant_option\` is the \`id\` of one of \`grant_options\` and matters for \`allow_session\` only;
default: the first, which is the most exact. \`reason\` of a \`deny\` is told to the model. Nobody answered until \`expires_at\`:
denied, \`via: "timeout"\`. Whoever could answer lost the right to: denied, \`via: "cancel"\`. Nobody attached who could answer: the task fails with \`approval_required\`. Where what a call
would run changed since it was asked about (\`content_digest\`), it is asked about again, as another request, which says so.

## Closing

| what ends the connection | the running task |
| --- | --- |
| the client: \`close\`, a closed socket | is cancelled, where nobody else is attached |
| the same, attached with \`detach: true\` | goes on for \`detach_ms\` from then, then is cancelled, and its \`reason\` says so |
| the same, attached with \`detach: "until_done"\` | goes on to its own end; what it asks waits until \`expires_at\` |
| TCP half-close (the client's FIN: \`nc -N\`) | goes on: events are sent until the session is idle, then the server closes. Questions that nobody else can answer fail at once |
| the server: slow reader, dead peer, idle, revoked token, restart | goes on |

The stored session always stays. Where it is removed (HTTP \`DELETE\`), its clients get \`session_not_found\`, and so does
whatever they send until a \`hello\` or \`resume\` says which session it is now.

## Heartbeats and silence

Who says \`ping\` is answered \`pong\` with the same \`nonce\`. After a \`hello\` the server sends a \`ping\` every \`heartbeat_ms\`; the
client answers \`pong\` (any other message counts too), and one that owes an answer and is silent for \`dead_ms\` is cut off.
Without \`hello\` there are none of these. Ping frames of WebSocket are answered by the library and ask nothing of you.
\`idle_ms\`: a connection that says nothing but heartbeats while no task runs is closed with \`idle_timeout\`; 0: never.

## Slow readers, and a server that ends

Deltas of one stream that wait are joined. Who asks faster than it reads the answers is heard again once it has read.
Who lets more than \`outbox_bytes\` or \`outbox_events\` wait, or the oldest longer
than \`write_ms\`, gets \`slow_consumer\` and is closed; nothing is lost, \`resume\` goes on. \`draining\` says that the server
ends: new prompts get \`server_draining\`, tasks stop at a safe point without an end, the connection closes (WebSocket 1001)
at \`deadline\` at the latest; the next start goes on with the tasks, and \`resume\` shows it.`

export const promises = `## Order

1. Facts (events with \`seq\`) come in the order of \`seq\`, which counts from 1 without gaps; each once per connection,
   unless it is asked for again: a \`resume\`, also to the session one is on, replays what lies behind its \`after\`.
2. Deltas of a stream come behind the fact that opened it and before its \`text_completed\`; joined they are its \`content\`.
3. Approval requests come one at a time. A \`tool_result\` comes when its tool ends and names its \`call_id\`.
4. A task has exactly one of \`task_completed\`, \`task_canceled\`, \`task_failed\`, and it is the task's last event.
5. What was seen is stored.

\`state\` is live and not a fact: it may come before the facts of that state (\`waiting_approval\` before its
\`approval_request\`), and states may be skipped. Act on facts; show the state.

## Resume

\`after: {seq, stream_id?, offset?}\` in \`hello\` or \`resume\` replays every fact behind \`seq\`, then one delta of what is
missing of each open stream (from \`offset\` of the named one, else from 0), then \`status\`, then what happens from there on.
\`hello\` without \`after\` begins live; \`resume\` without \`after\` begins at the first fact. A \`seq\` beyond the end is
\`position_ahead\`. A refused \`resume\` leaves the connection where it was; one that succeeds leaves the session before it,
by the rule of closing.`

export const clientTexts: Readonly<Record<ClientMessageType, string>> = {
  hello:
    "Signs in, and makes or joins a session. Answered with `hello`, the replay if `after` was given, then `status`. `session_id`: join it, or make it under this id; absent: a new one. `create`: what a session that is made shall be, by default as the server was started; `workspace` is a directory there, below the server's own (for an `admin` any). `detach`: the task outlives the connection, with `true` by `detach_ms`, with `until_done` to its own end.",
  prompt:
    "Starts a task. `when_busy`: `reject` (default), `queue`: after the running task, `steer`: into it at its next turn. With an `idempotency_key` it is answered with `accepted` once it is stored; the same key in the same session starts nothing twice (`accepted` again, with `duplicate` and the task's id); where its prompt was taken back by `unqueue`, it is a `prompt_not_found`; with other content an `idempotency_conflict`.",
  unqueue: "Takes a waiting prompt back.",
  interrupt: "Cancels the running task; with `task_id` only if it is that one (`no_task` otherwise).",
  approval_response: "Answers an `approval_request`; see above for which `decision` fits which `kind`.",
  resume: "Joins a session that exists and replays. Also moves a connection from one session to another.",
  status: "Asks for a `status` event.",
  command: "Changes the session, or shows what it did to files (`diff`). The last four are answered with `status`.",
  ping: "Asks for a `pong`.",
  pong: "Answers a `ping` of the server.",
  close: "Ends the connection in order: what was said before is done and told first."
}

type Name = (typeof Command)["Type"]["name"]
export const commandTexts: Readonly<Record<Name, string>> = {
  clear: "The model forgets the conversation; facts stay. Not while a task runs (`session_busy`).",
  compact:
    "The conversation becomes a summary, which keeps `focus` above all: a task of its own (`task_started` with `command`), " +
    "stopped as any other. Not while a task runs (`session_busy`) or where there is nothing (`nothing_to_compact`).",
  resume_queue: "The queue goes on after an interrupt or a failure.",
  undo:
    "Files become what they were before the newest task that changed them; what was changed since is left alone. " +
    "`uncertain`: also what a crash cut off. `to`: task after task, back to this one. Answered by `files_restored`; not while a task runs (`session_busy`).",
  redo: "Gives back what the last `undo` took. `to`: task after task, up to this one.",
  diff:
    "What the newest task that stands did to the files; `all` tasks that stand, or the one `task_id`. Answered by " +
    "`difference`, or `nothing_to_restore`.",
  set_mode: "How changes are approved from now on.",
  set_model: "From the next task on.",
  set_budget:
    "Limits of spending from the next task on, of each task or of the session; what is not named stays. 0: no limit. None " +
    "is looser than the operator's own, nor, of whoever is no `admin`, than the server's; `budgets` of the `status` tells " +
    "what holds. It stays with the session.",
  rename: "The title."
}

export const eventTexts: Readonly<Record<EventType, string>> = {
  task_started: "A prompt became a task; with `command` it is no prompt of the conversation.",
  prompt_queued:
    "A prompt waits. With `from` it is not the person's: a subagent reports, a hook or claw itself adds something for the model. Such a one belongs to the task that runs; where that ends first it stays a note of the conversation.",
  prompt_unqueued: "It was taken back.",
  prompt_steered: "It reached the running task; `from` as in `prompt_queued`.",
  thinking: "A model call begins; its text fills `stream_id`, its reasoning `reasoning_stream_id`.",
  text_completed:
    "The whole answer of that call. `partial`: it was cut off. `reasoning_state`: what the model server wants back, unread.",
  stream_reset:
    "Drop what `stream_id` showed: the call is made again, into `next_stream_id`; of another `model` where that is named.",
  tool_call: "The model wants this. `content`: the arguments, JSON text.",
  approval_request: "Somebody has to decide. `expires_at` absent: no expiry.",
  approval_resolved:
    "Decided; for every checked call, asked or not, and again where it was checked again. `shown`: the command or path.",
  tool_started: "Stored before the side effect begins. `attempt` counts from 1.",
  tool_result: "The call ended. `own_chars`: so much of `result` the tool said; behind it stands what hooks added.",
  usage:
    "Running totals of the task and the session, tokens and US dollars. `cost_usd` absent: unknown; `cost_partial`: more " +
    "than that. `charged`: what a call that failed, a summary, or a subagent's was counted. `left`: the smallest that limits leave.",
  subagent_started:
    "A call began a run of its own. Everything that happens in it carries its call's id as `parent_call_id`; its text " +
    "comes whole, without deltas. `background`: the call has its result, and the report comes as a prompt that steers.",
  subagent_ended: "The end of that run: exactly one, and nothing of it follows.",
  compacted:
    "The model sees less from now on: up to `up_to_seq` the conversation is `summary` (empty: nothing was summarised), and " +
    "results up to `shortened.up_to_seq` have their middles left out. Facts stay. `digest_reason`: why no model wrote the " +
    "summary; it is a digest of what claw knows by itself.",
  checkpoint_skipped:
    "What the task's commands do to the files is not kept, so that it cannot be undone; once for each `reason`.",
  hook_failed:
    "A hook that is told of what happened did not do its work: it failed, took too long or is not what was trusted. Told " +
    "once a task for each `hook`; `reason` is the end of a sentence about it. The call and the task stay what they are.",
  files_restored:
    "Somebody took back what a task did to the files (`undo`), or took that back (`redo`). `kept`: what was left alone, and " +
    "why: it was `changed` meanwhile, its change is `uncertain` since a crash, it was `not_recorded`, is `gone` or `blocked`.",
  cleared: "The model has forgotten everything up to `up_to_seq`.",
  task_completed: "The end of a task.",
  task_canceled: "The end of a task.",
  task_failed: "The end of a task; `error` says why.",
  text_delta: "Text as it comes. `offset`: UTF-16 code units of the stream before it.",
  thinking_delta: "Reasoning as it comes.",
  tool_output_delta: "Output of a running tool; its `stream_id` is the `call_id`.",
  state:
    "What the session is doing now; see Order. `on`: what takes long in it: a model writes a summary, or hooks are asked.",
  retrying: "The model call is made again in `delay_ms`; of another `model` where that is named. `message`: why.",
  task_waiting: "The task is started and waits for a place; `position` 1: next.",
  hello: "Answers `hello`. `limits`: what this connection has to keep to. `position`: `seq` of the newest fact.",
  accepted: "To the sender of a prompt with a key, once it is stored.",
  status:
    "The session now; after every joining, and when asked; the same over HTTP. Of a pending approval it has the fields of " +
    "its `approval_request` from `request_id` on.",
  error:
    "Something was not done; `code` is stable, `message` is for people. What it answers is named: a prompt with a key by " +
    "its `idempotency_key`, an answer by its `request_id`, an interrupt of a task by its `task_id`.",
  ping: "Answer with `pong` and the same `nonce`.",
  pong: "Answers a `ping` of yours.",
  draining: "The server ends; the connection closes at `deadline` at the latest.",
  difference: "Answers `diff`: a unified diff of `files` files; `hidden` of them have no place in it."
}
