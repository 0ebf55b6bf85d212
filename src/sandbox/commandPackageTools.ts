/**
 * The configurations of the tools of JavaScript packages, as data (SECURITY P12, T3). Owns: their names. Does not own: what
 * they pull in (commandSources, commandConfigured). Pure. Invariant: a stem stands for each ending that its tool takes.
 */
import { list, type Manifest } from "./commandManifest.ts"

/** `eslint.config` is a module, `.eslintrc` data or a module, `turbo.json` itself. */
const filesOf = (stem: string): ReadonlyArray<string> => {
  if (/\.(?:config|conf|workspace)$|^(?:gulp|grunt|Grunt|jake|plop)file$|^codegen$/.test(stem))
    return ["js", "mjs", "cjs", "ts", "mts", "cts", "json"].map((ending) => `${stem}.${ending}`)
  if (/^\..+rc$/.test(stem))
    return [stem, ...["json", "yml", "yaml", "js", "cjs", "mjs", "ts"].map((ending) => `${stem}.${ending}`)]
  return [stem]
}

/** Program → stems. */
const STEMS = `
  npx: .npmrc
  node:
  tsx: tsconfig.json
  ts-node: tsconfig.json
  deno: deno.json deno.jsonc import_map.json deno.lock
  eslint: eslint.config .eslintrc
  jest: jest.config babel.config .babelrc .swcrc
  vitest: vitest.config vite.config vitest.workspace postcss.config
  vite: vite.config postcss.config tailwind.config
  webpack: webpack.config babel.config .babelrc
  rollup: rollup.config
  rspack: rspack.config
  rsbuild: rsbuild.config
  babel: babel.config .babelrc
  swc: .swcrc
  mocha: .mocharc
  ava: ava.config
  nyc: nyc.config .nycrc
  c8: .c8rc .nycrc
  nodemon: nodemon.json
  playwright: playwright.config
  cypress: cypress.config
  wdio: wdio.conf
  tsc: tsconfig.json
  tsup: tsup.config
  prettier: .prettierrc .prettierrc.json5 .prettierrc.toml prettier.config .editorconfig
  stylelint: stylelint.config .stylelintrc
  postcss: postcss.config .postcssrc
  tailwindcss: tailwind.config
  commitlint: commitlint.config .commitlintrc
  lint-staged: lint-staged.config .lintstagedrc
  semantic-release: release.config .releaserc
  release-it: .release-it.json .release-it.js
  oxlint: .oxlintrc.json
  biome: biome.json biome.jsonc
  parcel: .parcelrc
  next: next.config
  nuxt: nuxt.config
  astro: astro.config
  svelte-kit: svelte.config vite.config
  vue-cli-service: vue.config babel.config
  gatsby: gatsby-config.js gatsby-node.js
  ng: angular.json
  metro: metro.config
  gulp: gulpfile
  grunt: gruntfile Gruntfile
  jake: jakefile Jakefile
  plop: plopfile
  nx: nx.json
  turbo: turbo.json
  lerna: lerna.json
  typedoc: typedoc.json typedoc.config
  knip: knip.json knip.config
  wrangler: wrangler.toml wrangler.json wrangler.jsonc
  graphql-codegen: codegen codegen.yml
  drizzle-kit: drizzle.config
  storybook: .storybook/main.ts .storybook/main.js .storybook/preview.ts .storybook/preview.js`

/** Further files, by name anywhere below. */
const BELOW: Readonly<Record<string, RegExp>> = {
  tsc: /(?:^|\/)tsconfig(?:[._-][\w.-]*)?\.json$/,
  nx: /(?:^|\/)project\.json$/,
  turbo: /(?:^|\/)turbo\.json$/,
  storybook: /^\.storybook\/./,
  eslint: /(?:^|\/)(?:\.eslintrc(?:\.\w+)?|eslint\.config\.\w+|package\.json)$/,
  prettier: /(?:^|\/)(?:\.prettierrc(?:\.\w+)?|prettier\.config\.\w+|package\.(?:json|yaml))$/,
  stylelint: /(?:^|\/)(?:\.stylelintrc(?:\.\w+)?|stylelint\.config\.\w+)$/,
  jest: /(?:^|\/)\.babelrc(?:\.\w+)?$/,
  vitest: /(?:^|\/)vi(?:te|test)\.(?:config|workspace)\.\w+$/
}

const row = (line: string): readonly [string, Manifest] => {
  const [name = "", stems = ""] = line.split(":")
  const files = stems.trim() === "" || name === "deno" ? list(stems) : list(stems).flatMap(filesOf)
  const below = Object.hasOwn(BELOW, name) ? BELOW[name] : undefined
  return [
    name,
    {
      files: [...files.filter((file) => file !== ""), ...(name === "deno" ? [] : ["package.json"])],
      ...(below && { below })
    }
  ]
}

export const PACKAGE_TOOLS: Readonly<Record<string, Manifest>> = Object.fromEntries(
  STEMS.trim()
    .split("\n")
    .map((line) => row(line.trim()))
)
