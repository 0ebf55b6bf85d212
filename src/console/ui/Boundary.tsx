/** What is drawn where drawing failed: a sentence, and a way on. Invariant: no failure leaves an empty page. */
import { Component, type ReactNode } from "react"
import { useWords } from "../words/useWords.ts"

const Broken = () => {
  const words = useWords()
  return (
    <div className="empty" role="alert">
      <h1>{words.broken}</h1>
      <p>{words.brokenHint}</p>
      <button type="button" className="button primary" onClick={() => location.reload()}>
        {words.reload}
      </button>
    </div>
  )
}

interface BoundaryProps {
  /** Elsewhere it is tried anew. */
  readonly where?: string
  readonly children: ReactNode
}

interface BoundaryState {
  readonly failed: boolean
  readonly where: string | undefined
}

export class Boundary extends Component<BoundaryProps, BoundaryState> {
  constructor(props: BoundaryProps) {
    super(props)
    this.state = { failed: false, where: props.where }
  }

  static getDerivedStateFromError() {
    return { failed: true }
  }

  static getDerivedStateFromProps({ where }: BoundaryProps, now: BoundaryState): BoundaryState | null {
    return where === now.where ? null : { failed: false, where }
  }

  override render() {
    return this.state.failed ? <Broken /> : this.props.children
  }
}
