/**
 * How the console is built and served while it is worked on. Owns: dist/console and the development server. Invariants:
 * no script or style stands inside the page, so that it runs under a strict content security policy; what the first
 * screen does not need is a file of its own.
 */
import react from "@vitejs/plugin-react"
import { defineConfig, type Plugin } from "vite"

/** Where `claw serve` listens; the development server speaks to it as a page of its own would. */
const server = "http://127.0.0.1:8081"
const forwarded = { target: server, changeOrigin: true, headers: { origin: server } }

/** Schemas of the rooms below are calls without effect: marked as such, what the page does not read is left out. */
const pureSchemas: Plugin = {
  name: "pure-schemas",
  enforce: "pre",
  transform: (code, id) =>
    /\/src\/(?:domain|protocol)\/[A-Za-z]+\.ts$/.test(id) && code.includes("Schema.")
      ? { code: code.replace(/(?<![\w.])Schema\.(?=[\w.]+\()/g, "/* @__PURE__ */ Schema."), map: null }
      : null
}

/**
 * What the first screen waits for comes in three files, which a browser fetches and reads side by side, and not in twenty.
 * `begin` runs as soon as it is there.
 */
const firstScreen = [
  {
    name: "begin",
    test: /\/console\/(?:begin|net\/api|shell\/(?:later|route))\.ts$|\/domain\/ErrorCode\.ts$/,
    priority: 3
  },
  { name: "react", tags: ["$initial" as const], test: /node_modules\/(?:react|react-dom|scheduler)\//, priority: 2 },
  { name: "first", tags: ["$initial" as const], priority: 1 }
]

export default defineConfig({
  root: import.meta.dirname,
  base: "/",
  plugins: [pureSchemas, react()],
  build: {
    outDir: "../../dist/console",
    emptyOutDir: true,
    target: "es2024",
    modulePreload: { polyfill: false },
    // A picture inside a stylesheet would need `data:` in the policy.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 900,
    rolldownOptions: {
      treeshake: { propertyReadSideEffects: false },
      output: { codeSplitting: { groups: firstScreen } }
    }
  },
  worker: { format: "es" },
  server: {
    port: 5173,
    strictPort: true,
    proxy: { "/api": forwarded, "/ws": { ...forwarded, ws: true, rewriteWsOrigin: true } }
  }
})
