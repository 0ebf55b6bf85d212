/**
 * What is going on when the process is killed: files, a model, a client, as data. Owns: the scenes and what they show.
 * Calls have fixed ids; an effect is a line of `effects.log` that names its call.
 */
import type { Asked, Part, Reply, View } from "./client.ts"
import type { Answer, Call, Said, Script } from "./model.ts"

export interface Scene {
  readonly name: string
  readonly files?: Readonly<Record<string, string>>
  /** Prompt → the answers of its turns. */
  readonly turns: Readonly<Record<string, ReadonlyArray<Answer>>>
  readonly part: Part
  /** Path → the call that writes it. */
  readonly writers?: Readonly<Record<string, string>>
  /** The process is told to end in order while this holds; another one goes on. */
  readonly drain?: (view: View) => boolean
}

const call = (id: string, name: string, args: object): Call => ({ id, name, args })
const bash = (id: string, more = "") => call(id, "bash", { command: `echo ${id} >> effects.log${more}` })

const once = (): Reply => ({ decision: "allow_once" })
/** For as long as the session lasts, in the exact words. */
const session = ({ grant_options: [option] }: Asked): Reply =>
  option === undefined ? { decision: "allow_once" } : { decision: "allow_session", grant_option: option.id }
const prompt = (content: string, key = content) => ({ key, content })
const has = (view: View, type: string) => view.types.has(type)

/** By the newest prompt that the scene knows, and how many answers stand behind it. */
export const scriptOf =
  ({ turns }: Scene): Script =>
  (messages: ReadonlyArray<Said>) => {
    const at = messages.findLastIndex(({ role, content }) => role === "user" && String(content) in turns)
    const answers = turns[String(messages[at]?.content)] ?? [{ text: "I am here." }]
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
  turns: { run: [{ calls: [bash("b1", "; echo running; sleep 0.1")] }, { text: "It ran." }] },
  part: { prompts: [prompt("run")], answer: once }
}

export const scenes: ReadonlyArray<Scene> = [reading, running]
void session
void has
