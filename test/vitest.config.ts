import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

/** It takes minutes: begun last, one core would wait for it alone. */
const isLong = ({ moduleId }: TestSpecification): boolean => moduleId.endsWith("/test/kills/table.test.ts")

class LongFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const order = super.sort.bind(this)
    return (await order(files)).toSorted((a, b) => Number(isLong(b)) - Number(isLong(a)))
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
