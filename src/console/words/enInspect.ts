/** Sentences of what is looked at more closely: permissions, times, changes, costs, the audit. */
import type { Answer } from "../../domain/Approval.ts"

const s = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`

export const enInspect = {
  details: "Details",
  tabs: { permissions: "Permissions", timeline: "Timeline", changes: "Changes", usage: "Usage" },
  loading: "Loading …",
  failed: "This could not be loaded.",
  again: "Try again",
  more: "Show more",

  grantsTitle: "What passes without asking",
  grantsNone:
    "Nothing has been allowed for this session. What you allow “for the session” stands here, and can be taken back.",
  grantUntil: (time: string) => `until ${time}`,
  grantBy: (name: string) => `allowed by ${name}`,
  grantUses: (count: number) => (count === 0 ? "not used since" : `used ${s(count, "time")} since`),
  grantBound: "while the files that say what runs stay as they are",
  revoke: "Revoke",
  modeNow: (mode: string) => `Mode: ${mode}`,
  decisionsTitle: "Decisions of this session",

  timelineNone: "No task has run here yet.",
  timelineTask: (title: string) => `Task: ${title}`,
  spans: { model: "model", approval: "question", tool: "tool" },
  spanTitle: (kind: string, name: string, time: string) => `${kind}: ${name}, ${time}`,
  timelineSum: (model: string, approval: string, tool: string) =>
    `model ${model} · questions ${approval} · tools ${tool}`,
  timelineTable: "The same as a table",
  spanStart: "from",
  spanLength: "took",
  spanWhat: "what",

  changesNone: "No task of this session has changed a file that is recorded.",
  changesSteps: (count: number) => s(count, "change"),
  changesUncertain: "cut off by a crash",
  undone: "undone",
  undo: "Undo",
  redo: "Redo",
  undoTo: "Undo down to here",
  redoTo: "Redo up to here",
  showDiff: "Show the changes",
  hideDiff: "Hide the changes",
  diffHidden: (count: number) => `${s(count, "file")} more, too large to be shown.`,
  diffNone: "Nothing of it stands any more.",
  changesEntry: "Changes and undo",
  undoTitle: (task: string) => `Undo what “${task}” did?`,
  undoText: "The files become what they were before. What was changed since is left alone.",
  busyForUndo: "Not while a task runs.",

  usageTitle: "Usage",
  usageText: "Tokens and cost of all your sessions; days are UTC.",
  usageNone: "Nothing has been used yet.",
  total: "In all",
  input: "Input",
  cachedInput: "of it cached",
  output: "Output",
  cost: "Cost",
  unknownCost: "no price known",
  perDay: "By day",
  perModel: "By model",
  perSession: "By session",
  model: "Model",
  notRecorded: "not recorded",
  unknown: "unknown",
  day: "Day",
  session: "Session",
  chartTokens: "Tokens by day",
  tasksRun: (count: number) => s(count, "task"),

  auditTitle: "Audit",
  auditText: "Every decision about a call of a tool, newest first, as it stands in the chain of the store.",
  auditKind: {
    decision: "decision",
    grant_revoked: "grant revoked",
    session_removed: "session deleted",
    session_copied: "session copied",
    network: "network"
  },
  auditNone: "No decision has been made yet.",
  auditFilter: "Decision",
  auditAll: "all",
  decision: {
    allow_once: "allowed once",
    allow_session: "allowed for the session",
    deny: "denied",
    retry: "run again",
    skip: "skipped",
    stop: "stopped"
  } satisfies Record<Answer, string>,
  when: "When",
  what: "What",
  who: "By",
  why: "Why",
  result: "Decision"
}
