/** Every text of the console: the shape that each language fills. The English table is the source of it. */
import type { en } from "./en.ts"

export type Words = typeof en
