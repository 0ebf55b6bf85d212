/**
 * What one file says, read from its syntax tree: imports of every kind, sizes of functions, and the few expressions
 * the law is about. Owns: reading. Judges nothing.
 * Invariant: a fact carries the line where a person finds it.
 */
import { type ParseResult, type ParserOptions, Visitor, parseSync, rawTransferSupported } from "oxc-parser"

export interface Import {
  readonly specifier: string
  readonly line: number
}

export interface FunctionFact {
  readonly name: string
  readonly line: number
  /** From the first to the last line of the whole function; for a generator, the lines between its braces. */
  readonly lines: number
  readonly generator: boolean
}

/** `kind` is the rule's name in `law.places`, or `detached`. */
export interface Use {
  readonly kind: "run" | "env" | "console" | "stdio" | "stderr" | "detached"
  readonly text: string
  readonly line: number
}

export interface Facts {
  readonly lines: number
  readonly imports: ReadonlyArray<Import>
  readonly reexports: ReadonlyArray<Import & { readonly star: boolean }>
  /** True where every statement is an import or a re-export. */
  readonly onlyReexports: boolean
  readonly functions: ReadonlyArray<FunctionFact>
  readonly uses: ReadonlyArray<Use>
  /** Declares a `Context.Service`. */
  readonly service: boolean
  /** Builds a layer that does work: anything but `Layer.succeed` and `Layer.sync`. */
  readonly layerLogic: boolean
  readonly syntaxErrors: ReadonlyArray<string>
}

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && "type" in value

const lineCounter = (text: string) => {
  const starts = [0]
  for (let i = text.indexOf("\n"); i !== -1; i = text.indexOf("\n", i + 1)) starts.push(i + 1)
  const lineOf = (offset: number): number => {
    let low = 0
    let high = starts.length
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((starts[middle] ?? 0) <= offset) low = middle
      else high = middle
    }
    return low + 1
  }
  return { lineOf, total: text.endsWith("\n") ? starts.length - 1 : starts.length }
}

/** Also of a template with nothing in it. */
const literal = (node: unknown): string | undefined => {
  if (!isNode(node)) return undefined
  if (node.type === "Literal") return typeof node["value"] === "string" ? node["value"] : undefined
  if (node.type !== "TemplateLiteral") return undefined
  const quasis = node["quasis"] as ReadonlyArray<{ readonly value: { readonly cooked: string | null } }>
  return quasis.length === 1 ? (quasis[0]?.value.cooked ?? undefined) : undefined
}

const identifier = (node: unknown): string | undefined =>
  isNode(node) && node.type === "Identifier" ? (node["name"] as string) : undefined

/** The name of `object.name` and `object["name"]`. */
const propertyName = (node: Node): string | undefined =>
  node["computed"] === true ? literal(node["property"]) : identifier(node["property"])

/** `process`, `globalThis.process`, and whatever `node:process` was imported as. */
const baseName = (node: unknown, aliases: ReadonlyMap<string, string>): string | undefined => {
  const name = identifier(node)
  if (name !== undefined) return aliases.get(name) ?? name
  if (!isNode(node) || node.type !== "MemberExpression") return undefined
  return identifier(node["object"]) === "globalThis" ? propertyName(node) : undefined
}

const runner = /^run(Promise|Sync|Fork|Callback)/
const detached = /^(forkDetach|forkDaemon)$/
const workingLayer = /^(effect|effectDiscard|scoped|scopedDiscard|unwrap|flatMap|provide|provideMerge|mergeAll|merge)$/
const processParts: Readonly<Record<string, Use["kind"]>> = {
  env: "env",
  loadEnvFile: "env",
  stdin: "stdio",
  stdout: "stdio",
  stderr: "stderr"
}

const classify = (base: string | undefined, name: string | undefined): Use["kind"] | undefined => {
  if (base === undefined) return undefined
  if (base === "console") return "console"
  if (name === undefined) return undefined
  if (base === "process") return processParts[name]
  if (detached.test(name) && (base === "Effect" || base === "Stream")) return "detached"
  if (runner.test(name) && (base === "Effect" || base === "Runtime" || base === "ManagedRuntime")) return "run"
  return undefined
}

const processModule = /^(node:)?process$/
const effectModule = /^effect\/(Effect|Runtime|ManagedRuntime)$/

const importFacts = (result: ParseResult, lineOf: (offset: number) => number) => {
  const imports: Array<Import> = []
  const uses: Array<Use> = []
  const aliases = new Map<string, string>()
  const note = (kind: Use["kind"] | undefined, text: string, line: number) => {
    if (kind !== undefined) uses.push({ kind, text, line })
  }
  for (const statement of result.module.staticImports) {
    const specifier = statement.moduleRequest.value
    const line = lineOf(statement.start)
    imports.push({ specifier, line })
    for (const entry of statement.entries) {
      const name = entry.importName.kind === "Name" ? (entry.importName.name ?? undefined) : undefined
      const local = entry.localName.value
      if (entry.isType) continue
      if (processModule.test(specifier)) {
        if (name === undefined) aliases.set(local, "process")
        else note(classify("process", name), `process.${name}`, line)
      } else if (effectModule.test(specifier)) {
        const module = specifier.slice("effect/".length)
        if (name === undefined) aliases.set(local, module)
        else note(classify(module, name), `${module}.${name}`, line)
      } else if (specifier === "effect" && name !== undefined) {
        aliases.set(local, name)
      }
    }
  }
  return { imports, uses, aliases }
}

