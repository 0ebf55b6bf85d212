/**
 * What a script is given behind `--`. Owns: what becomes of an option that there is not: a sentence, what there is, exit
 * code 2; and of `--help`, where the script has none of its own.
 */
import { parseArgs, type ParseArgsOptionsConfig } from "node:util"

const usageOf = (script: string, options: ParseArgsOptionsConfig): string => {
  const each = Object.entries(options).map(([name, { type }]) => `[--${name}${type === "string" ? " VALUE" : ""}]`)
  return `npm run ${script} -- ${each.join(" ")}`
}

/** The values of `options`; the process ends where they cannot be read. */
export const optionsOf = <const T extends ParseArgsOptionsConfig>(script: string, options: T) => {
  const asksForHelp = process.argv.slice(2).includes("--help") && !("help" in options)
  if (asksForHelp) {
    console.log(usageOf(script, options))
    process.exit(0)
  }
  try {
    return parseArgs({ options }).values
  } catch (error) {
    console.error(`${script}: ${error instanceof Error ? error.message : String(error)}\n${usageOf(script, options)}`)
    process.exit(2)
  }
}
