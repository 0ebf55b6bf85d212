/** One line of `claw doctor`. Owns: its shape; who looks at what is elsewhere. */

export interface Finding {
  readonly name: string
  readonly status: "ok" | "note" | "problem"
  readonly detail: string
  /** What `--fix` did. */
  readonly fixed?: string
}
