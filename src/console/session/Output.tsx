/** What a tool printed: its end while it runs, folded in the middle afterwards. Invariant: it is text and nothing else. */
import { useState } from "react"
import { folded } from "../text/callText.ts"
import { reveal } from "../text/reveal.ts"
import { useWords } from "../words/useWords.ts"

interface OutputProps {
  readonly text: string
  readonly lines: number
  readonly live?: boolean
}

/** Colours and movements of a terminal mean nothing here. */
const MOVEMENTS = new RegExp(`${String.fromCodePoint(0x1b)}\\[[0-9;?]*[ -/]*[@-~]`, "g")
const plain = (text: string): string => reveal(text.replace(MOVEMENTS, "").replaceAll("\r\n", "\n"))

export const Output = ({ text, lines, live = false }: OutputProps) => {
  const words = useWords()
  const [whole, setWhole] = useState(false)
  if (live) return <pre className="output live">{plain(text.trimEnd().split("\n").slice(-lines).join("\n"))}</pre>
  const clean = plain(text).trimEnd()
  const short = folded(clean, lines)
  return (
    <div className="output-box">
      <pre className="output" tabIndex={0}>
        {whole ? clean : short.text}
      </pre>
      {short.hidden === 0 ? null : (
        <button type="button" className="link-button" onClick={() => setWhole(!whole)} aria-expanded={whole}>
          {whole ? words.showLess : words.showHidden(short.hidden)}
        </button>
      )}
    </div>
  )
}
