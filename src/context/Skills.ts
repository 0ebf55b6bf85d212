/**
 * Procedures that a model may read before it works (`SKILL.md` with a name and a description). Pure. Owns: what makes a
 * skill, which of two with one name counts, and the catalogue in the system prompt. Does not own: which files count
 * (config), the tool that reads one (tools/SkillReader).
 * Invariants: a bad one is told and costs nobody the others; only names and descriptions are in every request.
 */
import { Result } from "effect"
import { frontMatter, type ReadYaml } from "./FrontMatter.ts"

export interface SkillFile {
  /** Relative to the skill, with `/`. */
  readonly path: string
  /** Absent: it is no text. */
  readonly text?: string
}

export interface SkillSource {
  /** The skill's directory, relative to the workspace or in full. */
  readonly path: string
  readonly of: "user" | "project"
  readonly files: ReadonlyArray<SkillFile>
}

export interface Skill {
  readonly name: string
  readonly description: string
  readonly path: string
  readonly of: SkillSource["of"]
  readonly body: string
  /** Beside `SKILL.md`. */
  readonly files: ReadonlyArray<SkillFile>
}

export interface Skills {
  readonly skills: ReadonlyArray<Skill>
  /** What is none, and why: a sentence without its end. */
  readonly bad: ReadonlyArray<{ readonly path: string; readonly why: string }>
}

const MAX_SKILLS = 100
/** Code points. */
const MAX_NAME = 64
const MAX_DESCRIPTION = 1_024
/** UTF-16 units of all descriptions together. */
const MAX_CATALOGUE = 24_576

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim().toWellFormed()

const skillOf = ({ files, of, path }: SkillSource, readYaml: ReadYaml): Result.Result<Skill, string> =>
  Result.gen(function* () {
    const text = files.find((file) => file.path === "SKILL.md")?.text
    if (text === undefined) return yield* Result.fail("its SKILL.md is no text of at most 256 KiB")
    const { body, fields } = yield* frontMatter(text, readYaml)
    const name = fields["name"] ?? ""
    const description = oneLine(fields["description"] ?? "")
    if (!NAME.test(name) || name.length > MAX_NAME)
      return yield* Result.fail(`its name is not up to ${MAX_NAME} small letters, digits and single hyphens`)
    if (description === "") return yield* Result.fail("it has no description")
    if (Array.from(description).length > MAX_DESCRIPTION)
      return yield* Result.fail(`its description is longer than ${MAX_DESCRIPTION} characters`)
    const beside = files.filter((file) => file.path !== "SKILL.md")
    return { name, description, path, of, body: body.trim().toWellFormed(), files: beside }
  })

/** In the order of `sources`: the first of a name counts. */
export const readSkills = (sources: ReadonlyArray<SkillSource>, readYaml: ReadYaml): Skills => {
  const skills = new Map<string, Skill>()
  const bad: Array<{ readonly path: string; readonly why: string }> = []
  let room = MAX_CATALOGUE
  for (const source of sources) {
    const { path } = source
    const read = skillOf(source, readYaml)
    if (Result.isFailure(read)) {
      bad.push({ path, why: read.failure })
      continue
    }
    const skill = read.success
    const first = skills.get(skill.name)
    room -= skill.description.length
    if (first !== undefined) bad.push({ path, why: `${first.path} has the same name, and goes before it` })
    else if (skills.size >= MAX_SKILLS || room < 0) bad.push({ path, why: "there are too many skills before it" })
    else skills.set(skill.name, skill)
  }
  return { skills: [...skills.values()], bad }
}

/** The part of the prompt; empty where there is none. */
export const skillsPart = (skills: ReadonlyArray<Skill>): string =>
  skills.length === 0
    ? ""
    : [
        "# Skills",
        "Written procedures for certain work. Where one fits what is asked, read it with read_skill before you begin.",
        ...skills.map(({ description, name }) => `- ${name}: ${description}`)
      ].join("\n")
