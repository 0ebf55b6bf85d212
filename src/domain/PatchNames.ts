/** The names in a unified diff, for people. Pure: libraries write every letter beyond ASCII as bytes, `\346\226\260`. */

/** What would break the line, be read as quoting, or is not seen stays quoted. */
const NEEDS_QUOTES = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}"\\]/u

/** The same diff with these names as they are, in the lines that name the file. */
export const withReadableNames = (diff: string, from: string, to: string): string =>
  NEEDS_QUOTES.test(from + to) ? diff : diff.replace(/^--- .*\n\+\+\+ .*(?=\n|$)/, () => `--- ${from}\n+++ ${to}`)
