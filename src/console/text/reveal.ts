/**
 * Text that somebody decides about, with everything visible that a browser would hide. Pure. Invariants: what is visible
 * stays as it is; line ends stay line ends; no character can reorder or hide the ones around it.
 */
const HIDDEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu

const marked = (character: string): string =>
  `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`

export const reveal = (text: string): string => text.replace(HIDDEN, marked)
