/**
 * The text being typed: a pure reducer over grapheme clusters. Owns: caret, kill and yank, history walk, layout.
 * Invariants: the caret stands between clusters; what is submitted is exactly what was typed or pasted; nothing here
 * knows a terminal.
 */
import { sanitise } from "./Sanitise.ts"
import { clusters, width } from "./Width.ts"

export interface Editor {
  /** Clusters before and behind the caret. */
  readonly before: ReadonlyArray<string>
  readonly after: ReadonlyArray<string>
  readonly killed: string
  /** 0: the draft; n: the nth newest entry of the history. */
  readonly back: number
  readonly draft: string
}

export const empty: Editor = { before: [], after: [], killed: "", back: 0, draft: "" }

export const textOf = (editor: Editor): string => editor.before.join("") + editor.after.join("")

/** Segments again, since a new mark may join the cluster before it. */
const make = (editor: Editor, before: string, after: string): Editor => ({
  ...editor,
  before: clusters(before),
  after: clusters(after)
})

export const withText = (editor: Editor, text: string): Editor => make(editor, text, "")

export const insert = (editor: Editor, text: string): Editor =>
  make({ ...editor, back: 0 }, editor.before.join("") + text, editor.after.join(""))

const isSpace = (cluster: string): boolean => /^\s+$/u.test(cluster)

/** How many clusters lie between the caret and the start of the word before it. */
const wordBefore = (before: ReadonlyArray<string>): number => {
  let i = before.length
  while (i > 0 && isSpace(before[i - 1] ?? "")) i--
  while (i > 0 && !isSpace(before[i - 1] ?? "")) i--
  return before.length - i
}

const wordAfter = (after: ReadonlyArray<string>): number => {
  let i = 0
  while (i < after.length && isSpace(after[i] ?? "")) i++
  while (i < after.length && !isSpace(after[i] ?? "")) i++
  return i
}

const lineBefore = (before: ReadonlyArray<string>): number => before.length - 1 - before.lastIndexOf("\n")

const lineAfter = (after: ReadonlyArray<string>): number => {
  const end = after.indexOf("\n")
  return end === -1 ? after.length : end
}

/** Moves the caret by `by` clusters, to the left where negative. */
const move = (editor: Editor, by: number): Editor => {
  const all = [...editor.before, ...editor.after]
  const at = Math.max(0, Math.min(all.length, editor.before.length + by))
  return { ...editor, before: all.slice(0, at), after: all.slice(at) }
}

const killBefore = (editor: Editor, count: number): Editor => {
  const at = editor.before.length - count
  return count === 0
    ? editor
    : { ...editor, before: editor.before.slice(0, at), killed: editor.before.slice(at).join("") }
}

const killAfter = (editor: Editor, count: number): Editor =>
  count === 0 ? editor : { ...editor, after: editor.after.slice(count), killed: editor.after.slice(0, count).join("") }

/** To the line above or below at the same column; `undefined` where there is none. */
const vertical = (editor: Editor, down: boolean): Editor | undefined => {
  const column = lineBefore(editor.before)
  if (down) {
    const rest = lineAfter(editor.after)
    if (rest === editor.after.length) return undefined
    const next = lineAfter(editor.after.slice(rest + 1))
    return move(editor, rest + 1 + Math.min(column, next))
  }
  const start = editor.before.length - column
  if (start === 0) return undefined
  const above = lineBefore(editor.before.slice(0, start - 1))
  return move(editor, -(column + 1 + Math.max(0, above - column)))
}

const walk = (editor: Editor, history: ReadonlyArray<string>, by: number): Editor => {
  const back = Math.max(0, Math.min(history.length, editor.back + by))
  if (back === editor.back) return editor
  const draft = editor.back === 0 ? textOf(editor) : editor.draft
  const text = back === 0 ? draft : (history[history.length - back] ?? "")
  return { ...withText(editor, text), back, draft }
}

const afterLine = (editor: Editor): number => lineAfter(editor.after)

