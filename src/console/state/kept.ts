/**
 * What this browser keeps between visits: drafts, prompts that the server has not confirmed, what was read, how it looks.
 * Invariants: a browser that keeps nothing (private mode, full) changes nothing but that; no secret is kept.
 */
const PREFIX = "claw."

export const keep = (name: string, value: unknown): void => {
  try {
    if (value === undefined) localStorage.removeItem(PREFIX + name)
    else localStorage.setItem(PREFIX + name, JSON.stringify(value))
  } catch {
    // Nothing is kept here; the page works without.
  }
}

/** What a person left here, as against how they like the page to look. */
const OWN = /^claw\.(?:(?:draft|outbox)\..+|seen|since)$/

export const forgetOwn = (): void => {
  try {
    for (const name of Object.keys(localStorage)) if (OWN.test(name)) localStorage.removeItem(name)
  } catch {
    // Nothing is kept here.
  }
}

/** Sessions of two people may have one id: somebody else finds nothing of who was here before. False: it is somebody else. */
export const keepFor = (who: string): boolean => {
  const before = kept<string | undefined>("who", undefined)
  const isSame = before === undefined || before === who
  if (!isSame) forgetOwn()
  keep("who", who)
  return isSame
}

export const kept = <A>(name: string, fallback: A): A => {
  try {
    const text = localStorage.getItem(PREFIX + name)
    return text === null ? fallback : (JSON.parse(text) as A)
  } catch {
    return fallback
  }
}
