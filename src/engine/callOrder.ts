/** Which calls of one answer run beside each other. Pure. */
import type { Planned } from "./pairing.ts"

type Ready = Pick<Extract<Planned, { readonly kind: "ready" }>, "assessment">

/** True where `later` must wait for `earlier`: same path and one of them changes it, or one may touch anything. */
export const mustWait = (earlier: Ready, later: Ready): boolean => {
  if (earlier.assessment.opaque || later.assessment.opaque) return true
  if (earlier.assessment.risk === "safe" && later.assessment.risk === "safe") return false
  return earlier.assessment.paths.some((path) => later.assessment.paths.includes(path))
}
