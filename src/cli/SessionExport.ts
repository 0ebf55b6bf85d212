/**
 * A stored conversation for readers: Markdown and a page of HTML (issue 5). Pure. Owns: how both look.
 * Invariants: the page loads nothing, runs nothing and holds no markup that came from the conversation; a fence in
 * Markdown is longer than any inside it; no text holds a control or an invisible character, or what `mask` knows.
 */
import type { SessionMeta } from "../store/SessionIndex.ts"
import type { Locale } from "./Commands.ts"
import { exportWords, type Fact, type Item, itemsOf } from "./exportItems.ts"
import { sanitise } from "./Sanitise.ts"

export interface Exported {
  readonly meta: SessionMeta
  readonly facts: ReadonlyArray<Fact>
  /** Takes out what is secret. */
  readonly mask: (text: string) => string
  readonly locale: Locale
}

const cleaning = ({ mask }: Exported) => {
  return (text: string): string => sanitise(mask(text))
}

const headOf = (exported: Exported, clean: (text: string) => string) => {
  const { meta, locale } = exported
  const words = exportWords[locale]
  const title = clean(meta.title).replaceAll(/\s+/g, " ").trim()
  const rows: ReadonlyArray<readonly [string, string]> = [
    [words.session, meta.session_id],
    [words.directory, clean(meta.workspace)],
    [words.created, meta.created_at],
    ...(meta.model === undefined ? [] : [[words.model, clean(meta.model)] as const])
  ]
  return { title: title === "" ? words.untitled : title, rows }
}

const longestRun = (text: string): number => Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length))

const fenced = (text: string, info = ""): string => {
  const fence = "`".repeat(Math.max(3, longestRun(text) + 1))
  return `${fence}${info}\n${text.replace(/\n$/, "")}\n${fence}`
}

const inline = (text: string): string => {
  const ticks = "`".repeat(longestRun(text) + 1)
  const one = text.replaceAll("\n", " ")
  return one.startsWith("`") || one.endsWith("`") ? `${ticks} ${one} ${ticks}` : `${ticks}${one}${ticks}`
}

const quoted = (text: string): string =>
  text
    .split("\n")
    .map((line) => `> ${line}`.trimEnd())
    .join("\n")

const ofItem = (item: Item, locale: Locale): string => {
  const words = exportWords[locale]
  switch (item.kind) {
    case "prompt":
      return `## ${words.prompt} · ${item.ts.slice(0, 16).replace("T", " ")}\n\n${fenced(item.text, "text")}`
    case "answer": {
      const thought = item.reasoning === "" ? "" : `${quoted(`${words.reasoning}: ${item.reasoning}`)}\n\n`
      return `${thought}${item.text}`.trimEnd()
    }
    case "call":
      return `**${inline(item.tool)}**\n\n${fenced(item.text, "json")}`
    case "result":
      return `${inline(item.tool)}: ${item.note}\n\n${fenced(item.text)}`
    case "note":
      return quoted(item.text)
  }
}

export const toMarkdown = (exported: Exported): string => {
  const clean = cleaning(exported)
  const { title, rows } = headOf(exported, clean)
  const items = itemsOf(exported.facts, clean, exported.locale).map((item) => ofItem(item, exported.locale))
  const plainTitle = title.replaceAll(/[\\`*_[\]<>#]/g, String.raw`\$&`)
  return `${[`# ${plainTitle}`, rows.map(([name, value]) => `- ${name}: ${inline(value)}`).join("\n"), ...items].join("\n\n")}\n`
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "")

const STYLE = `
body{font:16px/1.5 system-ui,sans-serif;max-width:54rem;margin:2rem auto;padding:0 1rem;color:#1b1b1b;background:#fff}
pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:.25rem 0;font:14px/1.45 ui-monospace,monospace}
section{border-left:3px solid #d0d0d0;padding:.1rem .8rem;margin:.8rem 0}
.prompt{border-color:#1f6feb}.answer{border-color:transparent}.result,.call{background:#f6f6f6}
.note{color:#666}h1{font-size:1.4rem}h2{font-size:.85rem;margin:0;color:#666}dt{float:left;clear:left;width:7rem;color:#666}
@media(prefers-color-scheme:dark){body{color:#ddd;background:#161616}.result,.call{background:#222}section{border-color:#444}}
`

const section = (item: Item, locale: Locale): string => {
  const words = exportWords[locale]
  const open = (title: string) =>
    `<section class="${item.kind}" id="e${item.seq}">${title === "" ? "" : `<h2>${escaped(title)}</h2>`}`
  switch (item.kind) {
    case "prompt":
      return `${open(`${words.prompt} · ${item.ts}`)}<pre>${escaped(item.text)}</pre></section>`
    case "answer": {
      const summary = `<summary>${escaped(words.reasoning)}</summary>`
      const thought =
        item.reasoning === "" ? "" : `<details>${summary}<pre class="note">${escaped(item.reasoning)}</pre></details>`
      return `${open("")}${thought}<pre>${escaped(item.text)}</pre></section>`
    }
    case "call":
      return `${open(item.tool)}<pre>${escaped(item.text)}</pre></section>`
    case "result":
      return `${open(`${item.tool}: ${item.note}`)}<pre>${escaped(item.text)}</pre></section>`
    case "note":
      return `${open("")}<pre>${escaped(item.text)}</pre></section>`
  }
}

/** One file that loads nothing; its policy forbids scripts even if one were in it. */
export const toHtml = (exported: Exported): string => {
  const { locale, facts } = exported
  const clean = cleaning(exported)
  const { title, rows } = headOf(exported, clean)
  const list = rows.map(([name, value]) => `<dt>${escaped(name)}</dt><dd>${escaped(value)}</dd>`).join("")
  return [
    "<!doctype html>",
    `<html lang="${locale}"><head><meta charset="utf-8">`,
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    `<meta name="viewport" content="width=device-width"><meta name="referrer" content="no-referrer">`,
    `<title>${escaped(title)}</title><style>${STYLE}</style></head><body>`,
    `<h1>${escaped(title)}</h1><dl>${list}</dl>`,
    ...itemsOf(facts, clean, locale).map((item) => section(item, locale)),
    "</body></html>",
    ""
  ].join("\n")
}
