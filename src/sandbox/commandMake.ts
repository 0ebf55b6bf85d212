/**
 * A makefile as the shell lines that it would run (SECURITY P12). Owns: recipes, what `$(shell …)` and `!=` start, and what
 * make's variables hold as far as the text says so itself. Does not own: what those lines pull in (commandScripts),
 * includes (commandSources). Pure. Invariant: what is not known to hold one text becomes a variable of the shell's, which
 * is no literal word.
 */
/** What make sets itself; a makefile may set them anew. */
const BUILT_IN: Readonly<Record<string, string>> = {
  MAKE: "make",
  CC: "cc",
  CXX: "c++",
  CPP: "cc -E",
  AR: "ar",
  AS: "as",
  LD: "ld",
  LEX: "lex",
  YACC: "yacc",
  RM: "rm -f",
  SHELL: "/bin/sh",
  CURDIR: ".",
  PWD: "."
}
/** Options for compilers, which start nothing of the workspace's. */
const FLAGS = /^(?:[A-Z]*FLAGS|LDLIBS|LOADLIBES|MAKECMDGOALS|MAKEOVERRIDES)$/
const ASSIGNS =
  /^[ ]*(?:(?:export|override|private)[ \t]+)*([A-Za-z_][\w.-]*)[ \t]*(\+|::?:?|\?|!)?=[ \t]*([^\n\r\u2028\u2029]*)/gm
