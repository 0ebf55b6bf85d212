/** The console in English: the source of what every language has to say. Owns: sentences. Pure. */
import type { Answer, Risk, Via } from "../../domain/Approval.ts"
import type { Durable, KeptFile, StateName, ToolStatus } from "../../domain/Event.ts"
import type { PartState } from "../../domain/Explanation.ts"
import type { Matcher } from "../../domain/Matcher.ts"
import type { Mode } from "../net/api.ts"
import type { Phase } from "../state/callState.ts"
import { reveal } from "../text/reveal.ts"
import { enDoor } from "./enDoor.ts"
import { enInspect } from "./enInspect.ts"
import { enWork } from "./enWork.ts"

const s = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`

const covers = (matcher: Matcher, tool: string): string => {
  switch (matcher.kind) {
    case "command":
      return `every command that begins with “${matcher.argv.join(" ")}”`
    case "path":
      return matcher.glob.endsWith("/**")
        ? `every ${tool} in ${matcher.glob.slice(0, -3)}/ and below`
        : `every ${tool} of ${matcher.glob}`
    case "reads":
      return "every command that only looks at this workspace (ls, cat, git status …)"
    case "exact":
      return `exactly this ${tool} call, and nothing else`
  }
}

const decisions: Readonly<Record<Answer, string>> = {
  allow_once: "Allowed once",
  allow_session: "Allowed for the session",
  deny: "Denied",
  retry: "Run again",
  skip: "Skipped",
  stop: "Stopped"
}

const vias: Readonly<Record<Via, string>> = {
  policy: "by a rule",
  grant: "by an earlier grant",
  user: "by a person",
  timeout: "because nobody answered in time",
  cancel: "because the task was stopped",
  recovery: "after a restart"
}

export const en = {
  ...enInspect,
  ...enDoor,
  ...enWork,

  // The frame.
  skip: "Skip to the conversation",
  sessions: "Sessions",
  newSession: "New session",
  untitled: "New session",
  search: "Search sessions",
  archived: "Archived",
  noSessions: "No sessions yet.",
  nothingFound: "Nothing found.",
  unread: "unread",
  marks: { waiting: "waits for you", running: "working", unread: "unread", none: "" },
  usage: "Usage",
  audit: "Audit",
  settings: "Settings",
  theme: "Appearance",
  themes: { system: "As the system", light: "Light", dark: "Dark" },
  language: "Language",
  notify: "Notify me of questions",
  notifyRefused: "The browser does not allow it. It can be changed where it keeps what this page may do.",
  logout: (name: string) => (name === "" ? "Sign out" : `Sign out ${name}`),
  unreachable: "The server cannot be reached. Trying again …",
  palette: "Go to …",
  palettePlaceholder: "A session or a page",
  pages: "Pages",
  close: "Close",
  cancel: "Cancel",
  copy: "Copy",
  copied: "Copied",
  dismiss: "Dismiss",
  reload: "Load again",
  refresh: "Refresh",

  // Beginning.
  startTitle: "What shall be done?",
  startFirst: "A session works in one directory and asks before it changes anything.",
  startAgain: "Choose a session on the left, or begin another one.",
  keys: [
    ["Ctrl K", "go to a session"],
    ["Alt N", "new session"],
    ["Alt A", "to the question that waits"],
    ["Alt C", "to the message"]
  ] as ReadonlyArray<readonly [string, string]>,
  title: "Name",
  titlePlaceholder: "optional",
  workspace: "Directory",
  workspacePlaceholder: "where the server was started",
  modeLegend: "What passes without a question",
  create: "Create",
  modes: {
    ask: "Ask",
    "accept-edits": "Accept edits",
    plan: "Plan only",
    "never-ask": "Never ask"
  } satisfies Record<Mode, string>,
  modeHint: {
    ask: "Reading runs at once; every change asks.",
    "accept-edits": "Edits of files pass, commands ask.",
    plan: "Nothing is changed.",
    "never-ask": "What would ask is refused."
  } satisfies Record<Mode, string>,

  // A session.
  mode: "Mode",
  rename: "Rename",
  inspect: "Details",
  actions: "More",
  closePane: "Close this column",
  openBeside: "Open another beside it",
  noOthers: "There is no other session.",
  fork: "Fork",
  clear: "Forget the conversation",
  archive: "Archive",
  unarchive: "Take out of the archive",
  remove: "Delete",
  removeTitle: "Delete this session?",
  removeText: "Its task ends, and its conversation, grants and checkpoints are gone for good.",
  gone: { missing: "There is no such session", removed: "This session was deleted" },
  goneHint: "It may have been deleted, or belong to somebody else.",
  backToStart: "Back to the start",
  conversation: "Conversation",
  loadingOlder: "Loading earlier messages …",
  toEnd: "To the end",
  emptyTitle: "Say what is to be done",
  emptyText: (workspace: string, passes: string) => `It works in ${workspace}. ${passes}`,
  emptyAsks: "Nothing is changed before you allow it.",
  emptyIdeas: [
    "Fix the failing test.",
    "Explain how this project is built up.",
    "Find out what changed last and whether it is right."
  ] as ReadonlyArray<string>,
  offline: "No connection. What you send waits here and goes out once it is back.",
  linkEnded: (why: string) => `The connection has ended. ${why}`,
  draining: "The server is restarting. Running tasks go on when it is back.",
  heldElsewhere: "Another program has this session: it can be read here.",

  // Items.
  promptLabel: "You",
  answerLabel: "Answer",
  steered: "into the running task",
  sending: "sending …",
  ticked: (done: boolean): string => (done ? "done" : "to do"),
  showAll: "Show all",
  showLess: "Show less",
  showHidden: (count: number) => `Show ${s(count, "hidden line")}`,
  thinking: "Thinking",
  thought: (time: string | undefined) => (time === undefined ? "Thought" : `Thought for ${time}`),
  superseded: "Cut off; the answer begins anew below.",
  cut: "Cut off here.",
  imageNotLoaded: (alt: string) => (alt === "" ? "Image, not loaded" : `Image, not loaded: ${alt}`),
  callLabel: (tool: string) => `Call of ${tool}`,
  callPhase: {
    asked: "waits for you",
    denied: "denied",
    ready: "waits",
    running: "running",
    ended: "ended"
  } satisfies Record<Phase, string>,
  toolStatus: {
    ok: "ok",
    error: "error",
    denied: "denied",
    cancelled: "stopped",
    timeout: "timed out",
    uncertain: "outcome unknown"
  } satisfies Record<ToolStatus, string>,
  exit: (code: number) => `exit ${code}`,
  signal: (name: string) => name,
  truncated: "The output was cut short.",
  vias,
  decided: (decision: Answer, via: Via, by: string | undefined) =>
    `${decisions[decision]} ${via === "user" && by !== undefined ? `by ${by}` : vias[via]}${via === "policy" && by !== undefined ? ` (${by})` : ""}`,
  linesAdded: (count: number) => `${s(count, "line")} added`,
  linesRemoved: (count: number) => `${s(count, "line")} removed`,
  changesOf: (path: string) => `Changes of ${path}`,
  cleared: "The model has forgotten what stands above.",
  digested: (why: string) => `No model wrote it, it is claw's own digest: ${why}`,
  hookFailed: (hook: string, reason: string) => `${hook} did not do its work: ${reason}`,
  compacted: (before: string, after: string) => `Earlier conversation summarised: ${before} → ${after} tokens`,
  shortened: (before: string, after: string) => `Earlier results shortened: ${before} → ${after} tokens`,
  restored: (direction: "undo" | "redo", count: number, kept: number) =>
    `${direction === "undo" ? "Undone" : "Redone"}: ${s(count, "file")}${kept === 0 ? "" : `, ${kept} left as they are`}`,
  kept: {
    changed: "was changed meanwhile",
    uncertain: "was changed while or after the server was killed",
    not_recorded: "was not recorded",
    gone: "its earlier content is not kept any more",
    blocked: "something is in its way"
  } satisfies Record<KeptFile["reason"], string>,
  standsIn: (model: string) => `The model keeps failing: ${model} goes on in its place for the rest of this task.`,
  unrecorded: {
    no_git: "What commands change here cannot be undone: git is not installed.",
    home: "What commands change here cannot be undone: this is a home directory.",
    too_many_files: "What commands change here cannot be undone: there are too many files.",
    too_large: "What commands change here cannot be undone: the files are too large.",
    too_slow: "What commands change here cannot be undone: looking at the files took too long.",
    failed: "What commands change here cannot be undone: recording it failed."
  } satisfies Record<Durable<"checkpoint_skipped">["reason"], string>,
  done: "Done.",
  stopped: "Stopped.",
  stoppedAnswer: "Stopped in the middle of the answer.",
  stoppedCalls: "Stopped:",
  /** Why, where no person did it. */
  stoppedBecause: (reason: string) =>
    reason === "forked" ? "The copy begins here." : `No person stopped it: ${reason}.`,
  tokens: (input: string, output: string) => `${input} in, ${output} out`,

  // Questions.
  approvalTitle: (tool: string) =>
    tool === "bash" ? "Run this command?" : /^(edit|write)_/.test(tool) ? "Change this file?" : `Use ${tool}?`,
  recoveryTitle: "This was cut off: it may or may not have happened",
  subagentAsks: (title: string) => `Asked by the subagent ${title}.`,
  recoveryHint: "The server was killed while it ran. Look before you run it again.",
  risk: { safe: "safe", mutating: "changes files", dangerous: "dangerous" } satisfies Record<Risk, string>,
  reason: (reason: string) => reveal(reason),
  grantChoice: "“For the session” would cover",
  covers,
  answers: {
    allow_once: "Allow once",
    allow_session: "Allow for the session",
    deny: "Deny",
    retry: "Run it again",
    skip: "Skip it",
    stop: "Stop the task"
  } satisfies Record<Answer, string>,
  denyReason: "Tell the model why not",
  answerLater: "Without a connection nothing can be answered.",
  expired: "expired",
  expiresSoon: "Less than a minute left to answer. After that it is denied.",
  partState: {
    covered: "allowed already",
    uncovered: "not allowed yet",
    asks: "asks",
    denied: "refused"
  } satisfies Record<PartState, string>,
  listComma: "; ",
  wholeLine: (why: string) => `The whole line ${why}`,
  trayLabel: (count: number) =>
    count === 0 ? "No question waits" : `${s(count, "question")} ${count === 1 ? "waits" : "wait"}`,
  trayTitle: "Waiting for you",
  inSession: (title: string) => `In ${title}`,

  // Writing.
  composerLabel: "Message",
  composerPlaceholder: "Say what is to be done, or / for commands",
  composerHint: "Enter sends · Shift Enter breaks the line",
  send: "Send",
  stop: "Stop",
  stopping: "Stopping …",
  attach: "Insert a file",
  fileRefused: {
    binary: (name: string) => `${name} is no text.`,
    large: (name: string) => `${name} is larger than 200 kB.`
  },
  whenBusyLabel: "What a message does while a task runs",
  whenBusy: { queue: "Afterwards", steer: "Now" },
  whenBusyHint: { queue: "It becomes the next task", steer: "It reaches the running task at its next turn" },
  queueLabel: "Waiting messages",
  queuePaused: (count: number) =>
    `${s(count, "message")} ${count === 1 ? "waits" : "wait"} since the last task was stopped.`,
  queueContinue: "Go on",
  takeBack: (text: string) => `Take back: ${text}`,
  waits: { queue: "next", steer: "into this task" },
  state: {
    idle: "Ready",
    preparing: "Preparing",
    waiting_response: "Thinking",
    waiting_approval: "Waits for you",
    executing_tools: "Running tools",
    appending: "Saving",
    cancelling: "Stopping",
    suspended: "Suspended"
  } satisfies Record<StateName, string>,
  answering: "Answering",
  retrying: (seconds: number, attempt: number) => `Tries again in ${seconds} s (attempt ${attempt})`,
  inLine: (place: number) => `Waits for the server, place ${place}`
}
