/**
 * Commands that run a text in a form of their own: `alias`, `bind -x`, `vim -c '!…'`, `socat EXEC:…` (SECURITY P4). Owns: one
 * reader for each. Does not own: those that start another program behind their options (commandWrappers). Pure.
 * Invariant: a text that may be run is never left out; one that is none only makes the judgement stricter.
 */
import { literalWord, type ShellWord } from "./commandWords.ts"

interface Started {
  readonly commands: ReadonlyArray<ReadonlyArray<ShellWord>>
  readonly scripts: ReadonlyArray<ShellWord>
}

type Reader = (words: ReadonlyArray<ShellWord>) => Started

const scripts = (
  words: ReadonlyArray<ShellWord>,
  textsOf: (value: string, before: string) => ReadonlyArray<string>
): Started => ({
  commands: [],
  scripts: words
    .slice(1)
    .flatMap((word, at) =>
      textsOf(word.value, words[at]!.value).map((text) => ({ ...literalWord(text), why: word.why }))
    )
})

/** `alias r='rm x'` */
const alias: Reader = (words) =>
  scripts(words, (value) => {
    const [, text] = /^[^=\s]+=(.*)$/s.exec(value) ?? []
    return text === undefined ? [] : [text]
  })

/** `hash -p /bin/rm x`: `x` is that program from now on. */
const hash: Reader = (words) => ({
  scripts: [],
  commands: words.flatMap((word, at) => {
    const [, attached] = /^-[a-z]*p(.*)$/s.exec(word.value) ?? []
    if (attached === undefined || at === 0) return []
    const path = attached === "" ? words[at + 1] : { ...word, value: attached }
    return path === undefined ? [] : [[path]]
  })
})

/** `bind -x '"\C-x": rm x'`, and keys that type a line. */
const bind: Reader = (words) =>
  scripts(words, (value) => {
    const [, text] = /^[^:]*:\s*"?(.*?)"?$/s.exec(value) ?? []
    return text === undefined ? [] : [text.replace(/\\[nrmC]-?[jm]?$/, "")]
  })

/** `:!rm x`, `:%!rm`, `:r !rm x`, wherever the exclamation mark stands. */
const editor: Reader = (words) =>
  scripts(words, (value) => {
    const at = value.indexOf("!")
    return at < 0 || at === value.length - 1 ? [] : [value.slice(at + 1)]
  })

const ADDRESS = /(?:^|!!)(?:EXEC|SYSTEM|SHELL):("?)(.*)$/is

/** `EXEC:"rm x",pty` */
const socat: Reader = (words) =>
  scripts(words, (value) => {
    const [, , text] = ADDRESS.exec(value) ?? []
    if (text === undefined) return []
    return [...new Set([text, text.split(/[",]|!!/)[0]!])]
  })

/** `zip -T -TT 'rm x'` */
const zip: Reader = (words) =>
  scripts(words, (value, before) => {
    if (before === "-TT" || before === "--unzip-command") return [value]
    const [, attached] = /^-TT(.+)$/s.exec(value) ?? []
    return attached === undefined ? [] : [attached]
  })

const EDITORS = "vi vim nvim view ex vimdiff gvim rvim rview ed red".split(" ")

export const OTHER_READERS: Readonly<Record<string, Reader>> = {
  alias,
  hash,
  bind,
  socat,
  zip,
  ...Object.fromEntries(EDITORS.map((name) => [name, editor]))
}
