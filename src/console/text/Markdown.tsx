/**
 * What a model wrote, as text with structure. Owns: what of Markdown is shown. Invariants: nothing in it becomes HTML of
 * its own choosing, no image is fetched, a link says where it leads; of a growing text only the last blocks are drawn again.
 */
import { ImageOff } from "lucide-react"
import { type ComponentProps, memo, type ReactNode, useMemo, useRef } from "react"
import ReactMarkdown, { type Components, type Options } from "react-markdown"
import remarkGfm from "remark-gfm"
import remend from "remend"
import { useWords } from "../words/useWords.ts"
import { type Blocks, definitions, split } from "./blocks.ts"
import { CodeBlock } from "./CodeBlock.tsx"
import { hostOf, safeLink } from "./links.ts"

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
  input: ({ checked }) => <input type="checkbox" checked={checked === true} readOnly disabled />
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

/** `open`: more may come. */
export const Markdown = memo(({ text, open = false }: { readonly text: string; readonly open?: boolean }) => {
  const before = useRef<Blocks>(undefined)
  const found = useMemo(() => split(text, before.current), [text])
  before.current = found
  const links = useMemo(() => (open ? "" : definitions(text)), [text, open])
  const { blocks } = found
  return (
    <div className="prose">
      {blocks.map(({ text: block, at }, i) => (
        <BlockText
          key={at}
          text={block}
          links={block.includes("]") ? links : ""}
          open={open && i === blocks.length - 1}
        />
      ))}
    </div>
  )
})
