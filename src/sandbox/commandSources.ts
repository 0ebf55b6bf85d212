/**
 * Which further files a script or a configuration pulls in, by its language (SECURITY P12). Owns: the forms of `import`,
 * `require`, `include` that can be read off a text, and those that cannot. Does not own: shell scripts (commandScripts),
 * reading (commandContent). Pure. Invariant: a form whose file cannot be named makes the text unclear, never shorter; of
 * a name each file that it may mean counts, there or not.
 */
import { resolve } from "node:path"

export type Language = "sh" | "js" | "json" | "py" | "rb" | "pl" | "php" | "lua" | "make" | "rs"

export interface Around {
  /** Of the file itself. */
  readonly directory: string
  /** Where the program looks for what is not named by a path. */
  readonly roots: ReadonlyArray<string>
}

export interface Pulled {
  /** Absolute. */
  readonly files: ReadonlyArray<string>
  /** It pulls in something that its text does not name. */
  readonly unclear: boolean
}

interface Form {
  /** Global; the first group that took part is the name. */
  readonly pulls: ReadonlyArray<RegExp>
  readonly unclear?: RegExp
  readonly files: (name: string, around: Around) => ReadonlyArray<string>
}

const JS_ENDINGS = ["", ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".tsx", ".jsx", ".json"]

const isRelative = (name: string): boolean => /^\.{0,2}\//.test(name) || name === "." || name === ".."

