/**
 * read_skill (R082): the body of a skill whose name and description the model was told, or a text beside it.
 * Does not own: which skills there are (SkillReader). It reads what was judged when the session began, no file.
 */
import { Effect, Schema } from "effect"
import type { ReadSkill, SkillReader } from "../SkillReader.ts"
import * as Tool from "../Tool.ts"

const Parameters = Schema.Struct({
  name: Schema.NonEmptyString.annotate({ description: "Name of the skill, as the list of skills has it." }),
  file: Schema.optionalKey(
    Schema.NonEmptyString.annotate({ description: "A text file of the skill, relative to its directory." })
  )
})

const MOST_FILES = 100

const present = ({ files, path, text }: ReadSkill, whole: boolean): string => {
  if (!whole) return text === "" ? "(the file is empty)" : text
  const shown = files.slice(0, MOST_FILES)
  const more = files.length > shown.length ? [`(${files.length - shown.length} more)`] : []
  const beside =
    files.length === 0
      ? []
      : ["", `[files of this skill, to be read with "file"; its directory is ${path}]`, ...shown, ...more]
  return [text, ...beside].join("\n")
}

export const makeReadSkill = (reader: (typeof SkillReader)["Service"]): Tool.Tool =>
  Tool.make({
    name: "read_skill",
    description:
      "Reads a skill: a written procedure for certain work, by its name in the list of skills. With file it reads " +
      "another text of that skill.",
    parameters: Parameters,
    effect: "pure",
    timeout_ms: 10_000,
    assess: ({ file, name }) => {
      const place = reader.place(name, file)
      const paths = place === undefined ? [] : [place]
      return Effect.succeed({ risk: "safe", reason: `reads the skill ${JSON.stringify(name)}`, paths, opaque: false })
    },
    run: ({ file, name }) =>
      Effect.map(reader.read(name, file), (found) => ({ content: present(found, file === undefined) }))
  })
