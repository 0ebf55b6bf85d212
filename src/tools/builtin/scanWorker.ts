/**
 * The thread that runs a model's regular expression over files. A pattern can be made to run for ever; a thread can
 * be ended. Owns: opening (no link followed, still inside the root), matching line by line.
 * Its functions are handed to the thread as text, so that a bundle needs no second file: each may use nothing from
 * outside itself but its parameters.
 */
export interface ScanRequest {
  readonly root: string
  readonly files: ReadonlyArray<string>
  readonly source: string
  readonly flags: string
  /** `names`: the expression is for `names[i]`, not for what is in `files[i]`. */
  readonly mode: "content" | "files" | "count" | "names"
  readonly names?: ReadonlyArray<string>
  readonly context: number
  /** Rows (content) or files (the other modes) wanted. */
  readonly limit: number
  readonly maxFileBytes: number
  readonly lineChars: number
}

/** One message per file with a match, then one `done`. */
export type ScanMessage =
  | { readonly type: "file"; readonly path: string; readonly rows: ReadonlyArray<string>; readonly matches: number }
  | { readonly type: "done"; readonly skipped: number; readonly limited: boolean }

type Threads = Pick<typeof import("node:worker_threads"), "parentPort" | "workerData">
type Files = Pick<
  typeof import("node:fs"),
  "constants" | "closeSync" | "fstatSync" | "openSync" | "readFileSync" | "readlinkSync"
>

/** The text of a file; undefined where it is binary, too large, no regular file, or not where it seems to be. */
const readText = (fs: Files, request: ScanRequest, path: string): string | undefined => {
  const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = fs.constants
  const full = request.root === "/" ? `/${path}` : `${request.root}/${path}`
  let fd: number | undefined
  try {
    fd = fs.openSync(full, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    const stats = fs.fstatSync(fd)
    if (!stats.isFile() || stats.size > request.maxFileBytes) return undefined
    if (process.platform === "linux" && fs.readlinkSync(`/proc/self/fd/${fd}`) !== full) return undefined
    const bytes = fs.readFileSync(fd)
    return bytes.subarray(0, 8192).includes(0) ? undefined : bytes.toString("utf8").replace(/^\ufeff/, "")
  } catch {
    return undefined
  } finally {
    if (fd !== undefined) fs.closeSync(fd)
  }
}

/** `path:line:text` for a match, `path-line-text` around it, `--` between groups. */
const rowsOf = (
  request: ScanRequest,
  path: string,
  lines: ReadonlyArray<string>,
  hits: ReadonlyArray<number>
): Array<string> => {
  const shown = (line: string): string => {
    if (line.length <= request.lineChars) return line
    return `${line.slice(0, request.lineChars).toWellFormed()} [… ${line.length - request.lineChars} more characters]`
  }
  const rows: Array<string> = []
  const isHit = new Set(hits)
  let next = 0
  for (const hit of hits) {
    const from = Math.max(next, hit - request.context)
    if (rows.length > 0 && from > next && request.context > 0) rows.push("--")
    for (let at = from; at < Math.min(lines.length, hit + request.context + 1); at += 1) {
      const mark = isHit.has(at) ? ":" : "-"
      rows.push(`${path}${mark}${at + 1}${mark}${shown(lines[at] ?? "")}`)
      next = at + 1
    }
  }
  return rows
}

const scanMain = (threads: Threads, fs: Files, read: typeof readText, show: typeof rowsOf): void => {
  const request = threads.workerData as ScanRequest
  const regex = new RegExp(request.source, request.flags)
  const post = (message: ScanMessage) => threads.parentPort?.postMessage(message)
  const linesOf = (text: string): Array<string> => {
    const lines = text.split("\n").map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line))
    if (lines.at(-1) === "") lines.pop()
    return lines
  }
  const hitsOf = (lines: ReadonlyArray<string>, most: number): Array<number> => {
    const hits: Array<number> = []
    for (let at = 0; at < lines.length && hits.length < most; at += 1) {
      if (regex.test(lines[at] ?? "")) hits.push(at)
    }
    return hits
  }
  let skipped = 0
  let found = 0
  for (const [at, path] of (request.names === undefined ? [] : request.files).entries()) {
    if (found >= request.limit) break
    if (!regex.test(request.names?.[at] ?? "")) continue
    found += 1
    post({ type: "file", path, rows: [], matches: 1 })
  }
  for (const path of request.names === undefined ? request.files : []) {
    if (found >= request.limit) break
    const text = read(fs, request, path)
    if (text === undefined) {
      skipped += 1
      continue
    }
    const lines = linesOf(text)
    const most = request.mode === "files" ? 1 : request.mode === "count" ? Infinity : request.limit - found
    const hits = hitsOf(lines, most)
    if (hits.length === 0) continue
    found += request.mode === "content" ? hits.length : 1
    post({
      type: "file",
      path,
      rows: request.mode === "content" ? show(request, path, lines, hits) : [],
      matches: hits.length
    })
  }
  post({ type: "done", skipped, limited: found >= request.limit })
}

/** Each function stands for itself and is handed the others: no name has to survive a bundler. */
export const scanSource = `(${String(scanMain)})(require("node:worker_threads"), require("node:fs"), ${String(readText)}, ${String(rowsOf)})`
