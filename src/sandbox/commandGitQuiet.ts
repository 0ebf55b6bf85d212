/**
 * Words of git's looks that are known to show no contents (SECURITY T2, T6), as data. Owns: that list, and which names can
 * only mean a commit. Pure. Invariant: an option that is not listed shows contents, or answers questions about them (`-G`,
 * `-S`); a name that is not listed may be that of any object, whose contents no `--stat` keeps back.
 */
const set = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

const SUMMARIES = set("stat shortstat numstat name-only name-status summary dirstat quiet no-patch raw compact-summary")
const QUIET =
  set(`oneline graph no-graph decorate no-decorate decorate-refs all branches tags remotes reflog abbrev-commit
  no-abbrev-commit abbrev no-abbrev no-merges merges first-parent reverse date relative-date format pretty author committer
  grep invert-grep since until after before max-count skip follow color no-color cached staged no-renames find-renames
  find-copies diff-filter topo-order date-order author-date-order left-right left-only right-only cherry-pick cherry-mark
  cherry ancestry-path simplify-by-decoration simplify-merges full-history sparse dense no-walk parents children boundary
  exit-code no-ext-diff no-textconv porcelain short long branch untracked-files ignored ahead-behind no-ahead-behind
  show-stash column no-column show-signature notes no-notes mailmap no-mailmap use-mailmap encoding source walk-reflogs
  regexp-ignore-case extended-regexp fixed-strings perl-regexp all-match min-parents max-parents no-min-parents
  no-max-parents ignore-space-change ignore-all-space ignore-blank-lines ignore-submodules submodule root no-commit-id
  merge-base count objects relative no-relative minimal patience histogram diff-algorithm null end-of-options summary-limit
  numbered email group glob exclude log-size show-linear-break contains no-contains merged no-merged list verify points-at`)
/** Nothing of these shows, counts in contents or starts anything; `-n` and `-M` may have a number behind. */
const LETTERS = /^-(?:\d+|[niEFPgzrtsbwaqeuMCR]+(?:\d+%?)?)$/

const nameOf = (word: string): string | undefined => /^--([a-z][a-z-]*)(?:=|$)/s.exec(word)?.[1]

export const sumsUp = (word: string): boolean => word === "-s" || SUMMARIES.has(nameOf(word) ?? "")

export const isQuiet = (word: string): boolean => {
  if (!word.startsWith("-") || word === "-") return true
  const name = nameOf(word)
  return name === undefined ? LETTERS.test(word) : SUMMARIES.has(name) || QUIET.has(name)
}

/** `HEAD~2`, `main^`, `x^{commit}`: no file, tree or tag of one. */
export const isCommit = (word: string): boolean =>
  /^(?:HEAD|@)(?:@\{\d+\})?$/.test(word) || /^[\w./@-]+(?:[~^]\d*)+$/.test(word) || /^[\w./@-]+\^\{commit\}$/.test(word)

/** `HEAD:src/a.ts`: a file of a commit, which is judged by its path. */
export const isFileOf = (word: string): boolean => /^[^{}:\s]+:(?!\/)./.test(word)

/** A field of a reference that may be the text of a file to which a tag was given. */
export const tellsContents = (word: string): boolean => /%\(\*?(?:raw|contents|subject|body|trailers)/.test(word)
