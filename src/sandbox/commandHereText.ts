/**
 * `"$(cat <<'EOF' … EOF)"`: a text of several lines, as people and models write it. Owns: in which form that is certainly
 * the text between, to every bash. Pure. Invariant: older versions look for the end of `$(…)` by counting quotes and
 * brackets in the text, too; a text that they could leave early is not literal.
 */
import type { WordPart } from "unbash"

/** Behind a quote up to its partner, and brackets that open before they close; `#`: to some the rest is a comment. */
const isBalanced = (text: string): boolean => {
  let open = 0
  for (let at = 0; at < text.length; at += 1) {
    const one = text[at]!
    if (one === "'" || one === '"') {
      at = text.indexOf(one, at + 1)
      if (at < 0) return false
    } else if (one === "(") open += 1
    else if (one === ")" && (open -= 1) < 0) return false
  }
  return open === 0
}

/** No word of it is run or put in, in whatever way it is read. */
const isInert = (text: string): boolean =>
  !/[$`\\\0]/.test(text) && isBalanced(text) && isBalanced(text.replace(/#[^\n]*/g, ""))

/** What the substitution certainly stands for; undefined: it is of another form. */
export const heldText = (part: WordPart): string | undefined => {
  if (part.type !== "CommandExpansion" || !part.text.startsWith("$(")) return undefined
  const [statement, ...more] = part.script?.commands ?? []
  if (statement === undefined || more.length > 0 || statement.background === true) return undefined
  const { command } = statement
  if (command.type !== "Command" || command.name?.text !== "cat") return undefined
  if (command.prefix.length > 0 || command.args.length > 0) return undefined
  const [only, ...others] = command.redirects
  if (only?.type !== "HereDoc" || others.length > 0 || only.operator !== "<<") return undefined
  if (only.descriptor !== undefined || only.delimiter?.quoted !== true || only.closing === undefined) return undefined
  if (!/^'\w+'$/.test(only.delimiter.text)) return undefined
  const text = only.body.text
  return isInert(text) ? text.replace(/(?<!\n)\n+$/, "") : undefined
}
