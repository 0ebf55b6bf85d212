/** Skills for the tool that reads them. Owns: the sentences where there is no such skill or file. */
import { join } from "node:path"
import { Effect } from "effect"
import type { Skill } from "../context/Skills.ts"
import type { SkillReader } from "../tools/SkillReader.ts"
import { ToolError } from "../tools/ToolError.ts"

const wrong = (detail: string) => Effect.fail(new ToolError({ code: "tool_failed", detail }))

const fileOf = ({ body, files }: Skill, file: string | undefined): string | undefined =>
  file === undefined ? body : files.find(({ path }) => path === file)?.text

/** `root`: the workspace. */
export const skillReader = (skills: ReadonlyArray<Skill>, root: string): (typeof SkillReader)["Service"] => {
  const names = skills.map(({ name }) => name)
  const named = (name: string) => skills.find((skill) => skill.name === name)
  return {
    names,
    place: (name, file = "SKILL.md") => {
      const skill = named(name)
      return skill?.of === "project" ? join(root, skill.path, file) : undefined
    },
    read: (name, file) => {
      const skill = named(name)
      if (skill === undefined) return wrong(`There is no skill ${JSON.stringify(name)}. Skills: ${names.join(", ")}.`)
      const files = skill.files.map(({ path }) => path)
      const text = fileOf(skill, file)
      if (text !== undefined) return Effect.succeed({ text: text.toWellFormed(), path: skill.path, files })
      return files.includes(file ?? "")
        ? wrong(`${JSON.stringify(file)} of the skill ${name} is no text.`)
        : wrong(`The skill ${name} has no file ${JSON.stringify(file)}. Files: ${files.join(", ") || "none"}.`)
    }
  }
}
