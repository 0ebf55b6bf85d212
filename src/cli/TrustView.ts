/**
 * What a person is told of a directory that brings things along, pure. Owns: the sentences in both languages.
 * Invariant: names and contents come from a repository, so whatever is shown of them is sanitised.
 */
import type { Offer, OfferKind, Standing, Status, Taken, TrustRecord } from "../config/WorkspaceTrust.ts"
import type { Locale } from "./Commands.ts"
import { sanitise } from "./Sanitise.ts"

interface Texts {
  readonly does: Readonly<Record<OfferKind, string>>
  readonly taken: Readonly<Record<Taken, string>>
  readonly problem: Readonly<Record<NonNullable<Offer["problem"]>, string>>
  readonly status: Readonly<Record<Status, string>>
  readonly why: Readonly<Record<"unknown" | "changed" | "declined" | "own_state" | "problem", string>>
  readonly notice: (files: string, why: string) => string
  readonly question: (directory: string) => string
  readonly changed: string
  readonly keys: string
  readonly answered: Readonly<Record<"trusted" | "declined", string>>
  readonly nothing: (directory: string) => string
  readonly kept: (directory: string) => string
  readonly revoked: (directory: string) => string
  readonly none: string
  readonly notKept: (directory: string) => string
  readonly damaged: (file: string) => string
  readonly doesNotLoad: (directory: string, why: string) => string
  readonly noText: string
  readonly runs: string
}

const en: Texts = {
  does: {
    settings: "makes claw stricter here: mode, limits, rules that ask or deny",
    memory: "would tell the model what to do",
    skills: "would teach the model procedures, and bring programs for them",
    commands: "would offer prompts by name",
    hooks: "programs that the settings run at certain events",
    servers: "would start programs or open connections, for more tools",
    environment: "would set variables",
    grants: "would allow calls without a question"
  },
  taken: {
    trusted: "takes effect once trusted",
    later: "not read by this version",
    never: "never read from a workspace"
  },
  problem: {
    link: "it is a link",
    not_a_file: "it is not an ordinary file or directory",
    unreadable: "it cannot be read",
    too_large: "it is too large"
  },
  status: {
    empty: "nothing to trust",
    trusted: "trusted",
    unknown: "not trusted",
    changed: "changed since it was decided on: not trusted",
    declined: "declined: not trusted",
    unusable: "cannot be trusted as it is"
  },
  why: {
    unknown: "you have not trusted this directory",
    changed: "they changed since you decided on them",
    declined: "you declined to trust this directory",
    own_state: "claw's own state directory lies inside this one",
    problem: "they cannot be taken as they are"
  },
  notice: (files, why) => `going on without ${files}: ${why}. See: claw trust --list .`,
  question: (directory) => `Do you trust what ${directory} brings along?`,
  changed: "It changed since you decided on it.",
  keys: "y trust · n go on without it · e show it",
  answered: {
    trusted: "Trusted, as it is now. To take it back: claw trust --revoke",
    declined: "Going on without it. To change that: claw trust"
  },
  nothing: (directory) => `Nothing in ${directory} would take effect; there is nothing to trust.`,
  kept: (directory) => `${directory} is trusted, as it is now. To take it back: claw trust --revoke`,
  revoked: (directory) => `${directory} is no longer trusted.`,
  none: "no directory was decided on yet.",
  notKept: (directory) => `There is no answer for ${directory}. Try: claw trust --list`,
  damaged: (file) => `${file} holds no record that counts; nothing is trusted by it.`,
  doesNotLoad: (directory, why) => `${directory} is not trusted, for what it brings does not load: ${why}`,
  noText: "(not shown: no text, or too long)",
  runs: "and runs programs before or after calls, prompts and tasks (hooks)"
}

