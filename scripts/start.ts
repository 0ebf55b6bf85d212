/**
 * `npm start [-- ARGUMENTS]`: claw from this checkout, built first where dist/ is missing or older than the sources.
 * The program runs in this process, so that the terminal and signals are its own.
 */
import { fileURLToPath, pathToFileURL } from "node:url"
import { buildIfStale } from "./build.ts"

const boot = fileURLToPath(new URL("../dist/claw.js", import.meta.url))

await buildIfStale({ quiet: false })
process.argv[1] = boot
await import(pathToFileURL(boot).href)