const reexportFacts = (result: ParseResult, lineOf: (offset: number) => number) =>
  result.module.staticExports.flatMap((statement) =>
    statement.entries.flatMap((entry) =>
      entry.moduleRequest == null
        ? []
        : [
            {
              specifier: entry.moduleRequest.value,
              line: lineOf(statement.start),
              star: entry.exportName.kind === "None"
            }
          ]
    )
  )

const functionName = (node: Node, hint: string | undefined): string => identifier(node["id"]) ?? hint ?? "a function"

interface Tree {
  readonly imports: Array<Import>
  readonly uses: Array<Use>
  readonly functions: Array<FunctionFact>
  service: boolean
  layerLogic: boolean
}

/** Functions, with the name of the declaration or property they stand in. */
const functionVisitor = (tree: Tree, lineOf: (offset: number) => number) => {
  let hint: string | undefined
  const onFunction = (value: unknown) => {
    const node = value as Node
    const generator = node["generator"] === true
    const body = node["body"] as Node
    const line = lineOf(node.start)
    const lines = generator ? lineOf(body.end) - lineOf(body.start) - 1 : lineOf(node.end) - line + 1
    tree.functions.push({ name: functionName(node, hint), line, lines, generator })
    hint = undefined
  }
  return {
    FunctionDeclaration: onFunction,
    FunctionExpression: onFunction,
    ArrowFunctionExpression: onFunction,
    VariableDeclarator: (node: unknown) => {
      hint = identifier((node as Node)["id"])
    },
    Property: (node: unknown) => {
      hint = identifier((node as Node)["key"])
    }
  }
}

/** The expressions of `Use`, also where they are taken apart: `const { env } = process`. */
const useVisitor = (tree: Tree, aliases: ReadonlyMap<string, string>, lineOf: (offset: number) => number) => {
  const note = (base: string | undefined, name: string | undefined, start: number) => {
    const kind = classify(base, name)
    if (kind !== undefined) tree.uses.push({ kind, text: `${base}.${name ?? "…"}`, line: lineOf(start) })
  }
  const onMember = (value: unknown) => {
    const node = value as Node
    const base = baseName(node["object"], aliases)
    const name = propertyName(node)
    if (base === "Context" && name === "Service") tree.service = true
    if (base === "Layer" && name !== undefined && workingLayer.test(name)) tree.layerLogic = true
    note(base, name, node.start)
  }
  const onDeclarator = (value: unknown) => {
    const node = value as Node
    const base = baseName(node["init"], aliases)
    if (base === undefined || !isNode(node["id"]) || node["id"].type !== "ObjectPattern") return
    for (const property of node["id"]["properties"] as ReadonlyArray<Node>) {
      note(base, identifier(property["key"]), node.start)
    }
  }
  return { MemberExpression: onMember, VariableDeclarator: onDeclarator }
}

/** `import()`, `import("…").Type`, `require("…")` and `new URL("./x.ts", import.meta.url)`. */
const importVisitor = (tree: Tree, lineOf: (offset: number) => number) => {
  const note = (specifier: string | undefined, start: number) => {
    if (specifier !== undefined) tree.imports.push({ specifier, line: lineOf(start) })
  }
  const onImport = (value: unknown) => note(literal((value as Node)["source"]), (value as Node).start)
  const onCall = (value: unknown) => {
    const node = value as Node
    const callee = identifier(node["callee"])
    const specifier = literal((node["arguments"] as ReadonlyArray<unknown>)[0])
    const asUrl = callee === "URL" && /^\.\.?\/.*\.[cm]?[jt]sx?$/.test(specifier ?? "")
    if (callee === "require" || (node.type === "NewExpression" && asUrl)) note(specifier, node.start)
  }
  return { ImportExpression: onImport, TSImportType: onImport, NewExpression: onCall, CallExpression: onCall }
}

const isReexport = (statement: unknown): boolean =>
  isNode(statement) &&
  (statement.type === "ExportAllDeclaration" ||
    (statement.type === "ExportNamedDeclaration" && isNode(statement["source"])))

type Handlers = Readonly<Record<string, (node: unknown) => void>>

/** One walk for all of them: the tree is walked once, each node shown to each handler of its kind. */
const together = (...all: ReadonlyArray<Handlers>): Handlers => {
  const kinds = [...new Set(all.flatMap((handlers) => Object.keys(handlers)))]
  return Object.fromEntries(
    kinds.map((kind) => {
      const mine = all.flatMap((handlers) => handlers[kind] ?? [])
      return [kind, (node: unknown) => mine.forEach((handle) => handle(node))] as const
    })
  )
}

/** The tree out of shared memory where the parser can, half the time of the one it writes as JSON. */
const options = rawTransferSupported() ? ({ experimentalRawTransfer: true } as ParserOptions) : {}

/** Reads one file. `path` only tells the parser whether there is JSX or TypeScript in it. */
export const read = (path: string, text: string): Facts => {
  const result = parseSync(path, text, options)
  const { lineOf, total } = lineCounter(text)
  const { imports, uses, aliases } = importFacts(result, lineOf)
  const reexports = reexportFacts(result, lineOf)
  const tree: Tree = { imports, uses, functions: [], service: false, layerLogic: false }
  new Visitor(
    together(functionVisitor(tree, lineOf), useVisitor(tree, aliases, lineOf), importVisitor(tree, lineOf))
  ).visit(result.program)
  const onlyReexports = result.program.body.every(
    (statement) => statement.type === "ImportDeclaration" || isReexport(statement)
  )
  return {
    lines: total,
    imports: [...tree.imports, ...reexports],
    reexports,
    onlyReexports: reexports.length > 0 && onlyReexports,
    functions: tree.functions,
    uses: tree.uses,
    service: tree.service,
    layerLogic: tree.layerLogic,
    syntaxErrors: result.errors.map((error) => error.message)
  }
}
