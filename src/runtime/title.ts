/** What a session is called until somebody names it: the first line of its first prompt, cut to what a list can show. */
const TITLE_CHARS = 80

export const titleOf = (content: string): string => {
  const line = content.trim().split("\n", 1)[0] ?? ""
  return line.length > TITLE_CHARS ? `${line.slice(0, TITLE_CHARS - 1).toWellFormed()}…` : line
}
