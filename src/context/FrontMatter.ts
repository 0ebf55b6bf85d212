/**
 * The few lines of YAML on top of a Markdown file that people write for agents. Owns: where they end, and that they are
 * a flat table of texts. Invariants: no alias, no tag, no type but text is understood, so that a small file stays a
 * small value; the library is loaded when the first such file is there.
 */
import { Result } from "effect"

export interface FrontMatter {
  /** Names → texts; what is no text is left out. */
  readonly fields: Readonly<Record<string, string>>
  readonly body: string
}

/** Reads a table in YAML; fails with a sentence. */
export type ReadYaml = (text: string) => Result.Result<FrontMatter["fields"], string>

/** UTF-16 units. */
const MAX_HEAD = 8_192

const texts = (value: unknown): FrontMatter["fields"] | undefined =>
  typeof value !== "object" || value === null || Array.isArray(value)
    ? undefined
    : Object.fromEntries(
        Object.entries(value).flatMap(([name, field]) => (typeof field === "string" ? [[name, field] as const] : []))
      )

export const loadYaml = async (): Promise<ReadYaml> => {
  const { parseDocument } = await import("yaml")
  const read = (text: string): FrontMatter["fields"] => {
    const options = { schema: "failsafe", uniqueKeys: true, logLevel: "silent", prettyErrors: false } as const
    const document = parseDocument(text, options)
    const [error = document.warnings[0]] = document.errors
    if (error !== undefined) throw error
    const value = text.trim() === "" ? {} : texts(document.toJS({ maxAliasCount: 0 }))
    if (value === undefined) throw new Error("it is no table of names and texts")
    return value
  }
  return (text) =>
    Result.try({
      try: () => read(text),
      catch: (error) => `its front matter cannot be read: ${error instanceof Error ? error.message : "it is no YAML"}`
    })
}

/** A text without front matter has no fields. */
export const frontMatter = (text: string, readYaml: ReadYaml): Result.Result<FrontMatter, string> => {
  const clean = text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n")
  if (!clean.startsWith("---\n")) return Result.succeed({ fields: {}, body: clean })
  // The line break before it may be that of the first line.
  const end = /\n---[ \t]*(?:\n|$)/.exec(clean.slice(3, MAX_HEAD + 3))
  if (end === null) return Result.fail(`its front matter has no end within ${MAX_HEAD} characters`)
  const body = clean.slice(3 + end.index + end[0].length)
  return Result.map(readYaml(clean.slice(4, Math.max(4, 3 + end.index))), (fields) => ({ fields, body }))
}
