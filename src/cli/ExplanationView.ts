/**
 * A verdict that explains itself, as lines (R139, DESIGN §9): each simple command with its words, what covers it and what
 * made it ask, then what could be granted and what each grant would cover. Owns: the sentences in both languages.
 * Invariants: everything foreign is made visible as at a question; a long word is folded and never cut.
 */
import type { GrantOption } from "../domain/Approval.ts"
import type { ExplainedPart, Explanation } from "../domain/Explanation.ts"
import type { Matcher } from "../domain/Matcher.ts"
import { reasonText } from "../domain/ReasonTexts.ts"
import type { Locale } from "./Commands.ts"
import { revealLine } from "./Sanitise.ts"
import { bold, dim, green, red, yellow } from "./Style.ts"
import { fold, wrap } from "./Width.ts"

export interface ExplanationOptions {
  readonly columns: number
  readonly color: boolean
  readonly locale: Locale
  /** What does not pass comes last, next to the keys that answer. */
  readonly nearest?: boolean
}

const en = {
  action: { allow: "Allowed", ask: "Asks", deny: "Denied" },
  by: (name: string, what: string | undefined) => `decided by: ${name}${what === undefined ? "" : ` (${what})`}`,
  builtin: {
    "safe-read": "what only reads inside the workspace passes",
    change: "what may change something in the workspace asks, unless a rule or a grant covers it",
    "far-reaching": "what may reach further than can be said asks, unless a grant covers exactly it",
    command: "a command asks, also one that only looks",
    default: "what no rule knows asks",
    "always-ask": "a file that makes other programs run code, or tells agents what to do, asks every time",
    forbidden: "nobody is asked, and no rule or grant lifts it",
    "refused-command": "nobody is asked, and no rule or grant lifts it",
    "ill-formed": "what cannot be shown as it runs never runs",
    grant: "an earlier answer for the session",
    filter: "it only passes on what the others of the line say"
  },
  grantedBy: (name: string) => `covered by ${name}`,
  covered: { none: "covered by nothing: no rule and no grant names it" },
  asking: (name: string) => `the rule ${name} asks about it`,
  denying: (name: string) => `the rule ${name} denies it`,
  asks: "made it ask",
  denies: "denied because",
  alsoNot: "why not",
  line: "The line as a whole",
  more: (count: number) => `… and ${count} more commands`,
  exact: "exactly this call, and nothing else",
  reads: "every command that only looks at the workspace",
  command: (words: string) => `plain commands that begin with ${words}, any words after`,
  path: (glob: string) => `every call of this tool on ${glob}`,
  options: "Could be granted for the session, in this workspace only:",
  once: "It can be allowed only once.",
  narrow: (why: string) => `Nothing wider: ${why}.`
}

const zh: typeof en = {
  action: { allow: "允许", ask: "需要询问", deny: "拒绝" },
  by: (name, what) => `决定者：${name}${what === undefined ? "" : `（${what}）`}`,
  builtin: {
    "safe-read": "只在工作区内读取的操作直接通过",
    change: "可能更改工作区内容的操作需要询问，除非有规则或授权涵盖",
    "far-reaching": "影响范围无法确定的操作需要询问，除非有授权恰好涵盖",
    command: "命令需要询问，只查看的也一样",
    default: "没有规则认识的操作需要询问",
    "always-ask": "会让其他程序运行代码、或指示代理行为的文件，每次都要询问",
    forbidden: "不询问任何人，也没有规则或授权能放行",
    "refused-command": "不询问任何人，也没有规则或授权能放行",
    "ill-formed": "无法如实显示的内容从不运行",
    grant: "先前对本会话的答复",
    filter: "只转述此行其他命令的输出"
  },
  grantedBy: (name) => `由 ${name} 涵盖`,
  covered: { none: "无涵盖：没有规则或授权提到它" },
  asking: (name) => `规则 ${name} 要求询问`,
  denying: (name) => `规则 ${name} 拒绝`,
  asks: "询问原因",
  denies: "拒绝原因",
  alsoNot: "未涵盖原因",
  line: "整行",
  more: (count) => `… 另有 ${count} 个命令`,
  exact: "仅此调用，别无其他",
  reads: "只查看工作区的每个命令",
  command: (words) => `以 ${words} 开头的普通命令，其后参数任意`,
  path: (glob) => `此工具对 ${glob} 的每次调用`,
  options: "可在本会话内授权，仅限此工作区：",
  once: "只能允许一次。",
  narrow: (why) => `不能更宽：${why}。`
}

const texts = { en, "zh-CN": zh } as const

const BARE = /^[\w@%+=:,./-]+$/

/** Words as a person would type them. */
export const wordsText = (words: ReadonlyArray<string>): string =>
  words.map((word) => (BARE.test(word) ? word : `'${revealLine(word).replaceAll("'", String.raw`'\''`)}'`)).join(" ")

/** What a grant of this matcher would cover. */
export const matcherText = (matcher: Matcher, locale: Locale): string => {
  const text = texts[locale]
  if (matcher.kind === "exact") return text.exact
  if (matcher.kind === "reads") return text.reads
  return matcher.kind === "command" ? text.command(wordsText(matcher.argv)) : text.path(revealLine(matcher.glob))
}

