/**
 * The policy of this process as the gate takes it: the rules of all tiers, strictest first. Owns: their names, and that a
 * rule whose own examples fail makes the configuration invalid before anything starts (R138).
 */
import { Result } from "effect"
import { failing } from "../approval/RuleExamples.ts"
import { ruledPath } from "../approval/Cover.ts"
import type { Rule } from "../approval/Rules.ts"
import type { ConfigShape } from "../config/AppConfig.ts"
import { ConfigError } from "../config/ConfigError.ts"
import type { TieredRule } from "../config/Settings.ts"
import { usualSecrets } from "../config/SecretPlaces.ts"
import { nearest } from "../domain/Nearest.ts"
import * as CommandAnalysis from "../sandbox/CommandAnalysis.ts"
import { type SecretFiles, secretFiles } from "../sandbox/SecretFiles.ts"

type Policy = Pick<ConfigShape, "rules" | "workspace">

const matcherOf = ({ argv, effect, path }: TieredRule): Rule["matcher"] => {
  if (effect !== undefined) return { kind: "effect", effect }
  if (argv !== undefined) return { kind: "command", argv }
  return path === undefined ? { kind: "tool" } : { kind: "path", glob: path }
}

/** Which one it is, and what its writer says of it. */
const nameOf = ({ key, reason, tier }: TieredRule): string =>
  reason === undefined ? `${tier} ${key}` : `${tier} ${key} (${JSON.stringify(reason)})`

const ruleOf =
  (action: Rule["action"]) =>
  (given: TieredRule): Rule => ({
    name: nameOf(given),
    tool: given.tool ?? "*",
    action,
    matcher: matcherOf(given)
  })

/** Deny before ask before allow; of each the operator's first, so that theirs is the one that is named. */
export const rulesOf = ({ rules }: Pick<ConfigShape, "rules">): ReadonlyArray<Rule> => [
  ...rules.deny.map(ruleOf("deny")),
  ...rules.ask.map(ruleOf("ask")),
  ...rules.allow.map(ruleOf("allow"))
]

/** Places of secrets, the same for all sessions of a process. */
export const secretPlaces = ({
  childEnvironment,
  movedSecrets
}: Pick<ConfigShape, "childEnvironment" | "movedSecrets">) =>
  secretFiles([...usualSecrets(childEnvironment["HOME"]), ...movedSecrets])

/** What tools that walk leave out, and what they ask about, in one workspace. */
export const guardOf = (secrets: SecretFiles, rules: ReadonlyArray<Rule>, workspace: string) => ({
  ruled: ruledPath(rules, workspace),
  secret: secrets.has
})

/** A rule on any other tool would never meet anything. */
const TOOLS = [
  "bash",
  "edit_file",
  "glob",
  "grep",
  "list_dir",
  "read_file",
  "read_skill",
  "subagent",
  "todo",
  "write_file",
  "write_plan"
]

const meantTool = ({ tool = "*" }: TieredRule): string | undefined => {
  if (tool === "*" || TOOLS.includes(tool)) return undefined
  const meant = nearest(tool, TOOLS)
  const named = `names the tool ${JSON.stringify(tool.slice(0, 60).toWellFormed())}, which is none`
  return meant === undefined ? `${named}; there are ${TOOLS.join(", ")}.` : `${named}; did you mean ${meant}?`
}

const check = (action: Rule["action"], given: TieredRule, workspace: string): Result.Result<void, ConfigError> => {
  const plan = (line: string) => CommandAnalysis.analyse(line, { workspace })
  const named = given.reason === undefined ? given.key : `${given.key} (${JSON.stringify(given.reason)})`
  const way = given.tier === "workspace" ? " Mend it, or take the trust back: claw trust --revoke" : ""
  const wrong = (detail: string) =>
    Result.fail(new ConfigError({ where: given.where, key: given.key, detail: `the rule ${named} ${detail}${way}` }))
  const slip = meantTool(given)
  if (slip !== undefined) return wrong(slip)
  const failed = failing(ruleOf(action)(given), given.examples ?? {}, { plan, workspace })
  return failed === undefined ? Result.succeed(undefined) : wrong(`must ${failed}.`)
}

/** The rules, or the first one that does not do what its examples say. */
export const checkedRules = (config: Policy): Result.Result<ReadonlyArray<Rule>, ConfigError> =>
  Result.gen(function* () {
    for (const action of ["deny", "ask", "allow"] as const)
      for (const given of config.rules[action]) yield* check(action, given, config.workspace)
    return rulesOf(config)
  })
