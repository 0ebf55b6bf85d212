/**
 * One text for one JSON value: keys sorted by code unit, no white space. Digests of arguments are taken over it, so
 * that a grant and a permit mean the same value whatever order a model wrote its keys in.
 */
const write = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(write).join(",")}]`
  if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "null"
  const entries = Object.entries(value)
    .filter(([, v]) => v !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([k, v]) => `${JSON.stringify(k)}:${write(v)}`).join(",")}}`
}

export const stringify = (value: unknown): string => write(value)
