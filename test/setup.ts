/**
 * Property tests look at new inputs on every machine but one: where a run decides whether work lands (CI), the inputs
 * are the same each time, so that a find is made by the person who looks and not by the next one who passes by.
 */
import * as fc from "fast-check"

if (process.env["CI"] !== undefined) fc.configureGlobal({ seed: 20_261_129 })
