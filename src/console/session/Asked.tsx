/** What is asked about: the command taken apart, the change as a diff, or the arguments; and why it asks. */
import { lazy, Suspense } from "react"
import type { ApprovalRequest } from "../../domain/Approval.ts"
import type { Explanation } from "../../domain/Explanation.ts"
import { callText } from "../text/callText.ts"
import { reveal } from "../text/reveal.ts"
import { useWords } from "../words/useWords.ts"

const Diff = lazy(() => import("../text/Diff.tsx"))

const Parts = ({ parts, line }: Pick<Explanation, "parts" | "line">) => {
  const words = useWords()
  const [only, ...others] = parts
  const telling = others.length > 0 || line.length > 0 || (only?.why.length ?? 0) > 0
  if (!telling) return null
  return (
    <ul className="parts">
      {parts.map((part, i) => (
        <li key={i} data-state={part.state}>
          <code>{reveal(part.words.join(" "))}</code>
          <span>
            {words.partState[part.state]}
            {part.why.length === 0 ? "" : `: ${part.why.map(words.reason).join(words.listComma)}`}
          </span>
        </li>
      ))}
      {line.map((why) => (
        <li key={why} data-state="asks">
          <span>{words.wholeLine(words.reason(why))}</span>
        </li>
      ))}
    </ul>
  )
}

const Preview = ({ request }: { readonly request: ApprovalRequest }) => {
  const { preview } = request
  if (preview?.kind === "diff")
    return (
      <Suspense fallback={<pre className="command">{reveal(preview.diff)}</pre>}>
        <Diff diff={preview.diff} path={preview.path} />
      </Suspense>
    )
  const text = preview?.kind === "command" ? preview.command : preview?.kind === "text" ? preview.text : request.content
  return (
    <pre className="command" tabIndex={0}>
      {preview === undefined ? callText(text).subject : reveal(text)}
    </pre>
  )
}

export const Asked = ({ request }: { readonly request: ApprovalRequest }) => {
  const words = useWords()
  return (
    <>
      {request.subagent === undefined ? null : <p className="quiet">{words.subagentAsks(reveal(request.subagent))}</p>}
      <p className="reason">{words.reason(request.reason)}</p>
      <Preview request={request} />
      {request.explanation === undefined ? null : (
        <Parts parts={request.explanation.parts} line={request.explanation.line} />
      )}
      {request.kind === "recovery" ? <p className="quiet">{words.recoveryHint}</p> : null}
    </>
  )
}
