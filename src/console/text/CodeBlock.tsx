/** A block of code with its language and a button that copies it. Invariant: the text shown is the text given. */
import { Check, Copy } from "lucide-react"
import { memo, useEffect, useLayoutEffect, useReducer, useRef, useState } from "react"
import { useWords } from "../words/useWords.ts"
import { CODE } from "./blocks.ts"
import { Highlighting, type Lines } from "./highlight.ts"

interface CodeProps {
  readonly code: string
  readonly language: string
  /** More may come. */
  readonly open?: boolean
}

/** What has colours by now; it grows behind the text. */
export const useColours = (language: string, code: string, open: boolean): Lines => {
  const [, changed] = useReducer((count: number) => count + 1, 0)
  const held = useRef<Highlighting>(undefined)
  useLayoutEffect(() => {
    const made = new Highlighting(language, changed)
    held.current = made
    return () => made.end()
  }, [language])
  // Before it is painted: what was coloured earlier comes back with its colours.
  useLayoutEffect(() => {
    const before = held.current?.lines
    held.current?.show(code, !open)
    if (held.current?.lines !== before) changed()
  }, [code, language, open])
  return held.current?.lines ?? []
}

const Line = memo(({ text, tokens }: { readonly text: string; readonly tokens: Lines[number] | undefined }) => {
  // A colour that belongs to another text than this one is none.
  const fits = tokens !== undefined && tokens.map(([part]) => part).join("") === text
  if (!fits) return text
  return tokens.map(([part, colour], i) =>
    colour === "" ? (
      part
    ) : (
      <span key={i} className={`tok-${colour}`}>
        {part}
      </span>
    )
  )
})

const Coloured = ({ code, language, open = false }: CodeProps) => {
  const colours = useColours(language, code, open)
  const lines = code.split("\n")
  return (
    <code>
      {lines.map((line, i) => (
        <span key={i}>
          <Line text={line} tokens={colours[i]} />
          {i < lines.length - 1 ? "\n" : ""}
        </span>
      ))}
    </code>
  )
}

/** Code beyond its bound has no colours: it is one text. */
const CodeText = (props: CodeProps) => {
  const { code } = props
  const long = code.length > CODE.chars || code.split("\n", CODE.lines + 2).length > CODE.lines + 1
  return long ? <code>{code}</code> : <Coloured {...props} />
}

export const CopyButton = ({ text }: { readonly text: string }) => {
  const words = useWords()
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), 1_500)
    return () => clearTimeout(timer)
  }, [copied])
  const copy = () =>
    void navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => {}
    )
  return (
    <button type="button" className="icon-button small" onClick={copy} aria-label={copied ? words.copied : words.copy}>
      {copied ? <Check aria-hidden size={14} /> : <Copy aria-hidden size={14} />}
    </button>
  )
}

export const CodeBlock = ({ code, language, open = false }: CodeProps) => (
  <figure className="code">
    <figcaption>
      <span>{language === "" ? "text" : language}</span>
      <CopyButton text={code} />
    </figcaption>
    {/* A keyboard scrolls what holds the focus. */}
    <pre tabIndex={0}>
      <CodeText code={code} language={language} open={open} />
    </pre>
  </figure>
)
