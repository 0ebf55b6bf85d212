/**
 * `claw policy check | explain | simulate`: the policy asked without a session that runs (DESIGN §9, R139, R160).
 * Owns: which of the three, and how its answer is printed. Does not own: any decision.
 */
import { Effect, Result, Stream } from "effect"
import { commandLine } from "../approval/Cover.ts"
import { explain } from "../approval/Explain.ts"
import type { CommandLine } from "../cli/CommandLine.ts"
import { EXIT } from "../cli/Commands.ts"
import { explanationLines } from "../cli/ExplanationView.ts"
import { Output } from "../cli/Output.ts"
import type { ConfigShape } from "../config/AppConfig.ts"
import { Failure, refusal } from "./failure.ts"
import { reading } from "./layers.ts"
import { inputLines } from "./inputLines.ts"
import { argumentsFor, checkLine, unreadable } from "./policyCheck.ts"
import { makeJudge } from "./policyJudge.ts"
import { rulesOf } from "./policyRules.ts"
import { grantsOfSession, simulate } from "./policySimulate.ts"
import { sessionIdOf, workspaceOf } from "./workspace.ts"

/** Some readers take these for the end of a line, which they are in no JSON. */
const jsonLine = (value: unknown): string =>
  `${JSON.stringify(value).replace(/[\u0085\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`)}\n`

/** Every line is answered, one by one, while more may still come; a bad one stops none, and the exit code tells. */
export const check = Effect.fnUntraced(function* (config: ConfigShape, input: AsyncIterable<Uint8Array>) {
  const output = yield* Output
  const lines = Stream.fromAsyncIterable(inputLines(input), () =>
    refusal("Standard input cannot be read.", "无法读取标准输入。")
  )
  let bad = false
  yield* Stream.runForEachWhile(lines, (line) => {
    const answer = line.kind === "line" ? checkLine(line.text, config) : Effect.succeed(unreadable(null, line.code))
    return Effect.flatMap(answer, (checked) => {
      bad ||= checked.error !== undefined
      return output.out(jsonLine(checked))
    })
  })
  return bad ? EXIT.failed : EXIT.done
})

/** One word is a line as it would be typed; several are the words of one command. */
const lineOf = (operands: ReadonlyArray<string>): string => {
  const [only = "", ...more] = operands
  return more.length === 0 ? only : commandLine(operands)
}

/** Arguments as the model would send them; undefined: the text is a command, a path or a pattern. */
const givenArguments = (text: string): string | undefined => {
  if (!text.trimStart().startsWith("{")) return undefined
  const parsed = Result.getOrUndefined(Result.try(() => JSON.parse(text) as unknown))
  return typeof parsed === "object" && parsed !== null ? text : undefined
}

const explainCommand = Effect.fnUntraced(function* (
  line: CommandLine,
  config: ConfigShape,
  words: ReadonlyArray<string>
) {
  if (words.length === 0)
    return yield* refusal(
      "Say what to explain: claw policy explain -- git push",
      "请说明要解释什么：claw policy explain -- git push"
    )
  const output = yield* Output
  const workspace = yield* Effect.fromResult(workspaceOf(config))
  const { PATH: path, HOME: home } = config.childEnvironment
  const place = {
    workspace,
    own: [config.state_dir],
    moved: config.movedSecrets,
    ...(path === undefined ? {} : { path })
  }
  const judge = yield* makeJudge({ ...place, ...(home === undefined ? {} : { home }) })
  const named = line.values["session"]
  const grants =
    named === undefined
      ? []
      : yield* Effect.provide(Effect.flatMap(sessionIdOf(named), grantsOfSession), reading(config))
  const tool = line.values["tool"] ?? "bash"
  const around = { rules: rulesOf(config), grants, mode: config.mode }
  const text = lineOf(words)
  const judged = yield* judge.judge(tool, givenArguments(text) ?? argumentsFor(tool, text), around)
  if (judged.kind === "refused") return yield* new Failure({ exit: EXIT.usage, detail: judged.why })
  const explanation = explain(judged.subject, judged.judgement)
  const { grant_options } = judged.judgement
  if (line.switches.has("json")) {
    yield* output.out(`${JSON.stringify({ ...explanation, grant_options })}\n`)
    return EXIT.done
  }
  // A file or another program has no edge to wrap at.
  const columns = output.isTerminal ? output.columns() : Number.MAX_SAFE_INTEGER
  const view = { columns, color: output.color, locale: config.locale }
  yield* output.out(
    explanationLines(explanation, grant_options, view)
      .map((one) => `${one}\n`)
      .join("")
  )
  return EXIT.done
})

export const policyCommand = (line: CommandLine, config: ConfigShape) => {
  const [what, ...words] = line.operands
  if (what === "check" && words.length === 0) return check(config, process.stdin)
  if (what === "explain") return explainCommand(line, config, words)
  if (what === "simulate" && words.length === 0) {
    const named = line.values["session"]
    if (named === undefined)
      return Effect.fail(
        refusal("Say which session: claw policy simulate --session ID", "请指明会话：claw policy simulate --session ID")
      )
    return Effect.flatMap(sessionIdOf(named), (id) => Effect.provide(simulate(id, line, config), reading(config)))
  }
  return Effect.fail(
    refusal(
      "claw policy takes check, explain -- COMMAND, or simulate --session ID.",
      "claw policy 接受 check、explain -- COMMAND 或 simulate --session ID。"
    )
  )
}