const jsFiles = (name: string, { directory }: Around): ReadonlyArray<string> => {
  if (!isRelative(name)) return []
  const base = resolve(directory, name.replace(/[?#].*/s, ""))
  const swapped = /\.([cm]?)js$/.test(base) ? [base.replace(/\.([cm]?)js$/, ".$1ts"), base.replace(/js$/, "tsx")] : []
  const index = JS_ENDINGS.slice(1, -1).map((ending) => `${base}/index${ending}`)
  return [...JS_ENDINGS.map((ending) => `${base}${ending}`), ...swapped, ...index, `${base}/package.json`]
}

/** `a.b` is `a`, and `b` in it, as files or packages. */
const pyFiles = (name: string, { directory, roots }: Around): ReadonlyArray<string> => {
  const [, dots = "", rest = ""] = /^(\.*)(.*)/s.exec(name) ?? []
  const up = dots === "" ? undefined : resolve(directory, "../".repeat(dots.length - 1))
  const parts = rest.split(".").filter((part) => part !== "")
  const ways = parts.map((_, at) => parts.slice(0, at + 1).join("/"))
  return (up === undefined ? roots : [up]).flatMap((root) =>
    (ways.length === 0 ? [`${root}/__init__.py`] : []).concat(
      ways.flatMap((way) => [`${root}/${way}.py`, `${root}/${way}/__init__.py`])
    )
  )
}

const either = (name: string, { directory, roots }: Around, endings: ReadonlyArray<string>): ReadonlyArray<string> =>
  [directory, ...roots].flatMap((root) => endings.map((ending) => resolve(root, `${name}${ending}`)))

const FORMS: Readonly<Record<Exclude<Language, "sh" | "py" | "pl">, Form>> = {
  js: {
    pulls: [
      /\bfrom\s*["']([^"'\n]+)["']/g,
      /\bimport\s*["']([^"'\n]+)["']/g,
      /\b(?:require|import|fork|Worker|URL|register)\s*\(\s*["'`]([^"'`\n$]+)["'`]/g
    ],
    unclear:
      /(?<![.\w])(?:require|import)\s*\(\s*(?:[^\s"'`)]|`[^`]*\$\{)|[=(,:]\s*(?:module\.)?require\s*[;,)\n]|\bcreateRequire\b|(?:\bfrom|\bimport|\brequire\s*\()\s*["']#|\b(?:require|import|fork|Worker)\s*\(\s*["'`][^"'`\n]*(?:["'`]\s*(?:\+|\.\s*\w)|\\[xu\d])|(?<![.\w])require\s*(?:\/[*/]|\.\s*(?:call|apply|bind)\b)|\(\s*0\s*,\s*(?:eval|require)\s*\)|(?<![.\w])(?:eval|Function)\s*\([^\n]{0,200}\breadFile/,
    files: jsFiles
  },
  json: { pulls: [/"extends"\s*:\s*(?:\[\s*)?"([^"]+)"/g], files: jsFiles },
  rb: {
    pulls: [/(?<![.\w])(?:require_relative|require|load)[ \t(]*["']([^"'\n#]+)["']/g],
    unclear:
      /(?<![.\w])(?:require_relative|require|load)[ \t(]+(?:[^\s"'(]|["'][^"'\n]*#\{)|\$LOAD_PATH|\$:|(?<!\w)autoload\b/,
    files: (name, around) => either(name, around, ["", ".rb"])
  },
  php: {
    pulls: [/\b(?:include|require)(?:_once)?\s*(?:\(\s*)?(?:__DIR__\s*\.\s*)?["']\/?([^"'\n$]+)["']\s*(?:\)\s*)?;/g],
    unclear: /\b(?:include|require)(?:_once)?\b(?!\s*(?:\(\s*)?(?:__DIR__\s*\.\s*)?["'][^"'\n$]+["']\s*(?:\)\s*)?;)/,
    files: (name, around) => either(name, around, [""])
  },
  lua: {
    pulls: [/\b(?:require|dofile|loadfile)[ \t(]*["']([^"'\n]+)["']/g],
    unclear: /\b(?:require|dofile|loadfile)[ \t(]+[^\s"'(]|\bpackage\.(?:path|loaders|searchers)\b/,
    files: (name, around) => [
      ...either(name, around, [""]),
      ...either(name.replaceAll(".", "/"), around, [".lua", "/init.lua"])
    ]
  },
  rs: {
    pulls: [
      /^[ \t]*(?:pub(?:\([^)\n]*\))?\s+)?mod\s+(\w+)\s*;/gm,
      /#\[path\s*=\s*"([^"\n]+)"\]/g,
      /\binclude(?:_str|_bytes)?!\s*\(\s*"([^"\n]+)"/g
    ],
    files: (name, { directory }) =>
      /[./]/.test(name)
        ? [resolve(directory, name)]
        : [resolve(directory, `${name}.rs`), resolve(directory, name, "mod.rs")]
  },
  make: {
    pulls: [/^ *[s-]?include[ \t]+([^\n\r\u2028\u2029#]+)/gm, /^\t(.+)$/gm],
    unclear: /^ *[s-]?include[ \t][^\n\r\u2028\u2029#]*[$*?[]/m,
    files: (names, { roots }) =>
      names
        .trim()
        .split(/[\s;&|()<>"'`=]+/)
        .filter((name) => /[./]/.test(name) && !/[$*?]|^-/.test(name))
        .flatMap((name) => roots.map((root) => resolve(root, name)))
  }
}

/** As far as any import may reach; the bound keeps a text of openings from being read again and again. */
const PY_FROM = /\bfrom[ \t\f]+([.\p{L}\p{N}_]+)[ \t\f]+import[ \t\f]*(\([^)]{0,4000}\)?|[^\n#;]+)/gu
const PY_IMPORT = /(?:^|[;:])[ \t\f]*import[ \t\f]+([^\n#;]+)/gm
const PY_UNCLEAR =
  /\bimport(?:_module)?[ \t]+as\b|\bimportlib[ \t]+(?:import[^\n]{0,400}\bas\b|import[^\n]{400}|as\b)|\b(?:__import__|import_module|run_path|run_module|spec_from_file_location|execfile|addsitedir)\s*\(|\bsys\.path\b|\bexec\s*\(\s*(?:open|compile)|\bimp\.load_|\b(?:iter_modules|walk_packages|import_string)\b|\b__builtins__\b|\bbuiltins\b/

/** pytest loads these by name. */
const PY_PLUGINS = /^[ \t]*pytest_plugins\b[^=\n\r\u2028\u2029]*=[ \t]*(\[[^\]]{0,4000}|\([^)]{0,4000}|[^\n]*)/gm
const plugins = (text: string): ReadonlyArray<string> =>
  Array.from(text.matchAll(PY_PLUGINS), ([, value = ""]) =>
    Array.from(value.matchAll(/["']([\w.]+)["']/g), ([, name = ""]) => name)
  ).flat()

const words = (text: string): ReadonlyArray<string> =>
  text
    .replace(/#[^\n]*/g, "")
    .split(/[,()\s]+/)
    .filter((word) => /^[.\p{L}\p{N}_]+$/u.test(word) && word !== "as")

const python = (source: string, around: Around): Pulled => {
  const text = source.replace(/\\\r?\n/g, " ")
  const plain = Array.from(text.matchAll(PY_IMPORT), ([, names = ""]) => words(names)).flat()
  const from = Array.from(text.matchAll(PY_FROM), ([, module = "", names = ""]) => [
    module,
    ...words(names).map((name) => `${module}${module.endsWith(".") ? "" : "."}${name}`)
  ]).flat()
  const files = [...new Set([...plain, ...from, ...plugins(text)])].flatMap((name) => pyFiles(name, around))
  return { files, unclear: PY_UNCLEAR.test(text) }
}

const PERL_FILES = /\b(?:require|do)\s+["']([^"'\n$]+)["']/g
const PERL_LIBS = /\buse\s+lib\s+["']([^"'\n$]+)["']/g
const PERL_MODULES = /\b(?:use|require)\s+([A-Za-z]\w*(?:::\w+)*)/g
const PERL_UNCLEAR = /\buse\s+lib\s+(?!["'][^"'\n$]+["'])|\b(?:require|do)\s+(?:\$|["'][^"'\n]*\$)|@INC\b/

const perl = (text: string, around: Around): Pulled => {
  const names = (form: RegExp) => Array.from(text.matchAll(form), ([, name = ""]) => name)
  const libs = names(PERL_LIBS).flatMap((lib) => around.roots.map((root) => resolve(root, lib)))
  const modules = names(PERL_MODULES).map((name) => `${name.replaceAll("::", "/")}.pm`)
  return {
    files: [
      ...names(PERL_FILES).flatMap((name) => either(name, around, [""])),
      ...[...around.roots, ...libs].flatMap((lib) => modules.map((name) => `${lib}/${name}`))
    ],
    unclear: PERL_UNCLEAR.test(text)
  }
}

const byForm = ({ files, pulls, unclear }: Form, source: string, around: Around): Pulled => {
  const text = source.replace(/\\\r?\n/g, " ")
  const names = pulls.flatMap((form) => Array.from(text.matchAll(form), ([, name = ""]) => name))
  return { files: [...new Set(names)].flatMap((name) => files(name, around)), unclear: unclear?.test(text) === true }
}

export const pulledBy = (language: Exclude<Language, "sh">, text: string, around: Around): Pulled => {
  if (language === "py") return python(text, around)
  if (language === "pl") return perl(text, around)
  return byForm(FORMS[language], text, around)
}

const BY_ENDING: ReadonlyArray<readonly [RegExp, Language]> = [
  [/\.(?:[cm]?[jt]s|[jt]sx)$/, "js"],
  [/(?:^|\/)(?:[tj]sconfig[^/]*\.json|\.(?:eslint|babel|prettier|mocha)rc(?:\.json)?)$/, "json"],
  [/\.pyw?$/, "py"],
  [/\.(?:rb|rake)$/, "rb"],
  [/\.(?:pl|pm|t)$/, "pl"],
  [/\.php$/, "php"],
  [/\.lua$/, "lua"],
  [/\.(?:sh|bash|zsh|ksh|dash)$/, "sh"],
  [/\.mk$/, "make"],
  [/\.rs$/, "rs"]
]

export const languageOfName = (path: string): Language | undefined => BY_ENDING.find(([form]) => form.test(path))?.[1]

const BY_PROGRAM: Readonly<Record<string, Language>> = {
  python: "py",
  pypy: "py",
  perl: "pl",
  ruby: "rb",
  node: "js",
  nodejs: "js",
  deno: "js",
  bun: "js",
  tsx: "js",
  "ts-node": "js",
  php: "php",
  lua: "lua",
  luajit: "lua"
}

export const languageOfProgram = (name: string): Language | undefined =>
  Object.hasOwn(BY_PROGRAM, name) ? BY_PROGRAM[name] : undefined
