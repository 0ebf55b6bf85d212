/** Arguments, decision and result of a call. */
import { lazy, Suspense } from "react"
import { phaseOf } from "../state/callState.ts"
import type { CallItem } from "../state/items.ts"
import { callText, endingOf } from "../text/callText.ts"
import { CodeBlock } from "../text/CodeBlock.tsx"
import { useWords } from "../words/useWords.ts"
import { Decision } from "./Decision.tsx"
import { Inside, type RenderCall } from "./Inside.tsx"
import { Output } from "./Output.tsx"

const Diff = lazy(() => import("../text/Diff.tsx"))

const SHORT = 80

const Arguments = ({ call }: { readonly call: CallItem }) => {
  const { subject, rest } = callText(call.content)
  const language = call.tool_name === "bash" ? "bash" : ""
  return (
    <>
      {language === "bash" || subject.includes("\n") ? <CodeBlock code={subject} language={language} /> : null}
      <dl className="arguments">
        {rest.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              {value.includes("\n") || value.length > SHORT ? (
                <CodeBlock code={value} language={endingOf(subject)} />
              ) : (
                <code>{value}</code>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </>
  )
}

interface DetailsProps {
  readonly call: CallItem
  readonly renderCall: RenderCall
}

export const CallDetails = ({ call, renderCall }: DetailsProps) => {
  const words = useWords()
  const preview = call.request?.preview
  const diff = preview?.kind === "diff" ? preview : undefined
  const { inside } = call
  // What a subagent says stands in what it did.
  const isTold = inside !== undefined && (inside.background || inside.ended?.status === "completed")
  const text = isTold ? "" : (call.result?.result ?? (inside === undefined ? call.output : ""))
  return (
    <div className="call-details">
      {diff === undefined ? (
        inside === undefined ? (
          <Arguments call={call} />
        ) : null
      ) : (
        <Suspense fallback={<pre className="output">{diff.diff}</pre>}>
          <Diff diff={diff.diff} path={diff.path} />
        </Suspense>
      )}
      <Decision call={call} />
      {inside === undefined ? null : <Inside inside={inside} renderCall={renderCall} />}
      {text.trim() === "" ? null : <Output text={text} lines={30} live={phaseOf(call) === "running"} />}
      {call.result?.truncated === true ? <p className="quiet">{words.truncated}</p> : null}
    </div>
  )
}
