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
    cost: "what was used here"
  } satisfies Record<CommandName, string>,

  promptOf: { user: "your prompt", project: "prompt of this directory" }
}
