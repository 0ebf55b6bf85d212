import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

/** They take minutes: begun last, one core would wait for them alone. */
const LONG = ["/test/kills/table.test.ts", "/test/console/browser.test.ts", "/test/e2e/"]
const rank = ({ moduleId }: TestSpecification): number => {
  const place = LONG.findIndex((part) => moduleId.includes(part))
  return place === -1 ? LONG.length : place
}

class LongFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b))
  }
}

export default defineConfig({
  test: {
    root: new URL("..", import.meta.url).pathname,
    include: ["test/**/*.test.ts"],
    setupFiles: ["test/setup.ts"],
    isolate: false,
    sequence: { sequencer: LongFirst },
    // Left alone it keeps one core free, and half of the tests wait for programs they have started.
    maxWorkers: Math.max(2, availableParallelism()),
    testTimeout: 20_000
  }
})
