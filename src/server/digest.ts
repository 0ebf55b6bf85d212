/** Secrets that live in this process only: made of 256 random bits, kept as digests, compared in constant time. */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto"

export const newSecret = (prefix = ""): string => prefix + randomBytes(32).toString("base64url")

export const digestOf = (secret: string): string => createHash("sha256").update(secret).digest("hex")

/** Whether `given` has this digest; in the same time for every secret that has not. */
export const matches = (given: string, digest: string): boolean =>
  timingSafeEqual(Buffer.from(digestOf(given), "latin1"), Buffer.from(digest, "latin1"))
