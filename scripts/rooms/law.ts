/**
 * The law of the rooms as data: who may import whom, which packages belong where, how large things may grow.
 * ARCHITECTURE.md shows this table to people; `rules.ts` applies it. Nothing here is an exemption: a row says what a
 * room is for, and a case that does not fit means that the code or the design is wrong.
 */

/** Room → the rooms whose doors it may open. Types count too. */
export const rooms: Readonly<Record<string, ReadonlyArray<string>>> = {
  domain: [],
  protocol: ["domain"],
  config: ["domain"],
  observability: ["domain", "config"],
  sandbox: ["domain", "config", "observability"],
  provider: ["domain", "config", "observability"],
  tools: ["domain", "sandbox", "config", "observability"],
  approval: ["domain", "config", "observability"],
  context: ["domain", "sandbox", "config", "observability"],
  engine: ["domain", "provider", "tools", "approval", "context", "config", "observability"],
  store: ["domain", "config", "observability"],
  runtime: ["domain", "engine", "store", "approval", "sandbox", "config", "observability"],
  channel: ["domain", "protocol", "runtime", "approval", "config", "observability"],
  server: ["domain", "protocol", "channel", "runtime", "approval", "store", "config", "observability"],
  cli: ["domain", "runtime", "approval", "protocol", "store", "sandbox", "tools", "eval", "config", "observability"],
  console: ["domain", "protocol"],
  eval: ["domain", "engine", "provider", "runtime", "store", "config", "observability"],
  app: [
    "domain",
    "protocol",
    "config",
    "observability",
    "sandbox",
    "provider",
    "tools",
    "approval",
    "context",
    "engine",
    "store",
    "runtime",
    "channel",
    "server",
    "cli",
    "eval"
  ]
}

/** What a room's drivers may open beside its own room's row, door by door. */
export const driverDoors: Readonly<Record<string, ReadonlyArray<string>>> = {
  store: ["approval/GrantStore.ts", "approval/MemoryGrants.ts", "approval/Audit.ts", "approval/AuditLog.ts"]
}

/** The one public entry of the package. It belongs to `app` and is the only file that may re-export. */
export const entry = "src/index.ts"

/** Package (or its prefix up to `/`) → where under src/ it may be imported. Others are free. */
export const packages: ReadonlyArray<{
  readonly name: string
  readonly at: ReadonlyArray<string>
  readonly why: string
}> = [
  { name: "openai", at: ["provider/openai/"], why: "only its adapter knows a model SDK (R009, R098)" },
  { name: "node:sqlite", at: ["store/sqlite/"], why: "a database is a driver's secret (R006)" },
  { name: "node:child_process", at: ["sandbox/", "app/"], why: "processes are started in sandbox only (LESSONS 17)" },
  { name: "node:readline", at: ["cli/"], why: "the terminal has one reader, in cli (R008, LESSONS 50)" },
  { name: "node:tty", at: ["cli/"], why: "the terminal has one owner, in cli (R008, LESSONS 50)" },
  {
    name: "node:net",
    at: ["server/", "provider/openai/", "cli/", "sandbox/"],
    why: "sockets belong to transports (R014)"
  },
  { name: "@mariozechner/pi-tui", at: ["cli/"], why: "drawing belongs to cli (R010)" },
  { name: "marked", at: ["cli/", "console/"], why: "drawing belongs to cli and console (R010)" },
  { name: "react", at: ["console/"], why: "only the console renders in a browser" },
  { name: "react-dom", at: ["console/"], why: "only the console renders in a browser" },
  { name: "effect/cli", at: ["cli/", "app/"], why: "the command line belongs to cli (R002)" }
]

/** Rooms that also run in a browser: no `node:` module. */
export const browserRooms: ReadonlyArray<string> = ["domain", "protocol", "console"]

/**
 * Rooms that are a program of their own: nobody imports them, and their sub-folders order files and are no drivers. They
 * import no other packages than these.
 */
export const programs: Readonly<Record<string, ReadonlyArray<string>>> = {
  console: [
    "@base-ui/react",
    "@vitejs/plugin-react",
    "cmdk",
    "lucide-react",
    "react",
    "react-diff-view",
    "react-dom",
    "react-markdown",
    "remark-gfm",
    "remend",
    "shiki",
    "virtua",
    "vite",
    "wouter",
    "zustand"
  ]
}

/** Names that say nothing: a helper lives beside its only user, or becomes a concept of its own. */
export const namelessNames: ReadonlyArray<string> = ["utils", "util", "helpers", "helper", "shared", "common", "misc"]

/** Where under src/ a way out of the design's walls is the job itself. */
export const places = {
  run: ["app/"],
  env: ["config/", "app/boot.js"],
  console: ["app/", "cli/"],
  stdio: ["app/", "cli/"],
  stderr: ["app/", "cli/", "observability/"]
} as const

/** Files with a fork that outlives its scope, and why. It is empty and should stay so. */
export const detachedForks: Readonly<Record<string, string>> = {}

/** Lines, counted as `wc -l` does. */
export const limits = {
  source: 300,
  contract: 150,
  component: 150,
  test: 300,
  script: 300,
  function: 60,
  generator: 40
} as const
