/**
 * A configuration file from disk to checked data. Owns: what may be opened, and where in the text a mistake stands.
 * Invariant: a file either holds what the schema says, every key known, or gives one error naming file, line, column
 * and key; prototype keys, links at the last step, devices and endless files are refused (SECURITY T8, C015, C017).
 */
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs"
import { Result, Schema, SchemaIssue } from "effect"
import { type ParseError, type ParseOptions, findNodeAtLocation, parseTree } from "jsonc-parser"
import { ConfigError } from "./ConfigError.ts"
import { nearest } from "../domain/Nearest.ts"
import { ruleMistake } from "./RuleForm.ts"
import { ConfigFile, configSchema } from "./Settings.ts"

export const MAX_FILE_BYTES = 262_144

type Path = ReadonlyArray<string | number>

export const pathText = (path: Path): string =>
  path.reduce<string>(
    (text, part) => (typeof part === "number" ? `${text}[${part}]` : text === "" ? part : `${text}.${part}`),
    ""
  )

const strict: ParseOptions = { disallowComments: true, allowTrailingComma: false }

const lineColumn = (text: string, offset: number): string => {
  const before = text.slice(0, offset).split("\n")
  return `${before.length}:${(before.at(-1)?.length ?? 0) + 1}`
}

const syntaxError = (text: string, where: string): ConfigError => {
  const errors: Array<ParseError> = []
  parseTree(text, errors, strict)
  const at = lineColumn(text, errors[0]?.offset ?? text.length)
  return new ConfigError({ where: `${where}:${at}`, detail: "this is not JSON; the mistake is here or just before." })
}

/** The place of a key in the text; the value's where there is no key (an element of an array). */
const placeOf = (text: string, path: Path): string => {
  const tree = parseTree(text, [], strict)
  // What is missing stands nowhere: the place is that of the nearest thing around it.
  const places = path.map((_, cut) => path.slice(0, path.length - cut))
  const found = places.flatMap((at) => (tree === undefined ? [] : (findNodeAtLocation(tree, [...at]) ?? [])))
  const [node] = found
  const shown = node?.parent?.type === "property" ? node.parent : node
  return lineColumn(text, shown?.offset ?? 0)
}

/** What a key of a node may hold: its own schema, or that of all keys where a person names them. */
const below = (node: Record<string, unknown> | undefined, part: string | number): unknown => {
  if (typeof part === "number") return node?.["items"]
  const named = (node?.["properties"] as Record<string, unknown> | undefined)?.[part]
  const anyKey = Object.values((node?.["patternProperties"] as Record<string, unknown> | undefined) ?? {})[0]
  return named ?? anyKey ?? node?.["additionalProperties"]
}

/** The keys that the schema knows at the parent of `path`. */
const knownKeys = (path: Path): ReadonlyArray<string> => {
  let node: Record<string, unknown> | undefined = configSchema()
  for (const part of path.slice(0, -1)) node = below(node, part) as Record<string, unknown> | undefined
  return Object.keys((node?.["properties"] as Record<string, unknown> | undefined) ?? {})
}

const UNKNOWN = "unknown key"

const format = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) => (issue._tag === "UnexpectedKey" ? UNKNOWN : SchemaIssue.defaultLeafHook(issue))
})

const decode = Schema.decodeUnknownResult(ConfigFile, { errors: "all", onExcessProperty: "error" })

const asPath = (path: ReadonlyArray<unknown> | undefined): Path =>
  (path ?? []).map((part) => {
    const key = typeof part === "object" && part !== null && "key" in part ? part.key : part
    return typeof key === "number" ? key : String(key)
  })

const unknownKey = (path: Path): string => {
  const name = String(path.at(-1))
  if (name === "__proto__" || name === "constructor" || name === "prototype") return `the key ${name} is never allowed.`
  if (path.length === 2 && path[0] === "models") {
    return `${pathText(path)} is not the name of a model, perhaps with * at its end.`
  }
  const hint = nearest(name, knownKeys(path))
  return `unknown key ${pathText(path)}${hint === undefined ? "" : `; did you mean ${hint}?`}`
}

/** What a person calls a value's type. */
const kinds: Readonly<Record<string, string>> = {
  number: "a number",
  string: "a string",
  boolean: "true or false",
  object: "an object",
  array: "an array"
}