const zh: Texts = {
  does: {
    settings: "让 claw 在此更严格：模式、限制、询问或拒绝的规则",
    memory: "会告诉模型该做什么",
    skills: "会教给模型步骤，并带来相应的程序",
    commands: "会按名称提供提示",
    hooks: "设置会在特定时刻运行的程序",
    servers: "会启动程序或建立连接，以提供更多工具",
    environment: "会设置变量",
    grants: "会让调用无需询问即可执行"
  },
  taken: { trusted: "信任后生效", later: "此版本不读取", never: "从不读取工作区中的此文件" },
  problem: {
    link: "它是链接",
    not_a_file: "它不是普通文件或目录",
    unreadable: "无法读取",
    too_large: "过大"
  },
  status: {
    empty: "没有需要信任的内容",
    trusted: "已信任",
    unknown: "未信任",
    changed: "决定之后已更改：未信任",
    declined: "已拒绝：未信任",
    unusable: "按现状无法信任"
  },
  why: {
    unknown: "你尚未信任此目录",
    changed: "自你决定之后已更改",
    declined: "你拒绝了信任此目录",
    own_state: "claw 自己的状态目录位于此目录之内",
    problem: "无法按现状采用"
  },
  notice: (files, why) => `不使用 ${files}：${why}。查看：claw trust --list .`,
  question: (directory) => `是否信任 ${directory} 带来的内容？`,
  changed: "自你决定之后它已更改。",
  keys: "y 信任 · n 不使用它 · e 显示内容",
  answered: {
    trusted: "已按现状信任。撤销：claw trust --revoke",
    declined: "将不使用它。如需更改：claw trust"
  },
  nothing: (directory) => `${directory} 中没有会生效的内容，无需信任。`,
  kept: (directory) => `已按现状信任 ${directory}。撤销：claw trust --revoke`,
  revoked: (directory) => `不再信任 ${directory}。`,
  none: "尚未对任何目录作出决定。",
  notKept: (directory) => `没有关于 ${directory} 的决定。请尝试：claw trust --list`,
  damaged: (file) => `${file} 中没有有效的记录；不会据此信任任何内容。`,
  doesNotLoad: (directory, why) => `未信任 ${directory}，因为它带来的内容无法加载：${why}`,
  noText: "（未显示：不是文本或过长）",
  runs: "并在调用、提示和任务前后运行程序（hooks）"
}

export const trustTexts: Readonly<Record<Locale, Texts>> = { en, "zh-CN": zh }

/** A file that does not load is not trusted. */
const hasHooks = ({ kind, text = "" }: Offer): boolean => {
  try {
    const value: unknown = kind === "settings" ? JSON.parse(text.replace(/^\uFEFF/, "")) : undefined
    return typeof value === "object" && value !== null && Object.keys(value).includes("hooks")
  } catch {
    return false
  }
}

/** One line for one thing that a directory brings. */
export const offerLine = (offer: Offer, locale: Locale): string => {
  const { kind, path, problem, taken } = offer
  const text = trustTexts[locale]
  const becomes = problem === undefined ? text.taken[taken] : text.problem[problem]
  const does = hasHooks(offer) ? `${text.does[kind]}; ${text.runs}` : text.does[kind]
  return `  ${sanitise(path)}  ${does} (${becomes})`
}

const isSettled = (status: Status): status is "empty" | "trusted" => status === "empty" || status === "trusted"

/** What does not take effect here and why, in one sentence; `undefined` where everything does. */
export const untrustedNotice = ({ status, offers, why }: Standing, locale: Locale): string | undefined => {
  if (isSettled(status)) return undefined
  const text = trustTexts[locale]
  const files = offers.map(({ path }) => sanitise(path)).join(", ")
  const reason = status === "unusable" ? (why ?? "problem") : status
  const problem = offers.find((offer) => offer.problem !== undefined)?.problem
  return text.notice(files, reason === "problem" && problem !== undefined ? text.problem[problem] : text.why[reason])
}

/** The question, above its keys. */
export const questionLines = ({ workspace, offers, status }: Standing, locale: Locale): ReadonlyArray<string> => {
  const text = trustTexts[locale]
  return [
    text.question(sanitise(workspace)),
    ...offers.map((offer) => offerLine(offer, locale)),
    ...(status === "changed" ? [text.changed] : [])
  ]
}

const indented = (text: string): ReadonlyArray<string> =>
  sanitise(text)
    .trimEnd()
    .split("\n")
    .map((line) => `    ${line}`)

/** What stands in the files, for `e`. */
export const contentLines = ({ offers }: Standing, locale: Locale): ReadonlyArray<string> =>
  offers.flatMap(({ files, path, text = "" }) =>
    files === undefined
      ? [`  ${sanitise(path)}:`, ...indented(text)]
      : files.flatMap((file) => [
          `  ${sanitise(`${path}/${file.path}`)}:`,
          ...indented(file.text ?? trustTexts[locale].noText)
        ])
  )

export const recordLine = ({ at, path }: TrustRecord, status: Status, locale: Locale): string =>
  `${at.slice(0, 16).replace("T", " ")}  ${sanitise(path).replaceAll("\n", "⏎")}  ${trustTexts[locale].status[status]}`