/** `target: variable = value` */
const OF_TARGET =
  /^[^\s#:=][^\n\r\u2028\u2029:=]{0,400}:[ \t]*([A-Za-z_][\w.-]*)[ \t]*(\+|::?:?|\?|!)?=[ \t]*([^\n\r\u2028\u2029]*)/gm
const DEFINES = /^[ ]*define[ \t]+([A-Za-z_][\w.-]*)[^\n]{0,100}\n([^]*?)^[ ]*endef\b/gm
const RECIPE = /^\t([^\n\r]+)/gm
const ONE_LINE = /^[^\s#=:][^\n\r#;=]{0,1000}:[^\n\r#;=]{0,4000};([^\n\r]+)/gm
const MAX_DEPTH = 8
const MAX_VALUE = 4_000
const MAX_LINES = 4_000

const UNKNOWN = '"$MAKE_UNKNOWN"'

interface Variables {
  readonly values: Map<string, string | undefined>
  /** What a function of make's runs. */
  readonly started: Array<string>
}

/** Behind the opening bracket: what stands in it, and where it ends. */
const bracketed = (text: string, from: number): readonly [inner: string, to: number] => {
  const [open, close] = text[from] === "{" ? ["{", "}"] : ["(", ")"]
  let depth = 0
  for (let at = from; at < text.length && at - from < MAX_VALUE; at += 1) {
    if (text[at] === open) depth += 1
    if (text[at] === close && (depth -= 1) === 0) return [text.slice(from + 1, at), at + 1]
  }
  return ["", from + 1]
}

const valueOf = (name: string, variables: Variables, depth: number): string => {
  const { started, values } = variables
  if (name.startsWith("shell ")) {
    started.push(unfolded(name.slice(6), variables, depth + 1))
    return UNKNOWN
  }
  const known = values.has(name) ? values.get(name) : Object.hasOwn(BUILT_IN, name) ? BUILT_IN[name] : undefined
  if (known === undefined) return FLAGS.test(name) && !values.has(name) ? "" : UNKNOWN
  return depth >= MAX_DEPTH ? UNKNOWN : unfolded(known, variables, depth + 1)
}

/** With what its variables hold; `$$` is the shell's own. */
const unfolded = (text: string, variables: Variables, depth = 0): string => {
  let out = ""
  for (let at = 0; at < text.length && out.length < MAX_VALUE;) {
    if (text[at] !== "$") {
      out += text[at]
      at += 1
    } else if (text[at + 1] === "$") {
      out += "$"
      at += 2
    } else if (text[at + 1] === "(" || text[at + 1] === "{") {
      const [name, to] = bracketed(text, at + 1)
      out += valueOf(name, variables, depth)
      at = to
    } else {
      out += /\w/.test(text[at + 1] ?? "") ? valueOf(text[at + 1]!, variables, depth) : UNKNOWN
      at += 2
    }
  }
  return out.length < MAX_VALUE ? out : UNKNOWN
}

const assign = ({ started, values }: Variables, name: string, how: string | undefined, value: string): void => {
  if (how === "!") {
    started.push(value)
    return void values.set(name, undefined)
  }
  const before = values.get(name)
  if (how === "+")
    return void values.set(name, values.has(name) && before === undefined ? undefined : `${before ?? ""} ${value}`)
  // Of several values nobody knows which one counts.
  values.set(name, values.has(name) && before !== value ? undefined : value)
}

const withoutNote = (value: string): string => value.replace(/(?<!\\)#.*/s, "").trim()

const HEADER = /^([^\s#:=][^:=#\n]{0,1000}):(?![:=])([^=\n]{0,4000})$/
/** What puts rules together that no line shows. */
const UNSHOWN = /^[ ]*(?:-?s?include|define|vpath)\b|\$[({](?:eval|foreach|call|MAKE\b)/m

const VALUED = /^(?:-[fCIoWjl]|--(?:file|makefile|directory|include-dir|old-file|what-if|jobs))$/

/** What make is told to make, by its own words. */
export const goalsOf = (args: ReadonlyArray<string>): ReadonlyArray<string> =>
  args.filter((word, at) => /^(?!\d+$)[^-=][^=]*$/.test(word) && !VALUED.test(args[at - 1] ?? ""))

/** The same text without the recipes that these goals do not come by; all of it where that does not show. */
export const reached = (source: string, goals: ReadonlyArray<string>): string => {
  const lines = source.replace(/\\\r?\n/g, " ").split("\n")
  const heads = lines.map((line) => HEADER.exec(line))
  if (UNSHOWN.test(source) || heads.some((head) => head !== null && /[$%]/.test(head[0].split(";")[0]!))) return source
  const needs = new Map<string, Array<string>>()
  const names = (text: string) => text.split(/[\s|]+/).filter((name) => name !== "")
  for (const [, targets = "", rest = ""] of heads.filter((head) => head !== null))
    for (const target of names(targets))
      needs.set(target, [...(needs.get(target) ?? []), ...names(rest.split(";")[0]!)])
  const first = [...needs.keys()].find((target) => !target.startsWith("."))
  const open = goals.length > 0 ? [...goals] : first === undefined ? [] : [first]
  const wanted = new Set(open)
  for (let target = open.pop(); target !== undefined; target = open.pop())
    for (const more of needs.get(target) ?? []) {
      if (!wanted.has(more)) open.push(more)
      wanted.add(more)
    }
  let isWanted = true
  return lines
    .filter((line, at) => {
      const head = heads[at]
      if (head !== null && head !== undefined) isWanted = names(head[1]!).some((target) => wanted.has(target))
      return isWanted || !(line.startsWith("\t") || line.includes(";"))
    })
    .join("\n")
}

/** Shell lines, each a script of its own. */
export const makeLines = (source: string): ReadonlyArray<string> => {
  const text = source.replace(/\\\r?\n/g, " ")
  const variables: Variables = { values: new Map(), started: [] }
  for (const form of [ASSIGNS, OF_TARGET])
    for (const [, name = "", how, value = ""] of text.matchAll(form)) assign(variables, name, how, withoutNote(value))
  for (const [, name = "", value = ""] of text.matchAll(DEFINES)) assign(variables, name, undefined, value)
  const defined = Array.from(text.matchAll(DEFINES), ([, , value = ""]) => value.split("\n")).flat()
  const recipes = [RECIPE, ONE_LINE].flatMap((form) => Array.from(text.matchAll(form), ([, line = ""]) => line))
  const lines = [...recipes, ...defined].map((line) => unfolded(line.trim().replace(/^[@+-]+/, ""), variables))
  for (const value of variables.values.values()) if (value?.includes("$(shell ") === true) unfolded(value, variables)
  for (const [, inner = ""] of text.matchAll(/^[^\t\n][^\n]{0,200}\$\((shell [^\n]{0,2000})/gm))
    unfolded(`$(${inner}`, variables)
  const all = [...lines, ...variables.started.map((line) => unfolded(line, variables))]
  return all
    .slice(0, MAX_LINES)
    .map((line) => line.replace(/^[@+\s-]+/, ""))
    .filter((line) => line !== "")
}
