/**
 * A unified diff as files with hunks, in the one form that the viewer's parser reads without doubt. Pure. Invariants:
 * what stands inside a hunk is never taken for a head; a name is kept as it is and given to no parser.
 */
export interface DiffFile {
  readonly path: string
  /** With a head of our own. */
  readonly text: string
  readonly added: number
  readonly removed: number
}

interface Draft {
  path: string
  lines: Array<string>
  added: number
  removed: number
}

const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/
const HEAD = "diff --git a/file b/file\n--- a/file\n+++ b/file\n"

const nameOf = (line: string): string => {
  const name = line.slice(4).split("\t", 1)[0] ?? ""
  return name.replace(/^"(.*)"$/, "$1").replace(/^[ab]\//, "")
}

class Reader {
  readonly files: Array<Draft> = []
  private old = 0
  private fresh = 0
  private from = ""

  line(line: string): void {
    if (this.old > 0 || this.fresh > 0 || line.startsWith("\\")) return this.inside(line)
    if (line.startsWith("--- ")) this.from = nameOf(line)
    else if (line.startsWith("+++ ")) {
      const to = nameOf(line)
      this.files.push({
        path: to === "/dev/null" || to === "dev/null" ? this.from : to,
        lines: [],
        added: 0,
        removed: 0
      })
    } else this.hunk(line)
  }

  private hunk(line: string): void {
    const found = HUNK.exec(line)
    if (found === null) return
    if (this.files.length === 0) this.files.push({ path: "", lines: [], added: 0, removed: 0 })
    this.old = Number(found[1] ?? 1)
    this.fresh = Number(found[2] ?? 1)
    this.files.at(-1)?.lines.push(line)
  }

  private inside(line: string): void {
    const file = this.files.at(-1)
    if (file === undefined) return
    file.lines.push(line)
    if (line.startsWith("+")) {
      this.fresh--
      file.added++
    } else if (line.startsWith("-")) {
      this.old--
      file.removed++
    } else if (!line.startsWith("\\")) {
      this.old--
      this.fresh--
    }
  }
}

export const diffFiles = (diff: string): ReadonlyArray<DiffFile> => {
  const reader = new Reader()
  for (const line of diff.split("\n")) reader.line(line)
  return reader.files
    .filter(({ lines }) => lines.length > 0)
    .map(({ path, lines, added, removed }) => ({ path, text: `${HEAD}${lines.join("\n")}\n`, added, removed }))
}
