/**
 * Colours for code as they come from the worker. Owns: the worker's life, and what was coloured before. Invariants: what
 * is coloured stays so while its block grows, so nothing flickers; without a worker code is plain and complete.
 */
import type { HighlightReply, HighlightRequest, Token } from "./highlightWorker.ts"
import { languageOf } from "./languageNames.ts"

export type Lines = ReadonlyArray<ReadonlyArray<Token>>

const MOST_KEPT = 300
const LONGEST = 200_000

const listeners = new Map<number, (reply: HighlightReply) => void>()
const finished = new Map<string, Lines>()
let worker: Worker | undefined
let blocks = 0

const theWorker = (): Worker => {
  if (worker !== undefined) return worker
  worker = new Worker(new URL("./highlightWorker.ts", import.meta.url), { type: "module" })
  worker.addEventListener("message", ({ data }: MessageEvent<HighlightReply>) => listeners.get(data.block)?.(data))
  return worker
}

const nameOf = (language: string, code: string): string => `${language}\n${code}`

/** One block of code, which may grow. `changed` is called when more of it has colours. */
export class Highlighting {
  lines: Lines = []
  private readonly block = ++blocks
  private asked: ReadonlyArray<string> = []
  private readonly language: string
  private readonly changed: () => void

  constructor(language: string, changed: () => void) {
    this.language = languageOf(language) ?? ""
    this.changed = changed
  }

  /** The code as it stands; of one that is not `whole` the last line is left out. */
  show(code: string, whole: boolean): void {
    if (this.language === "" || code.length > LONGEST || typeof Worker === "undefined") return
    const known = whole ? finished.get(nameOf(this.language, code)) : undefined
    if (known !== undefined) {
      this.lines = known
      return
    }
    const all = code.split("\n")
    const wanted = whole ? all : all.slice(0, -1)
    const goesOn = this.asked.every((line, i) => line === wanted[i])
    const from = goesOn ? this.asked.length : 0
    if (!goesOn) this.lines = []
    if (wanted.length <= from) return
    this.asked = wanted
    listeners.set(this.block, (reply) => this.hear(reply, whole ? code : undefined))
    const request: HighlightRequest = {
      block: this.block,
      language: this.language,
      from,
      lines: wanted.slice(from)
    }
    theWorker().postMessage(request, [])
  }

  end(): void {
    listeners.delete(this.block)
  }

  private hear({ from, lines }: HighlightReply, whole: string | undefined): void {
    this.lines = [...this.lines.slice(0, from), ...lines]
    if (whole !== undefined && this.lines.length === this.asked.length) {
      finished.set(nameOf(this.language, whole), this.lines)
      if (finished.size > MOST_KEPT) finished.delete(finished.keys().next().value ?? "")
    }
    this.changed()
  }
}
