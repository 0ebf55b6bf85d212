/**
 * What is going on when the process is killed: files, a model, a client, as data. Owns: the scenes and what they show.
 * Calls have fixed ids; an effect is a line of `effects.log` that names its call.
 */
import type { Asked, Part, Reply, View } from "./client.ts"
import type { Pair } from "./job.ts"
import type { Answer, Call, Said, Script } from "./model.ts"

export interface Scene {
  readonly name: string
  readonly files?: Readonly<Record<string, string>>
  /** Prompt → the answers of its turns. */
  readonly turns: Readonly<Record<string, ReadonlyArray<Answer>>>
  /** What the model says to whatever is no prompt of the scene. */
  readonly otherwise?: Answer
  readonly part: Part
  /** Path → the call that writes it. */
  readonly writers?: Readonly<Record<string, string>>
  /** What files say in the end. */
  readonly ends?: Readonly<Record<string, string>>
  /** A line of `effects.log` → the calls that write it, where it is not its own call alone. */
  readonly labels?: Readonly<Record<string, ReadonlyArray<string>>>
  /** Worth a run also in a quick table: what only this scene shows. */
  readonly always?: (pair: Pair) => boolean
  /** The process is told to end in order while this holds; another one goes on. */
  readonly drain?: (view: View) => boolean
}

const call = (id: string, name: string, args: object): Call => ({ id, name, args })
const bash = (id: string, more = "") => call(id, "bash", { command: `echo ${id} >> effects.log${more}` })

/** What nobody can know of a killed call is left as it is. */
const once = ({ kind }: Asked): Reply => ({ decision: kind === "recovery" ? "skip" : "allow_once" })
const again = ({ kind }: Asked): Reply => ({ decision: kind === "recovery" ? "retry" : "allow_once" })
const never = ({ kind }: Asked): Reply => ({ decision: kind === "recovery" ? "stop" : "allow_once" })
/** For as long as the session lasts, in the exact words. */
const session = ({ grant_options: [option], kind }: Asked): Reply =>
  option === undefined ? once({ kind } as Asked) : { decision: "allow_session", grant_option: option.id }
const prompt = (content: string, key = content) => ({ key, content })
const has = (view: View, type: string) => view.types.has(type)
const ended = (view: View) => view.facts.some(({ type }) => type === "task_completed" || type === "task_failed")

/** By the newest prompt that the scene knows, and how many answers stand behind it. */
export const scriptOf =
  ({ otherwise = { text: "I am here." }, turns }: Scene): Script =>
  (messages: ReadonlyArray<Said>) => {
    const at = messages.findLastIndex(({ role, content }) => role === "user" && String(content) in turns)
    const answers = turns[String(messages[at]?.content)] ?? [otherwise]
    const nth = messages.slice(at + 1).filter(({ role }) => role === "assistant").length
    return answers[Math.min(nth, answers.length - 1)] ?? {}
  }

const reading: Scene = {
  name: "read",
  files: { "a.txt": "one\n" },
  turns: {
    read: [{ text: "Looking.", calls: [call("r1", "read_file", { path: "a.txt" })] }, { text: "It says one." }]
  },
  part: { prompts: [prompt("read")] }
}

const running: Scene = {
  name: "bash",
  turns: { run: [{ calls: [bash("b1", "; echo running; sleep 0.05")] }, { text: "It ran." }] },
  part: { prompts: [prompt("run")], answer: once }
}

const writing: Scene = {
  name: "write",
  files: { "a.txt": "one\n" },
  turns: {
    write: [
      { calls: [call("w1", "write_file", { path: "new/b.txt", content: "two\n" })] },
      { calls: [call("e1", "edit_file", { path: "a.txt", old_text: "one", new_text: "one and a half" })] },
      { text: "Written." }
    ]
  },
  part: { prompts: [prompt("write")], answer: once },
  writers: { "new/b.txt": "w1", "a.txt": "e1" },
  ends: { "new/b.txt": "two\n", "a.txt": "one and a half\n" }
}

/** The second call has the words of the first, which the grant covers. */
const granting: Scene = {
  name: "grant",
  turns: {
    grant: [{ calls: [bash("g1")] }, { calls: [{ ...bash("g1"), id: "g2" }] }, { text: "Twice." }]
  },
  part: { prompts: [prompt("grant")], answer: session },
  labels: { g1: ["g1", "g2"] }
}

