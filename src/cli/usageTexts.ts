/** What is said of a command line that is not understood, in both languages. A suggestion has its own space before it. */
import type { Locale } from "./Commands.ts"

const en = {
  mean: (name: string) => ` Did you mean ${name}?`,
  asPrompt: (words: string) => ` To run a prompt: claw run "${words}".`,
  noCommand: (name: string, hint: string) => `There is no command "${name}".${hint} Try: claw --help`,
  noOption: (whose: string, name: string, hint: string) => `${whose} has no option ${name}.${hint}`,
  noValue: (flag: string) => `--${flag} takes no value.`,
  positive: (flag: string, value: string) =>
    `--${flag} takes a number above 0, not "${value}"; without it there is no limit.`,
  needsValue: (flag: string, value: string) => `--${flag} needs a value: --${flag} ${value}.`,
  oneOf: (flag: string, choices: string, hint: string) => `--${flag} is one of ${choices}.${hint}`,
  tooMany: (command: string, word: string) => `claw ${command} does not take "${word}". Try: claw ${command} --help`
}

const zh: typeof en = {
  mean: (name) => `是否指 ${name}？`,
  asPrompt: (words) => `要运行提示：claw run "${words}"。`,
  noCommand: (name, hint) => `没有命令“${name}”。${hint}请参阅：claw --help`,
  noOption: (whose, name, hint) => `${whose} 没有选项 ${name}。${hint}`,
  noValue: (flag) => `--${flag} 不接受值。`,
  positive: (flag, value) => `--${flag} 需要大于 0 的数字，而不是“${value}”；不给出则没有上限。`,
  needsValue: (flag, value) => `--${flag} 需要一个值：--${flag} ${value}。`,
  oneOf: (flag, choices, hint) => `--${flag} 只能是以下之一：${choices}。${hint}`,
  tooMany: (command, word) => `claw ${command} 不接受“${word}”。请参阅：claw ${command} --help`
}

export type UsageTexts = typeof en

export const usageTexts: Readonly<Record<Locale, UsageTexts>> = { en, "zh-CN": zh }