const keys: Readonly<Record<string, (editor: Editor) => Editor>> = {
  backspace: (editor) => ({ ...editor, before: editor.before.slice(0, -1) }),
  "ctrl+h": (editor) => ({ ...editor, before: editor.before.slice(0, -1) }),
  delete: (editor) => ({ ...editor, after: editor.after.slice(1) }),
  "ctrl+d": (editor) => ({ ...editor, after: editor.after.slice(1) }),
  left: (editor) => move(editor, -1),
  "ctrl+b": (editor) => move(editor, -1),
  right: (editor) => move(editor, 1),
  "ctrl+f": (editor) => move(editor, 1),
  home: (editor) => move(editor, -lineBefore(editor.before)),
  "ctrl+a": (editor) => move(editor, -lineBefore(editor.before)),
  end: (editor) => move(editor, afterLine(editor)),
  "ctrl+e": (editor) => move(editor, afterLine(editor)),
  "alt+left": (editor) => move(editor, -wordBefore(editor.before)),
  "ctrl+left": (editor) => move(editor, -wordBefore(editor.before)),
  "alt+b": (editor) => move(editor, -wordBefore(editor.before)),
  "alt+right": (editor) => move(editor, wordAfter(editor.after)),
  "ctrl+right": (editor) => move(editor, wordAfter(editor.after)),
  "alt+f": (editor) => move(editor, wordAfter(editor.after)),
  "ctrl+w": (editor) => killBefore(editor, wordBefore(editor.before)),
  "alt+backspace": (editor) => killBefore(editor, wordBefore(editor.before)),
  "alt+d": (editor) => killAfter(editor, wordAfter(editor.after)),
  "ctrl+u": (editor) => killBefore(editor, lineBefore(editor.before)),
  "ctrl+k": (editor) => killAfter(editor, afterLine(editor)),
  "ctrl+y": (editor) => insert(editor, editor.killed),
  "alt+enter": (editor) => insert(editor, "\n"),
  "shift+enter": (editor) => insert(editor, "\n"),
  "ctrl+j": (editor) => insert(editor, "\n")
}

/** What a key does to the text; `undefined`: it is no editing key. */
export const press = (
  editor: Editor,
  key: { readonly name: string; readonly text: string },
  history: ReadonlyArray<string>
): Editor | undefined => {
  if (key.name === "up" || key.name === "ctrl+p") return vertical(editor, false) ?? walk(editor, history, 1)
  if (key.name === "down" || key.name === "ctrl+n") return vertical(editor, true) ?? walk(editor, history, -1)
  const edit = Object.hasOwn(keys, key.name) ? keys[key.name] : undefined
  if (edit !== undefined) return edit(editor)
  return key.text === "" ? undefined : insert(editor, key.text)
}

/** A trailing backslash before Enter asks for another line; the text without it, else `undefined`. */
export const continued = (editor: Editor): Editor | undefined =>
  editor.after.length === 0 && editor.before.at(-1) === "\\"
    ? insert({ ...editor, before: editor.before.slice(0, -1) }, "\n")
    : undefined

export interface Layout {
  readonly lines: ReadonlyArray<string>
  /** Where the caret stands: row of `lines`, column of the screen. */
  readonly row: number
  readonly column: number
}

const printable = /^[\x20-\x7e]$/
/** A cluster as it is drawn: what was pasted may hold controls and invisible characters. */
const shown = (cluster: string): string =>
  printable.test(cluster) ? cluster : cluster === "\t" ? "    " : sanitise(cluster)

/** The text as lines of at most `columns`, the first behind `prompt`, the others indented as far. */
export const layout = (editor: Editor, prompt: string, columns: number): Layout => {
  const indent = width(prompt)
  const room = Math.max(2, columns - 1)
  const lines: Array<string> = [prompt]
  let [used, row, column] = [indent, 0, indent]
  const all = [...editor.before, ...editor.after]
  const fresh = () => {
    lines.push(" ".repeat(indent))
    used = indent
  }
  for (const [i, cluster] of all.entries()) {
    if (cluster === "\n") {
      if (i === editor.before.length) [row, column] = [lines.length - 1, used]
      fresh()
      continue
    }
    const text = shown(cluster)
    if (used + width(text) > room) fresh()
    if (i === editor.before.length) [row, column] = [lines.length - 1, used]
    lines[lines.length - 1] += text
    used += width(text)
  }
  if (editor.after.length === 0) [row, column] = [lines.length - 1, used]
  return { lines, row, column }
}