const together: Scene = {
  name: "parallel",
  files: { "a.txt": "one\n" },
  turns: {
    all: [
      {
        text: "All of it.",
        calls: [
          call("r1", "read_file", { path: "a.txt" }),
          bash("p1"),
          call("w1", "write_file", { path: "b.txt", content: "two\n" }),
          bash("p2")
        ]
      },
      { text: "All done." }
    ]
  },
  part: { prompts: [prompt("all")], answer: never },
  always: ({ name, nth }) => (name === "tool before" && nth > 1) || /^commit .*approval_request after$/.test(name),
  writers: { "b.txt": "w1" }
}

const cancelling: Scene = {
  name: "cancel",
  turns: {
    wait: [{ calls: [bash("s1", "; trap 'sleep 0.05; exit 1' TERM; echo running; sleep 5 & wait")] }, { text: "No." }]
  },
  part: {
    prompts: [prompt("wait")],
    answer: once,
    interrupt: (view) => has(view, "tool_output_delta") || has(view, "tool_result")
  }
}

const waiting: Scene = {
  name: "inbox",
  turns: {
    first: [{ calls: [bash("q1", "; sleep 0.05")] }, { text: "First." }],
    second: [{ text: "Second." }],
    third: [{ text: "Third." }]
  },
  part: {
    prompts: [
      prompt("first"),
      { ...prompt("second"), when: (view) => has(view, "task_started") },
      { ...prompt("And be quick."), when_busy: "steer", when: (view) => has(view, "task_started") },
      { ...prompt("third"), when: (view) => has(view, "prompt_queued") }
    ],
    // Asked until all of them wait.
    answer: (asked, { acknowledged }) => (acknowledged.size >= 4 ? once(asked) : undefined)
  }
}

const leaving: Scene = {
  name: "cut",
  turns: { run: [{ text: "I will run it.", calls: [bash("c1", "; sleep 0.05")] }, { text: "It ran." }] },
  part: { prompts: [prompt("run")], answer: again, cut: (view) => has(view, "tool_started") }
}

const draining: Scene = {
  name: "drain",
  turns: {
    run: [{ calls: [bash("d1", "; echo running; sleep 0.1")] }, { calls: [bash("d2")] }, { text: "Both ran." }]
  },
  part: { prompts: [prompt("run")], answer: once },
  drain: (view) => has(view, "tool_output_delta")
}

const undoing: Scene = {
  name: "undo",
  files: { "a.txt": "one\n", "b.txt": "gone\n" },
  turns: {
    change: [
      {
        calls: [
          call("w1", "write_file", { path: "a.txt", content: "two\n" }),
          bash("u1", "; rm b.txt; echo new > c.txt")
        ]
      },
      { text: "Changed." }
    ]
  },
  part: {
    prompts: [prompt("change")],
    answer: once,
    undo: ended
  },
  ends: { "a.txt": "one\n" }
}

/** Whoever is asked for a summary gives one. */
const compacting: Scene = {
  name: "compact",
  files: { "a.txt": "one\n" },
  turns: {
    note: [{ text: "Looking.", calls: [call("r1", "read_file", { path: "a.txt" })] }, { text: "It says one." }]
  },
  otherwise: { text: JSON.stringify({ goal: "note it", rules: ["never two"], notes: ["a.txt says one"] }) },
  part: { prompts: [prompt("note")], compact: ended },
  always: ({ name }) => /compacted/.test(name)
}

/** What its subagent did is not known behind a crash, and is left as it is; nothing of it happens twice. */
const delegating: Scene = {
  name: "subagent",
  turns: {
    parent: [
      { calls: [call("s1", "subagent", { title: "a child", prompt: "child" }), bash("p1")] },
      { text: "All of it is done." }
    ],
    child: [{ text: "I begin.", calls: [bash("k1")] }, { calls: [bash("k2")] }, { text: "Both ran." }]
  },
  part: { prompts: [prompt("parent")], answer: once }
}

export const scenes: ReadonlyArray<Scene> = [
  reading,
  running,
  writing,
  granting,
  together,
  cancelling,
  waiting,
  leaving,
  draining,
  undoing,
  compacting,
  delegating
]
