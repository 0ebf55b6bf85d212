/**
 * What people wrote for agents, as the terminal knows it: prompts that have a name, and skills. Pure. Owns: which line is
 * such a prompt, and how both are listed. Invariant: names and texts may be a repository's, so what is shown is sanitised.
 */
import type { Locale } from "./Commands.ts"
import { sanitiseLine } from "./Sanitise.ts"

export interface WrittenPrompt {
  readonly name: string
  readonly description: string
  /** What may follow. */
  readonly argument: string
  /** The prompt with these words in it. */
  readonly fill: (words: string) => string
}

export interface WrittenSkill {
  readonly name: string
  readonly description: string
  readonly path: string
}

export interface WrittenByPeople {
  readonly prompts: ReadonlyArray<WrittenPrompt>
  readonly skills: ReadonlyArray<WrittenSkill>
  /** What could not be taken, and why. */
  readonly bad: ReadonlyArray<{ readonly path: string; readonly why: string }>
}

export const nothingWritten: WrittenByPeople = { prompts: [], skills: [], bad: [] }

/** The prompt that a line `/name words` stands for. */
export const writtenPrompt = (line: string, { prompts }: WrittenByPeople): string | undefined => {
  const found = /^\/(\S+)(?:\s+([\s\S]*))?$/.exec(line.trim())
  const prompt = prompts.find(({ name }) => name === found?.[1])
  return prompt?.fill((found?.[2] ?? "").trim())
}

const NO_SKILLS: Readonly<Record<Locale, string>> = {
  en: "there are no skills; they are SKILL.md files in .claw/skills/NAME/ or ~/.config/claw/skills/NAME/",
  "zh-CN": "没有技能；技能是 .claw/skills/名称/ 或 ~/.config/claw/skills/名称/ 中的 SKILL.md"
}

/** What `/help` says of each. */
export const promptLines = ({ prompts }: WrittenByPeople): ReadonlyArray<string> =>
  prompts.map(({ argument, description, name }) => `/${`${name} ${argument}`.padEnd(16)} ${sanitiseLine(description)}`)

export const skillLines = ({ bad, skills }: WrittenByPeople, locale: Locale): ReadonlyArray<string> => [
  ...(skills.length === 0 ? [NO_SKILLS[locale]] : []),
  ...skills.map(({ description, name, path }) => `${name.padEnd(16)} ${sanitiseLine(`${description}  [${path}]`)}`),
  ...bad.map(({ path, why }) => `! ${sanitiseLine(`${path}: ${why}`)}`)
]
