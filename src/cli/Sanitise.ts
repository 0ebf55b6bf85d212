/**
 * Foreign text (the model's, a tool's, a file's) made safe for a terminal. Owns: which characters may pass.
 * Invariants: what comes out holds no control character but line break and tab, nothing invisible and nothing that
 * reorders; each character taken out leaves its code point visible; how the text was cut into chunks changes nothing
 * (LESSONS 29). Escape sequences are not understood, their first character is: what cannot be parsed cannot be missed.
 * What somebody is asked about is revealed: blanks that are no space and piled-up marks show too, and nothing that
 * stands in the text looks like an escape. Revealing is for raw text; what was made safe before would change again.
 */

// Controls, formats (bidi among them), line separators, lone surrogates, and all that is drawn as nothing.
const suspicious = /[[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]--[\n\t]]/gv

// In a question besides: blanks that are no space, and marks on top of two others.
const blanks = String.raw`\p{Zs}\u{2800}\u{fffc}\u{1d159}`
const piled = String.raw`(?<=\p{M}{2})\p{M}`
const hidden = new RegExp(
  `[[${blanks}\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}]--[\\n\\t ]]|${piled}`,
  "gv"
)
// Signs that stand for a break and a tab in a line.
const BREAK = "⏎"
const TAB = "⇥"
const hiddenInLine = new RegExp(`[${BREAK}${TAB}]|${hidden.source}`, "gv")

const pictographBefore = /\p{Extended_Pictographic}(?:\u{fe0f}|\p{Emoji_Modifier})?$/v
const pictographHere = /\p{Extended_Pictographic}$/v
const pictographNext = /^\p{Extended_Pictographic}/v
const keycapBefore = /[0-9#*]$/
// The three flags that emoji spell with tag characters.
const flag =
  /(?<=\u{1f3f4})\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}/gu

/** What may mean something else when more comes: half a pair, a return, a joiner, a selector, a begun flag. */
const undecided =
  /(?:\r|(?:\u200d|\ufe0f)[\ud800-\udbff]?|(?<!\udb40[\udc20-\udc7f])(?:\udb40[\udc20-\udc7f]){1,5}[\ud800-\udbff]?|[\ud800-\udbff]?)$/

// Longest context that decides about what follows: a pictograph and its modifier.
const CONTEXT = 4

const escape = (character: string): string => {
  const code = character.codePointAt(0) ?? 0
  return code <= 0xff ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u{${code.toString(16)}}`
}

/** Whether an invisible character is a part of an emoji that stands there. */
const ofEmoji = (character: string, before: string, after: string): boolean => {
  if (character === "\u200d") return pictographBefore.test(before) && pictographNext.test(after)
  if (character === "\ufe0e") return pictographHere.test(before)
  if (character === "\ufe0f")
    return pictographHere.test(before) || (keycapBefore.test(before) && after.startsWith("\u20e3"))
  return false
}

const clean = (
  text: string,
  context: string,
  taken: RegExp = suspicious,
  plain: (text: string, before: "escape" | "text") => string = (part) => part
): string => {
  if (text.search(taken) === -1) return plain(text, "text")
  const whole = context + text
  const flags = new Set<number>()
  for (const { 0: tags, index } of whole.matchAll(flag)) for (let i = 0; i < tags.length; i += 2) flags.add(index + i)
  let out = ""
  let done = context.length
  for (const { 0: character, index } of whole.matchAll(taken)) {
    if (index < done) continue
    const next = index + character.length
    const before = whole.slice(Math.max(0, index - CONTEXT), index)
    const keep = flags.has(index) || ofEmoji(character, before, whole.slice(next, next + 2))
    const lineEnd = character === "\r" && whole[next] === "\n"
    const shown = keep ? character : lineEnd ? "" : escape(character)
    out += plain(whole.slice(done, index), shown.startsWith("\\") ? "escape" : "text") + shown
    done = next
  }
  return out + plain(whole.slice(done), "text")
}

export interface Sanitiser {
  /** The safe form of what is decided by now. */
  readonly push: (text: string) => string
  /** The rest; the text has ended. */
  readonly flush: () => string
}

/** For text that comes in chunks, cut anywhere. */
export const makeSanitiser = (): Sanitiser => {
  let context = ""
  let held = ""
  const release = (text: string): string => {
    const out = clean(text, context)
    context = (context + text).slice(-CONTEXT)
    return out
  }
  return {
    push: (chunk) => {
      const text = held + chunk
      const end = text.search(undecided)
      held = text.slice(end)
      return release(text.slice(0, end))
    },
    flush: () => {
      const rest = held
      held = ""
      const out = release(rest)
      context = ""
      return out
    }
  }
}

/** The safe form of a whole text. */
export const sanitise = (text: string): string => clean(text, "")

const lookAlike = /\\+(?=x[\da-f]{2}|u\{[\da-f]{1,6}\})/gi
const twice = (part: string): string => part + part

/** In front of an escape, or of what looks like one, backslashes are doubled: an odd number of them is an escape. */
const doubled = (part: string, before: "escape" | "text"): string => {
  const all = part.replace(lookAlike, twice)
  return before === "escape" ? all.replace(/\\+$/, twice) : all
}

/** The form in which something is asked about: unambiguous, and with nothing that only looks empty. */
export const reveal = (text: string): string => clean(text, "", hidden, doubled)

/** The same as one line: a break and a tab are signs of their own. */
export const revealLine = (text: string): string =>
  clean(text.replaceAll("\r\n", "\n"), "", hiddenInLine, doubled).replaceAll("\n", BREAK).replaceAll("\t", TAB)

/** The safe form as one line: line breaks and tabs are visible too. */
export const sanitiseLine = (text: string): string => sanitise(text).replaceAll("\n", "\\n").replaceAll("\t", "\\t")
