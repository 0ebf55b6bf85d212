/**
 * Words with which a program does more than its name says: it evaluates, shows environments, sets a clock, makes up names.
 * Owns: the table. Does not own: options (commandTables). Pure.
 */
import { basename } from "node:path"

/** Words that make these programs do more than their name says. */
const MORE_THAN_LOOKING: Readonly<Record<string, readonly [RegExp, string]>> = {
  // A subscript in a quoted word is evaluated (corpus B039).
  test: [/[$`]|\[[^\]]/, "may evaluate a subscript"],
  "[": [/[$`]|\[[^\]]/, "may evaluate a subscript"],
  // Where a module may be named: in front, or behind another.
  jq: [
    /(?:^|[;\s])(?:import|include)(?=[\s"#]|$)|(?:^|[^.\w$"])env(?![\w:-])|\$ENV\b/,
    "may read files that its filter names, or the environment"
  ],
  yq: [/(?<![.\w$])(?:load|strload|system)/, "may read files that its filter names"],
  strings: [/^@/, "takes further words from a file"],
  vitest: [/^init$/, "fetches packages of its own"],
  hostname: [/^[^-]/, "sets the host's name"]
}

/** `date 010100002026` sets the clock; `date -d 20260101` does not. */
const setsClock = (name: string, args: ReadonlyArray<string>): boolean =>
  name === "date" &&
  args.some((word, at) => /^\d{8,12}(?:\.\d{2})?$/.test(word) && !/^-(?:\w*[drf]$|-)/.test(args[at - 1] ?? ""))

/** What `split` names its files after, unless they only count on from it: `makefi` becomes `makefile`. */
const makesUpNames = (name: string, args: ReadonlyArray<string>): boolean => {
  const plain = args.filter((word, at) => !word.startsWith("-") && !/^-(?:[blnCt]|-[a-z]+)$/.test(args[at - 1] ?? ""))
  return name === "split" && plain.length > 1 && !/^[A-Za-z][\w-]*[-_\d]$/.test(basename(plain.at(-1)!))
}

/** `ps e`, in the letters that need no dash, and its kin: the environment of every process. */
const showsEnvironments = (name: string, args: ReadonlyArray<string>): boolean =>
  name === "ps" &&
  args.some((word, at) => {
    const value = /^-(?:[A-Za-z]*[CGOUgopqstu]|-[a-z-]+)$/.test(args[at - 1] ?? "")
    return /environ/i.test(word) || /^-[A-Za-z]*E/.test(word) || (!value && /^[A-Za-df-z]*e[A-Za-z]*$/.test(word))
  })

/** Why such words make it more than a look. */
export const doesMore = (name: string, args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [form, why] = Object.hasOwn(MORE_THAN_LOOKING, name) ? MORE_THAN_LOOKING[name]! : []
  if (form !== undefined && why !== undefined && args.some((word) => form.test(word))) return [why]
  if (makesUpNames(name, args)) return ["writes names that it makes up"]
  if (showsEnvironments(name, args)) return ["shows what the environments of processes hold"]
  return setsClock(name, args) ? ["sets the clock"] : []
}
