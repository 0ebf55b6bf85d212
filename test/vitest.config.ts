import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    root: new URL("..", import.meta.url).pathname,
    include: ["test/**/*.test.ts"],
    setupFiles: ["test/setup.ts"],
    isolate: false,
    // Left alone it keeps one core free, and half of the tests wait for programs they have started.
    maxWorkers: Math.max(2, availableParallelism()),
    testTimeout: 20_000
  }
})
