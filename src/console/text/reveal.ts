/**
 * Text of others, with everything visible that a browser would hide. Pure. Invariants: what is visible stays as it is;
 * line ends stay line ends; no character can reorder or hide the ones around it.
 */
const HIDDEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu

const marked = (character: string): string =>
  `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`

/** What turns the order of a line around, and controls that mean nothing. */
const TURNS = /(?![\n\t\r])[\p{Cc}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu

/** Prose: what joins letters and emoji stays, what changes their order is shown. */
export const inOrder = (text: string): string => text.replace(TURNS, marked)

/** What somebody decides about, or has decided about. */
export const reveal = (text: string): string => text.replace(HIDDEN, marked)
