/** The question of a call, in its place in the conversation. */
import type { ApprovalRequest } from "../../domain/Approval.ts"
import { ApprovalCard } from "./ApprovalCard.tsx"
import { useSession, useView } from "./SessionContext.ts"

export const Approval = ({ request }: { readonly request: ApprovalRequest }) => {
  const session = useSession()
  const online = useView(({ link }) => link.kind === "ready")
  return (
    <ApprovalCard
      request={request}
      online={online}
      unsaid={(reason) => {
        if (session.store.getState().draft === "") session.edit(reason)
      }}
      answer={({ decision, ...more }) => session.answer(request.request_id, decision, more)}
    />
  )
}
