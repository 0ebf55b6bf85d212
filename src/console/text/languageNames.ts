/** What languages are called that code is coloured in. Pure; the grammars are `languages`, which only the worker loads. */
export const NAMES = [
  "bash",
  "c",
  "cpp",
  "csharp",
  "css",
  "diff",
  "dockerfile",
  "go",
  "html",
  "java",
  "javascript",
  "json",
  "kotlin",
  "make",
  "markdown",
  "php",
  "python",
  "ruby",
  "rust",
  "sql",
  "swift",
  "toml",
  "tsx",
  "typescript",
  "yaml"
] as const
export type LanguageName = (typeof NAMES)[number]

const others: Readonly<Record<string, LanguageName>> = {
  "c++": "cpp",
  cs: "csharp",
  docker: "dockerfile",
  htm: "html",
  js: "javascript",
  jsx: "tsx",
  jsonc: "json",
  json5: "json",
  kt: "kotlin",
  makefile: "make",
  md: "markdown",
  mjs: "javascript",
  py: "python",
  rb: "ruby",
  rs: "rust",
  sh: "bash",
  shell: "bash",
  shellscript: "bash",
  ts: "typescript",
  yml: "yaml",
  zsh: "bash"
}

/** The language of a fence's word or of a file's ending. */
export const languageOf = (name: string): LanguageName | undefined => {
  const word = name.toLowerCase()
  return NAMES.find((known) => known === word) ?? (Object.hasOwn(others, word) ? others[word] : undefined)
}
