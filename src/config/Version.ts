/** The version of this program, as `package.json` says it; a test keeps the two equal. */
export const version = "0.1.0"
