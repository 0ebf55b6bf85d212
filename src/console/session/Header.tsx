/** A session's name, place, mode and model, and what can be done with it. */
import { PanelRight, X } from "lucide-react"
import { lazy, Suspense, useState } from "react"
import { money, pathTail, tokens } from "../text/format.ts"
import { named } from "../text/named.ts"
import { reveal } from "../text/reveal.ts"
import { useWords } from "../words/useWords.ts"
import { leftOf } from "../state/budgets.ts"
import type { Around } from "./commands.ts"
import { ModeChoice } from "./ModeChoice.tsx"
import { useSession, useView } from "./SessionContext.ts"

// Its menu is more than the rest of the head.
const Actions = lazy(() => import("./Actions.tsx"))

const Title = () => {
  const session = useSession()
  const words = useWords()
  const title = useView(({ status }) => status?.title ?? "")
  const [editing, setEditing] = useState<string>()
  const shown = named(title, words.untitled)
  const done = () => {
    if (editing !== undefined && editing.trim() !== "" && editing !== title) void session.rename(editing.trim())
    setEditing(undefined)
  }
  if (editing !== undefined)
    return (
      <input
        className="title-input"
        value={editing}
        maxLength={200}
        aria-label={words.rename}
        autoFocus
        onFocus={({ target }) => target.select()}
        onChange={({ target }) => setEditing(target.value)}
        onBlur={done}
        onKeyDown={({ key, nativeEvent }) => {
          if (nativeEvent.isComposing) return
          if (key === "Enter") done()
          if (key === "Escape") setEditing(undefined)
        }}
      />
    )
  return (
    <h1 className="title">
      <button type="button" title={words.rename} onClick={() => setEditing(title)}>
        <bdi>{shown}</bdi>
      </button>
    </h1>
  )
}

/** What may be spent still, where that is limited. */
const Left = ({ show }: { readonly show: () => void }) => {
  const words = useWords()
  const running = useView(({ doing }) => doing.left)
  const budgets = useView(({ status }) => status?.budgets)
  const left = running ?? leftOf(budgets ?? [])
  if (left === undefined) return null
  const parts = [
    ...(left.cost_usd === undefined ? [] : [money(left.cost_usd)]),
    ...(left.tokens === undefined ? [] : [words.tokenCount(tokens(left.tokens))])
  ]
  return (
    <button type="button" className="link-button left" title={words.budgetTitle} onClick={show}>
      {words.budgetLeft(parts.join(" · "))}
    </button>
  )
}

interface HeaderProps {
  readonly around: Around
  readonly close?: () => void
}

export const Header = ({ around, close }: HeaderProps) => {
  const words = useWords()
  const workspace = useView(({ status }) => status?.workspace ?? "")
  const model = useView(({ status }) => status?.model ?? "")
  return (
    <header className="pane-head">
      <div className="pane-name">
        <Title />
        <p className="place">
          <span title={reveal(workspace)}>{pathTail(workspace)}</span>
          {model === "" ? null : <span>{reveal(model)}</span>}
          <Left show={() => around.inspect("usage")} />
        </p>
      </div>
      <ModeChoice />
      <button
        type="button"
        className="icon-button"
        aria-label={words.inspect}
        title={words.inspect}
        onClick={() => around.inspect("permissions")}
      >
        <PanelRight aria-hidden size={18} />
      </button>
      <Suspense fallback={<span className="icon-button" aria-hidden />}>
        <Actions around={around} />
      </Suspense>
      {close === undefined ? null : (
        <button type="button" className="icon-button" aria-label={words.closePane} onClick={close}>
          <X aria-hidden size={18} />
        </button>
      )}
    </header>
  )
}
