/** Sentences of what a session works with: named prompts, limits of spending, subagents, hooks. */
import type { CommandName } from "../session/slash.ts"

export const enWork = {
  commandsLabel: "Commands",
  commands: {
    new: "begin another session",
    clear: "the model forgets the conversation",
    compact: "the conversation becomes a summary; what follows is kept above all",
    undo: "take back what the newest task did to files",
    redo: "give back what was undone",
    diff: "show what tasks did to files",
    mode: "what passes without a question",
    model: "another model, from the next task on",
    rename: "another name for this session",
    fork: "go on with a copy of this session",
    continue: "waiting messages go on",
    stop: "stop the running task",
    timeline: "what took how long",
    permissions: "what is allowed here",
    cost: "what was used here",
    budget: "what a task or the session may spend"
  } satisfies Record<CommandName, string>,

  noCommand: (name: string) =>
    `There is no command /${name}, and no prompt of that name. With a blank in front it is sent as a text.`,
  promptOf: { user: "your prompt", project: "prompt of this directory" },

  budgetTitle: "Limits of spending",
  budgetNone: "No limit is set.",
  budgetHint: "Holds from the next task on, as long as the session is open somewhere; 0 is no limit.",
  budgetForm: "/budget 2.50, /budget session 200000 tokens; 0: no limit",
  budgetOf: { turn: "Turn", task: "Task", session: "Session", tenant: "Everybody, today" },
  budgetLine: (used: string, limit: string, left: string) => `${used} of ${limit}, ${left} left`,
  budgetLeft: (left: string) => `${left} left`,
  budgetScope: "Limit of what",
  budgetAmount: "Limit",
  budgetUnit: "Unit",
  budgetTokens: "tokens",
  budgetSet: "Set",
  budgetRaise: "Raise the limit",
  budgetRaiseTo: { usd: "Raise it to $", tokens: "Raise it to so many tokens:" },
  budgetRaised: (limit: string) => `The limit is ${limit} from the next task on.`,
  goOn: "Go on",
  /** What is said to the model then. */
  goOnText: "Go on where you stopped.",
  costUnknown: "cost unknown",
  usageEstimated: "some of it estimated: the model’s server gave no figures",
  tokenCount: (count: string) => `${count} tokens`,

  subagentOrder: "What it was told to do",
  subagentTold: "What it was told since",
  subagentBackground: "in the background",
  subagentEnded: { canceled: "Stopped.", failed: "It did not finish." },
  report: (title: string) => `The subagent ${title} reports:`,
  reportFailed: (title: string) => `The subagent ${title} did not finish:`,
  reportCut: (title: string) => `The subagent ${title} was cut off before it could report.`,
  reminded: "claw told the model that its steps lead nowhere.",

  filesChanged: (count: number) => `${count} ${count === 1 ? "file" : "files"} changed`,
  filesUndone: "The changes were taken back.",

  answeredElsewhere: "in another browser or terminal",
  hookRefused: (program: string, tier: string, why: string) =>
    `Refused by the ${tier}’s hook ${program}${why === "" ? "." : `: ${why}`}`,
  hookOf: (program: string, tier: string) => `The ${tier}’s hook ${program}`,
  hookAdded: (program: string, tier: string) => `The ${tier}’s hook ${program} added to the prompt`
}
