/** Languages that code is coloured in, each a file of its own that is loaded when it is first met. */
import type { LanguageInput } from "shiki/core"
import type { LanguageName } from "./languageNames.ts"

type Loader = () => Promise<LanguageInput>

export const languages: Readonly<Record<LanguageName, Loader>> = {
  bash: () => import("shiki/langs/bash.mjs").then((found) => found.default),
  c: () => import("shiki/langs/c.mjs").then((found) => found.default),
  cpp: () => import("shiki/langs/cpp.mjs").then((found) => found.default),
  csharp: () => import("shiki/langs/csharp.mjs").then((found) => found.default),
  css: () => import("shiki/langs/css.mjs").then((found) => found.default),
  diff: () => import("shiki/langs/diff.mjs").then((found) => found.default),
  dockerfile: () => import("shiki/langs/dockerfile.mjs").then((found) => found.default),
  go: () => import("shiki/langs/go.mjs").then((found) => found.default),
  html: () => import("shiki/langs/html.mjs").then((found) => found.default),
  java: () => import("shiki/langs/java.mjs").then((found) => found.default),
  javascript: () => import("shiki/langs/javascript.mjs").then((found) => found.default),
  json: () => import("shiki/langs/json.mjs").then((found) => found.default),
  kotlin: () => import("shiki/langs/kotlin.mjs").then((found) => found.default),
  make: () => import("shiki/langs/make.mjs").then((found) => found.default),
  markdown: () => import("shiki/langs/markdown.mjs").then((found) => found.default),
  php: () => import("shiki/langs/php.mjs").then((found) => found.default),
  python: () => import("shiki/langs/python.mjs").then((found) => found.default),
  ruby: () => import("shiki/langs/ruby.mjs").then((found) => found.default),
  rust: () => import("shiki/langs/rust.mjs").then((found) => found.default),
  sql: () => import("shiki/langs/sql.mjs").then((found) => found.default),
  swift: () => import("shiki/langs/swift.mjs").then((found) => found.default),
  toml: () => import("shiki/langs/toml.mjs").then((found) => found.default),
  tsx: () => import("shiki/langs/tsx.mjs").then((found) => found.default),
  typescript: () => import("shiki/langs/typescript.mjs").then((found) => found.default),
  yaml: () => import("shiki/langs/yaml.mjs").then((found) => found.default)
}