const complaint = (path: Path, message: string): string => {
  if (message === UNKNOWN) return unknownKey(path)
  const what = message
    .replace(/^Missing key$/, "is missing")
    .replace(/^Expected (\w+)$/, (_, type: string) => `must be ${kinds[type] ?? type}`)
    .replace(/^Expected /, "must be ")
    .replace("a value ", "")
  return `${path.length === 0 ? "the configuration" : pathText(path)} ${what}.`
}

/** The first rule that cannot mean what it says. */
const checkRules = (file: ConfigFile, locate: (path: Path) => string): Result.Result<ConfigFile, ConfigError> => {
  for (const action of ["allow", "ask", "deny"] as const) {
    for (const [at, rule] of (file.rules?.[action] ?? []).entries()) {
      const mistake = ruleMistake(rule, action)
      if (mistake === undefined) continue
      const path: Path = ["rules", action, at]
      const key = pathText(path)
      return Result.fail(new ConfigError({ where: locate(path), key, detail: `the rule ${key} ${mistake}.` }))
    }
  }
  return Result.succeed(file)
}

/** Checks a value against the schema. `locate` turns the path of a mistake into the place that is shown. */
export const checkValue = (value: unknown, locate: (path: Path) => string): Result.Result<ConfigFile, ConfigError> => {
  const decoded = decode(value)
  if (Result.isSuccess(decoded)) return checkRules(decoded.success, locate)
  const issues = format(decoded.failure.issue).issues
  const first = issues.find((issue) => issue.message === UNKNOWN) ?? issues[0]
  const path = asPath(first?.path)
  const key = pathText(path)
  return Result.fail(
    new ConfigError({
      where: locate(path),
      ...(key === "" ? {} : { key }),
      detail: complaint(path, first?.message ?? "is not valid")
    })
  )
}

/** Parses and checks the text of a file. */
export const parseConfig = (text: string, where: string): Result.Result<ConfigFile, ConfigError> => {
  const body = text.startsWith("\uFEFF") ? text.slice(1) : text
  if (body.trim() === "") return Result.succeed({})
  return Result.flatMap(
    Result.try({ try: () => JSON.parse(body) as unknown, catch: () => syntaxError(body, where) }),
    (value) => checkValue(value, (path) => `${where}:${placeOf(body, path)}`)
  )
}

const errorCode = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : "unreadable"

/** The whole text of a regular file of bounded size. */
export const readText = (path: string, followLink: boolean): string => {
  // O_NONBLOCK: a FIFO must not hang the start. O_NOFOLLOW: a repository cannot point its file elsewhere.
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | (followLink ? 0 : constants.O_NOFOLLOW)
  const descriptor = openSync(path, flags)
  try {
    const stat = fstatSync(descriptor)
    if (!stat.isFile()) throw new Error("it is not a regular file")
    if (stat.size > MAX_FILE_BYTES) throw new Error(`it is larger than ${MAX_FILE_BYTES} bytes`)
    const buffer = Buffer.alloc(stat.size)
    const length = readSync(descriptor, buffer, 0, stat.size, 0)
    return new TextDecoder("utf-8", { fatal: true }).decode(buffer.subarray(0, length))
  } finally {
    closeSync(descriptor)
  }
}

const unreadable = (where: string, error: unknown): ConfigError => {
  const code = errorCode(error)
  if (code === "ENOENT") return new ConfigError({ where, detail: "there is no such file." })
  if (code === "ELOOP")
    return new ConfigError({ where, detail: "this is a link, and a workspace's file may not be one." })
  if (code === "ERR_ENCODING_INVALID_ENCODED_DATA") return new ConfigError({ where, detail: "this is not UTF-8 text." })
  const why = code === "unreadable" && error instanceof Error ? error.message : code
  return new ConfigError({ where, detail: `this file cannot be read (${why}).` })
}

/** Reads and checks a file; `undefined` where it does not exist and does not have to. */
export const readConfig = (
  path: string,
  options: { readonly required: boolean; readonly followLink: boolean }
): Result.Result<ConfigFile | undefined, ConfigError> => {
  const text = Result.try({ try: () => readText(path, options.followLink), catch: (error) => error })
  if (Result.isSuccess(text)) return parseConfig(text.success, path)
  const code = errorCode(text.failure)
  if (!options.required && (code === "ENOENT" || code === "ENOTDIR")) return Result.succeed(undefined)
  return Result.fail(unreadable(path, text.failure))
}
