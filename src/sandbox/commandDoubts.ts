/** Constructs of the shell that make a whole line ask, by the node of the syntax tree, and the one that is refused. Owns: the sentences. */
import { forEachChild, type SyntaxNode } from "unbash"

export const DOUBTS: Readonly<Record<string, string>> = {
  If: "has a condition",
  For: "has a loop",
  ArithmeticFor: "has a loop",
  Select: "has a loop",
  While: "has a loop",
  Function: "defines a function",
  Subshell: "has a subshell",
  BraceGroup: "has a group",
  Case: "has a case",
  Coproc: "starts a coprocess",
  TestCommand: "has a test expression",
  ArithmeticCommand: "evaluates arithmetic",
  Time: "times a command"
}

/** A function that starts itself in the background or twice in a pipe has no end (fork bomb). */
export const callsItself = ({ body, name }: Extract<SyntaxNode, { readonly type: "Function" }>): boolean => {
  const look = (inner: SyntaxNode, multiplied: boolean): boolean => {
    if (inner.type === "Command" && multiplied && inner.name?.value === name.value) return true
    const more = multiplied || inner.type === "Pipeline" || (inner.type === "Statement" && inner.background === true)
    let found = false
    forEachChild(inner, (child) => void (found ||= look(child, more)))
    return found
  }
  return look(body, false)
}
