/**
 * Text inside a Markdown block as runs of one look each. Owns: what emphasis, code and links look like. The text is
 * safe already; nothing here adds a character that steers the terminal.
 */
import type { Token, Tokens } from "marked"
import type { Look } from "./Style.ts"
import type { Run } from "./Width.ts"

export type Looks = ReadonlyArray<Look>
export type StyledRun = Run<Looks>

export const plain: Looks = []

const entities: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
  "&nbsp;": " "
}
const decode = (text: string): string =>
  text.replaceAll(/&(?:amp|lt|gt|quot|#39|nbsp);/g, (name) => entities[name] ?? name)

/** Where a link leads: the host of an address, a path as it is. */
const target = (href: string): string => {
  const url = URL.parse(href)
  return url === null || url.host === "" ? href : url.host
}

const linkRuns = (token: Tokens.Link | Tokens.Image, looks: Looks, color: boolean): ReadonlyArray<StyledRun> => {
  const inner = token.tokens === undefined ? [] : inlineRuns(token.tokens, [...looks, "underline"], color)
  const text = inner.length > 0 ? inner : [{ text: decode(token.text), style: [...looks, "underline"] as Looks }]
  const shown = text.map((run) => run.text).join("")
  const place = target(token.href)
  if (place === "" || shown === token.href || `mailto:${shown}` === token.href) return text
  return [...text, { text: ` (${place})`, style: [...looks, "dim"] }]
}

/** Runs of a block's text; a hard break is a run `"\n"`. Without colour, code keeps its backticks. */
export const inlineRuns = (tokens: ReadonlyArray<Token>, looks: Looks, color: boolean): ReadonlyArray<StyledRun> =>
  tokens.flatMap((token): ReadonlyArray<StyledRun> => {
    switch (token.type) {
      case "strong":
        return inlineRuns(token.tokens ?? [], [...looks, "bold"], color)
      case "em":
        return inlineRuns(token.tokens ?? [], [...looks, "italic"], color)
      case "del":
        return inlineRuns(token.tokens ?? [], [...looks, "strikethrough"], color)
      case "codespan": {
        const text = String(token["text"]).replaceAll("\n", " ")
        return [color ? { text, style: [...looks, "cyan"] } : { text: `\`${text}\``, style: looks }]
      }
      case "br":
        return [{ text: "\n", style: looks }]
      case "link":
      case "image":
        return linkRuns(token as Tokens.Link | Tokens.Image, looks, color)
      case "checkbox":
        return [{ text: (token as Tokens.Checkbox).checked ? "☑ " : "☐ ", style: looks }]
      default: {
        const inner = "tokens" in token ? token.tokens : undefined
        if (inner !== undefined) return inlineRuns(inner, looks, color)
        const text = "text" in token ? String(token["text"]) : token.raw
        return [{ text: decode(text).replaceAll("\n", " "), style: looks }]
      }
    }
  })
