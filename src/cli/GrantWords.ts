/**
 * A grant in words: what it covers, until when, from whom. Owns: the sentences in both languages; a raw matcher is for
 * programs. Pure. Invariant: whatever a grant holds, it is one line, and nothing in it can paint the terminal.
 */
import type { Grant } from "../domain/Approval.ts"
import type { Locale } from "./Commands.ts"
import { sanitise } from "./Sanitise.ts"
import { cut } from "./Width.ts"

const plain = (text: string, columns = 120): string => cut(sanitise(text).replaceAll("\n", "⏎"), columns)

const word = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)

/** What it covers. */
export const coverOf = ({ matcher, shown, tool_name }: Grant, locale: Locale): string => {
  const tool = plain(tool_name, 40)
  const about = shown === undefined ? "" : `: ${plain(shown)}`
  switch (matcher.kind) {
    case "command": {
      const argv = plain(matcher.argv.map(word).join(" "))
      return locale === "en" ? `commands that begin with ${argv}` : `以 ${argv} 开头的命令`
    }
    case "path":
      return locale === "en" ? `every ${tool} of ${plain(matcher.glob)}` : `对 ${plain(matcher.glob)} 的每次 ${tool}`
    case "reads":
      return locale === "en" ? "every command that only looks at the workspace" : "只查看工作区的每个命令"
    case "exact":
      return locale === "en" ? `exactly this ${tool} call${about}` : `仅此 ${tool} 调用${about}`
  }
}

/** Fewer characters of an id name it by chance. */
const ENOUGH = 6
const PREFIX = "grant_"

/**
 * The grants that a person names: by the id, by its beginning (six characters behind `grant_`, which may be left out), by
 * its end, or by the number at which they stand in a list. More than one: it must be said which.
 */
export const namedGrants = <G extends Pick<Grant, "grant_id">>(
  text: string,
  all: ReadonlyArray<G>,
  numbered = false
): ReadonlyArray<G> => {
  const whole = all.filter(({ grant_id }) => grant_id === text)
  if (whole.length > 0) return whole
  const at = numbered && /^[1-9]\d{0,3}$/.test(text) ? all[Number(text) - 1] : undefined
  if (at !== undefined) return [at]
  const bare = text.startsWith(PREFIX) ? text.slice(PREFIX.length) : text
  if (bare.length < ENOUGH) return []
  return all.filter(({ grant_id: id }) => id.startsWith(PREFIX + bare) || (bare === text && id.endsWith(bare)))
}

export const minute = (time: string): string => plain(time.slice(0, 16).replace("T", " "), 20)

/** Its id, what it covers, until when, and by whom. */
export const grantLine = (grant: Grant, locale: Locale): string => {
  const by =
    grant.by === undefined ? "" : locale === "en" ? `, by ${plain(grant.by, 40)}` : `，由 ${plain(grant.by, 40)} 授权`
  const until = locale === "en" ? `until ${minute(grant.expires_at)} UTC` : `至 ${minute(grant.expires_at)} UTC`
  const bound =
    grant.content === undefined
      ? ""
      : locale === "en"
        ? ", while the files that say what runs stay as they are"
        : "，且决定运行内容的文件不变"
  return `${plain(grant.grant_id, 60)}  ${coverOf(grant, locale)} (${until}${by}${bound})`
}
