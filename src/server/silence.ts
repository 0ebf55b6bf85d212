/**
 * How a socket was lost (SETTLED 1, 2). Owns: which failures mean that nobody answers any more.
 * Invariant: a reset is not one of them: only a peer's own system sends it, so it is the peer's close.
 */
const SILENT: ReadonlySet<string> = new Set(["ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH", "ENETDOWN"])

export const isSilence = (code: string | undefined): boolean => code !== undefined && SILENT.has(code)
