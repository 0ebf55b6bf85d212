/**
 * The model without a key: a scripted walk through streaming, tools, approvals and cancelling, with the real engine
 * and real tools in a scratch workspace (DESIGN §9). Owns: the script and the little project it repairs.
 * The script looks only at the conversation, so it survives restarts, denials and any order of prompts.
 */
import { mkdir, mkdtemp, realpath, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Stream } from "effect"
import type { Message, ToolCall } from "../domain/Message.ts"
import { newCallId } from "../domain/Ids.ts"
import type { ModelPart } from "../provider/ModelPart.ts"
import { layerScripted, type ModelRequest, type Script } from "../provider/Provider.ts"

const SOURCE = `// Adds the numbers of a list.
export const sum = (numbers) => {
  let total = 0
  for (let i = 1; i < numbers.length; i++) total += numbers[i]
  return total
}
`
const TEST = `import assert from "node:assert"
import { test } from "node:test"
import { sum } from "./sum.js"

test("adds every number", () => assert.strictEqual(sum([1, 2, 3]), 6))
`

/** Makes the scratch project; returns its real path. */
export const makeWorkspace = Effect.promise(async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "claw-demo-")))
  await mkdir(join(folder, "notes"))
  await writeFile(join(folder, "package.json"), '{\n  "name": "demo",\n  "type": "module"\n}\n')
  await writeFile(join(folder, "sum.js"), SOURCE)
  await writeFile(join(folder, "sum.test.js"), TEST)
  await writeFile(join(folder, "notes", "todo.md"), "- sum() is wrong for [1, 2, 3]\n")
  return folder
})

interface Step {
  readonly say: string
  readonly calls?: ReadonlyArray<readonly [name: string, args: Readonly<Record<string, unknown>>]>
}

const FIX: ReadonlyArray<Step> = [
  {
    say: "I will look at the project first.",
    calls: [
      ["list_dir", { path: "." }],
      ["read_file", { path: "sum.js" }]
    ]
  },
  {
    say: "The loop starts at 1 and so leaves out the first number. I run the test to see it fail.",
    calls: [["bash", { command: "node --test" }]]
  },
  {
    say: "Now the fix: start at 0.",
    calls: [["edit_file", { path: "sum.js", old_text: "let i = 1", new_text: "let i = 0" }]]
  },
  { say: "And the test again.", calls: [["bash", { command: "node --test" }]] },
  {
    say: `That was the whole walk:

| step | what you saw |
|---|---|
| read | ran at once, reading is safe |
| test and edit | asked you first |
| answer | streamed as it was written |

Say **count** or **sleep** and press Ctrl-C to see a cancel, or ask anything else.
`
  }
]

const COUNT: ReadonlyArray<Step> = [
  { say: `Counting. Press Ctrl-C whenever you like. ${Array.from({ length: 300 }, (_, i) => i + 1).join(", ")}. Done.` }
]

const SLEEP: ReadonlyArray<Step> = [
  {
    say: "I start a slow command. Allow it, then press Ctrl-C.",
    calls: [["bash", { command: "echo waiting; sleep 60; echo done" }]]
  },
  { say: "The command has ended." }
]

const HELP: ReadonlyArray<Step> = [
  {
    say: `This is claw's **demo model**: a script, not an intelligence. It knows three words:

- \`fix\`: reads, tests and repairs the little project here, asking you where it changes something
- \`count\`: a long answer, to be cancelled with Ctrl-C
- \`sleep\`: a slow command, to be cancelled with Ctrl-C

Set \`OPENAI_API_KEY\` or \`ZHIPU_API_KEY\` (or start Ollama) for a real model; \`claw doctor\` says what it finds.
`
  }
]

const choose = (prompt: string): ReadonlyArray<Step> => {
  if (/\bcount\b|数/i.test(prompt)) return COUNT
  if (/\bsleep\b|睡/i.test(prompt)) return SLEEP
  return /\bfix|repair|test|修/i.test(prompt) ? FIX : HELP
}

/** Where in its walk the conversation is: answers since the person last spoke. */
const position = (messages: ReadonlyArray<Message>) => {
  const last = messages.findLastIndex((message) => message.role === "user")
  const prompt = messages[last]?.content ?? ""
  const said = messages.slice(last + 1).filter((message) => message.role === "assistant").length
  return { prompt, said }
}

const speak = (say: string, pause: string) =>
  Stream.fromArray(say.split(/(?<=\s)/)).pipe(
    Stream.mapEffect((word) => Effect.as(Effect.sleep(pause as "30 millis"), word)),
    Stream.map((text): ModelPart => ({ type: "text_delta", text }))
  )

const answer = (request: ModelRequest, pause: string): Stream.Stream<ModelPart> => {
  const { prompt, said } = position(request.messages)
  const step = choose(prompt)[said] ?? { say: "That is all I know." }
  const calls = (step.calls ?? []).map(([tool_name, args]): ToolCall => ({
    call_id: newCallId(),
    tool_name,
    arguments: JSON.stringify(args)
  }))
  const end: ModelPart = {
    type: "completed",
    message: { role: "assistant", content: step.say, tool_calls: calls },
    bad_calls: [],
    finish_reason: calls.length > 0 ? "tool_calls" : "stop",
    usage: {
      input_tokens: JSON.stringify(request.messages).length >> 2,
      output_tokens: step.say.length >> 2,
      estimated: true
    }
  }
  return Stream.concat(speak(step.say, pause), Stream.succeed(end))
}

const script =
  (pause: string): Script =>
  (request) =>
    answer(request, pause)

/** `pause` between words; a real model's pace by default. */
export const layer = (pause = "30 millis") => layerScripted(script(pause), { model: "demo" })
