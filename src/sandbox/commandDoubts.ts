/** Constructs of the shell that make a whole line ask, by the node of the syntax tree. Owns: the sentences. */
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
