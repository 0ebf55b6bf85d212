/**
 * What a model wrote, as text with structure. Owns: what of Markdown is shown. Invariants: nothing in it becomes HTML of
 * its own choosing, no image is fetched, a link says where it leads; of a growing text only the last blocks are drawn again,
 * and what is too long to be parsed is shown as it is.
 */
import { ImageOff } from "lucide-react"
import { type ComponentProps, memo, type ReactNode, useMemo, useRef, useState } from "react"
import ReactMarkdown, { type Components, type Options } from "react-markdown"
import remarkGfm from "remark-gfm"
import remend from "remend"
import { useWords } from "../words/useWords.ts"
import { type Blocks, type Chunk, chunks, definitions, split } from "./blocks.ts"
import { CodeBlock } from "./CodeBlock.tsx"
import { hostOf, safeLink } from "./links.ts"
import { inOrder } from "./reveal.ts"

const textOf = (node: ReactNode): string => {
  if (typeof node === "string" || typeof node === "number") return String(node)
  if (Array.isArray(node)) return node.map(textOf).join("")
  return ""
}

const Link = ({ href = "", children }: ComponentProps<"a">) => {
  const to = safeLink(href)
  if (to === "") return <>{children}</>
  const host = hostOf(to)
  return (
    <a href={to} target="_blank" rel="noopener noreferrer nofollow" title={to}>
      {children}
      {textOf(children).includes(host) ? null : " "}
      {textOf(children).includes(host) ? null : <span className="host">{host}</span>}
    </a>
  )
}

const Picture = ({ src, alt = "" }: ComponentProps<"img">) => {
  const words = useWords()
  const to = safeLink(typeof src === "string" ? src : "")
  return (
    <span className="picture">
      <ImageOff aria-hidden size={14} />
      {words.imageNotLoaded(alt)}
      {to === "" ? null : <Link href={to}>{hostOf(to)}</Link>}
    </span>
  )
}

const codeOf = (node: ReactNode): { readonly code: string; readonly language: string } => {
  const props = (node as { readonly props?: ComponentProps<"code"> } | null)?.props
  const language = /language-(\S+)/.exec(props?.className ?? "")?.[1] ?? ""
  return { code: textOf(props?.children).replace(/\n$/, ""), language }
}

/** The box of a task in a list; nobody can tick it, so it is no control. */
const Checked = ({ checked }: { readonly checked: boolean }) => {
  const words = useWords()
  return <span className="tick" role="img" data-checked={checked} aria-label={words.ticked(checked)} />
}

const componentsOf = (open: boolean): Components => ({
  a: ({ href, children }) => <Link {...(href === undefined ? {} : { href })}>{children}</Link>,
  img: ({ src, alt }) => (
    <Picture {...(typeof src === "string" ? { src } : {})} {...(alt === undefined ? {} : { alt })} />
  ),
  pre: ({ children }) => <CodeBlock {...codeOf(children)} open={open} />,
  table: ({ children }) => (
    <div className="table" tabIndex={0} role="group">
      <table>{children}</table>
    </div>
  ),
  input: ({ checked }) => <Checked checked={checked === true} />
})

const settled = componentsOf(false)
const growing = componentsOf(true)
const plugins: Options["remarkPlugins"] = [[remarkGfm, { singleTilde: false }]]

interface BlockProps {
  readonly text: string
  readonly links: string
  readonly open: boolean
}

const BlockText = memo(({ text, links, open }: BlockProps) => (
  <ReactMarkdown remarkPlugins={plugins} components={open ? growing : settled} urlTransform={safeLink}>
    {(open ? remend(text) : text) + (links === "" ? "" : `\n\n${links}`)}
  </ReactMarkdown>
))

interface ProseProps {
  readonly chunk: Chunk
  readonly links: string
  /** More may come. */
  readonly open: boolean
}

export const Prose = memo(({ chunk: { blocks }, links, open }: ProseProps) => (
  <div className="prose">
    {blocks.map(({ text, at, plain }, i) =>
      plain ? (
        <pre className="plain" key={at}>
          {inOrder(text)}
        </pre>
      ) : (
        <BlockText
          key={at}
          text={inOrder(text)}
          links={text.includes("]") ? inOrder(links) : ""}
          open={open && i === blocks.length - 1}
        />
      )
    )}
  </div>
))

const FEW = 3

/** A text of which the beginning is shown, or while more may come (`open`) the end, and all of it if it is asked for. */
export const Markdown = memo(({ text, open = false }: { readonly text: string; readonly open?: boolean }) => {
  const words = useWords()
  const [whole, setWhole] = useState(false)
  const before = useRef<{ readonly found: Blocks; readonly made: ReadonlyArray<Chunk> }>(undefined)
  const { made } = useMemo(() => {
    const found = split(text, before.current?.found)
    before.current = { found, made: chunks(found, before.current?.made) }
    return before.current
  }, [text])
  const links = useMemo(() => (open ? "" : definitions(text)), [text, open])
  const shown = whole ? made : open ? made.slice(-FEW) : made.slice(0, FEW)
  return (
    <>
      {shown.map((chunk) => (
        <Prose key={chunk.at} chunk={chunk} links={links} open={open && chunk === made.at(-1)} />
      ))}
      {made.length <= FEW ? null : (
        <button type="button" className="link-button" aria-expanded={whole} onClick={() => setWhole(!whole)}>
          {whole ? words.showLess : words.showAll}
        </button>
      )}
    </>
  )
})