const marks = { covered: "✓", uncovered: "?", asks: "?", denied: "✗" } as const
const looks = { covered: green, uncovered: yellow, asks: yellow, denied: red } as const

const partFacts = (
  { by, matcher, state, why }: ExplainedPart,
  action: Explanation["action"],
  locale: Locale
): ReadonlyArray<string> => {
  const text = texts[locale]
  const name = revealLine(by ?? "")
  const reasons = [...new Set(why)].map((one) => revealLine(reasonText(one, locale)))
  const own = matcher === undefined && isBuiltin(name) ? ` (${text.builtin[name]})` : ""
  const wide = matcher === undefined ? own : `: ${matcherText(matcher, locale)}`
  if (state === "covered") return [`${text.grantedBy(name)}${wide}`]
  if (state === "denied") return [`${text.denying(name)}${wide}`, ...reasons.map((one) => `${text.denies}: ${one}`)]
  const asking = by === undefined ? [] : [`${text.asking(name)}${wide}`]
  if (state === "uncovered") return [text.covered.none, ...reasons.map((one) => `${text.alsoNot}: ${one}`)]
  const because = action === "deny" ? text.denies : text.asks
  return [...asking, ...reasons.map((one) => `${because}: ${one}`)]
}

const optionLines = (options: ReadonlyArray<GrantOption>, { narrow }: Explanation, locale: Locale) => {
  const text = texts[locale]
  const why = narrow === undefined ? [] : [text.narrow(revealLine(reasonText(narrow, locale)))]
  if (options.length === 0) return [text.once, ...why]
  return [text.options, ...options.map(({ matcher }, at) => `  ${at + 1}. ${matcherText(matcher, locale)}`), ...why]
}

const WEIGHT = { covered: 0, uncovered: 1, asks: 2, denied: 3 } as const

/** Parts and the line; without the decision and the options, which a question shows itself. */
export const partLines = (
  explanation: Explanation,
  { color, columns, locale, nearest = false }: ExplanationOptions
): ReadonlyArray<string> => {
  const text = texts[locale]
  const numbered = explanation.parts.map((part, at) => ({ ...part, at: part.at ?? at + 1 }))
  const ordered = nearest ? numbered.toSorted((a, b) => WEIGHT[a.state] - WEIGHT[b.state]) : numbered
  const within = (lines: typeof fold, line: string, indent: number) =>
    lines(line, Math.max(1, columns - indent)).map((one) => " ".repeat(indent) + one)
  const parts = ordered.flatMap((part) => [
    // Of a command every space stays; a sentence breaks between its words.
    ...within(fold, `${marks[part.state]} ${part.at}. ${wordsText(part.words)}`, 0).map((one) =>
      looks[part.state](one, color)
    ),
    ...partFacts(part, explanation.action, locale).flatMap((fact) => within(wrap, fact, 5))
  ])
  const line = explanation.line.map((one) => `${text.line}: ${revealLine(reasonText(one, locale))}`)
  const more = explanation.more === undefined ? [] : [text.more(explanation.more)]
  const whole = [...more, ...line].flatMap((one) => within(wrap, one, 0))
  return nearest ? [...whole, ...parts] : [...parts, ...whole]
}

const VOIDED = /^what it runs has changed since the grant \S+ was given$/

/** That an earlier answer does not count any more: a person who allowed it once would wonder. */
export const voidedLines = ({ line, parts }: Explanation, locale: Locale): ReadonlyArray<string> =>
  [...new Set([...line, ...parts.flatMap(({ why }) => why)])]
    .filter((one) => VOIDED.test(one))
    .map((one) => revealLine(reasonText(one, locale)))

/** What decided, and why no grant could be wider: what `e` adds to a question besides the parts. */
export const whyLines = (explanation: Explanation, { columns, locale }: ExplanationOptions): ReadonlyArray<string> => {
  const text = texts[locale]
  const { narrow, rule } = explanation
  const why = narrow === undefined ? [] : [text.narrow(revealLine(reasonText(narrow, locale)))]
  return [text.by(revealLine(rule), isBuiltin(rule) ? text.builtin[rule] : undefined), ...why].flatMap((one) =>
    wrap(one, columns)
  )
}

const isBuiltin = (rule: string): rule is keyof typeof en.builtin => Object.hasOwn(en.builtin, rule)

/** All of it, for `claw policy explain`. */
export const explanationLines = (
  explanation: Explanation,
  grants: ReadonlyArray<GrantOption>,
  options: ExplanationOptions
): ReadonlyArray<string> => {
  const { color, columns, locale } = options
  const text = texts[locale]
  const { rule } = explanation
  const reason = revealLine(reasonText(explanation.reason, locale))
  return [
    ...wrap(`${text.action[explanation.action]}: ${reason}`, columns).map((one) => bold(one, color)),
    ...wrap(text.by(revealLine(rule), isBuiltin(rule) ? text.builtin[rule] : undefined), columns).map((one) =>
      dim(one, color)
    ),
    ...partLines(explanation, options),
    ...(explanation.action === "ask" ? optionLines(grants, explanation, locale) : []).flatMap((one) =>
      fold(one, columns)
    )
  ]
}
