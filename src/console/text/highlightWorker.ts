/**
 * Colours code beside the page, so that no grammar ever holds up typing. Owns: the highlighter and where each growing
 * block stands. Invariants: lines are coloured once, in order; a language that is not known gives no colours.
 */
import type { GrammarState, HighlighterCore } from "shiki/core"
import { createHighlighterCore, createCssVariablesTheme } from "shiki/core"
import { createJavaScriptRegexEngine } from "shiki/engine/javascript"
import { languageOf } from "./languageNames.ts"
import { languages } from "./languages.ts"

export interface HighlightRequest {
  readonly block: number
  readonly language: string
  /** Index of the first of `lines` in its block; 0 begins anew. */
  readonly from: number
  readonly lines: ReadonlyArray<string>
}

/** Pairs of text and the name of its colour; an empty name has none. */
export type Token = readonly [text: string, colour: string]

export interface HighlightReply {
  readonly block: number
  readonly from: number
  readonly lines: ReadonlyArray<ReadonlyArray<Token>>
}

const LONGEST_LINE = 2_000
const theme = createCssVariablesTheme({ name: "claw", variablePrefix: "--", fontStyle: false })

let highlighter: Promise<HighlighterCore> | undefined
const states = new Map<number, GrammarState>()

const ready = (): Promise<HighlighterCore> =>
  (highlighter ??= createHighlighterCore({
    themes: [theme],
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true })
  }))

/** `var(--token-keyword)` is `keyword`; text without a role has no name. */
const colourOf = (color: string | undefined): string => /^var\(--token-([a-z-]+)\)$/.exec(color ?? "")?.[1] ?? ""

const load = async (name: string): Promise<HighlighterCore | undefined> => {
  const language = languageOf(name)
  if (language === undefined) return undefined
  const made = await ready()
  if (!made.getLoadedLanguages().includes(language)) await made.loadLanguage(await languages[language]())
  return made
}

const colour = async ({ block, language, from, lines }: HighlightRequest): Promise<HighlightReply | undefined> => {
  const made = await load(language)
  if (made === undefined || lines.some((line) => line.length > LONGEST_LINE)) return undefined
  const known = from === 0 ? undefined : states.get(block)
  const options = {
    lang: languageOf(language) ?? "text",
    theme: "claw",
    ...(known === undefined ? {} : { grammarState: known })
  }
  const code = lines.join("\n")
  const tokens = made.codeToTokensBase(code, options)
  states.set(block, made.getLastGrammarState(code, options))
  if (states.size > 400) states.delete(states.keys().next().value ?? block)
  return {
    block,
    from,
    lines: tokens.map((line) => line.map(({ content, color }): Token => [content, colourOf(color)]))
  }
}

let queue: Promise<void> = Promise.resolve()

self.addEventListener("message", ({ data }: MessageEvent<HighlightRequest>) => {
  queue = queue.then(async () => {
    const reply = await colour(data).catch(() => undefined)
    if (reply !== undefined) self.postMessage(reply, { transfer: [] })
  })
})
