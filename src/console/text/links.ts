/** Where a link of a model leads. Pure. Invariant: nothing but http, https and mailto is ever a link (R-XSS: model text). */
const SCHEMES: ReadonlySet<string> = new Set(["http:", "https:", "mailto:"])

/** Control characters and blanks hide a scheme from a person, and some browsers drop them. */
// eslint-disable-next-line no-control-regex
const HIDDEN = /[\u0000-\u0020\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/

const parse = (url: string): URL | undefined => (URL.canParse(url) ? new URL(url) : undefined)

/** The link as it may stand in the page; empty: it is none. */
export const safeLink = (url: string): string => {
  if (HIDDEN.test(url)) return ""
  const parsed = parse(url)
  return parsed !== undefined && SCHEMES.has(parsed.protocol) ? parsed.href : ""
}

/** Where it leads, for a person: the host as it is spelt in ASCII, so that no letter of another script passes for one. */
export const hostOf = (url: string): string => {
  const parsed = parse(url)
  if (parsed === undefined) return ""
  return parsed.protocol === "mailto:" ? parsed.pathname : parsed.host
}
