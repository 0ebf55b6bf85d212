/**
 * How many wrong tokens an address may try (`bad_tokens_per_minute`). Pure but for its own map.
 * Invariants: an IPv6 host counts as its /64, since it owns all of that; memory is bounded, and the address that is
 * forgotten first is the one that has been silent longest. A right token is never refused here: whoever shares an
 * address with a guesser gets in all the same.
 */
const MINUTE = 60_000
const MOST_ADDRESSES = 10_000

interface Tries {
  readonly since: number
  count: number
}

/** The first 64 bits, written out. */
const networkOf = (address: string): string => {
  const [text = ""] = address.toLowerCase().split("%")
  if (!text.includes(":")) return text
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(text)?.[1]
  if (mapped !== undefined) return mapped
  const [head = "", tail] = text.split("::", 2)
  const before = head.split(":").filter((part) => part !== "")
  const after = (tail ?? "").split(":").filter((part) => part !== "")
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length)
  const all = [...before, ...Array.from({ length: zeros }, () => "0"), ...after]
  return all
    .slice(0, 4)
    .map((part) => Number.parseInt(part, 16).toString(16))
    .join(":")
}

/** Milliseconds until the address may try again where this one was too many; `undefined`: it was not. */
export const make = (perMinute: number) => {
  const addresses = new Map<string, Tries>()
  return (address: string, now: number): number | undefined => {
    const key = networkOf(address)
    const known = addresses.get(key)
    const tries = known !== undefined && now - known.since < MINUTE ? known : { since: now, count: 0 }
    tries.count += 1
    addresses.delete(key)
    addresses.set(key, tries)
    const oldest = addresses.keys().next()
    if (addresses.size > MOST_ADDRESSES && oldest.done !== true) addresses.delete(oldest.value)
    return tries.count > perMinute ? tries.since + MINUTE - now : undefined
  }
}
