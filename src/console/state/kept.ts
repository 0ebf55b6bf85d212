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

export const kept = <A>(name: string, fallback: A): A => {
  try {
    const text = localStorage.getItem(PREFIX + name)
    return text === null ? fallback : (JSON.parse(text) as A)
  } catch {
    return fallback
  }
}
