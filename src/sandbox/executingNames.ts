/**
 * Files by whose names others run code, or take what they run from (SECURITY P11), as data. Owns: the kinds of such names.
 * Does not own: how names are folded and what follows (controlPlane). Invariant: each kind carries examples that it must
 * know and must not, written as they may stand in a workspace; `controlPlane.test.ts` tries them all.
 */
export interface NameKind {
  readonly kind: string
  /** Folded names. */
  readonly files?: ReadonlySet<string>
  /** Of folded names. */
  readonly families?: ReadonlyArray<RegExp>
  /** Everything in a directory of this name, and the directory itself. */
  readonly directories?: ReadonlySet<string>
  /** Letter case counts: to the tool it does, and in small letters it is anybody's name. */
  readonly exactly?: ReadonlySet<string>
  /** From the root of the workspace, folded. */
  readonly below?: RegExp
  readonly yes: string
  readonly no: string
}

const names = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

export const NAME_KINDS: ReadonlyArray<NameKind> = [
  {
    kind: "editors",
    directories: names(".vscode .idea .devcontainer .zed .fleet .nvim .vs .run .sublime .metals .bloop .settings"),
    files: names(`.devcontainer.json .vimrc .exrc .nvimrc .nvim.lua .lvimrc .emacs .dir-locals.el .gdbinit .lldbinit
      .ycm_extra_conf.py .clangd .pdbrc`),
    families: [/\.(?:code-workspace|sublime-project|iml)$/],
    yes: ".vscode/settings.json .vscode/tasks.json .VSCode/launch.json .idea/runConfigurations/x.xml .devcontainer/Dockerfile sub/.exrc a.iml",
    no: "vscode/settings.json docs/idea.md vimrc.md settings/x"
  },
  {
    kind: "agents",
    directories: names(".claude .cursor .windsurf .codex .gemini .continue .roo .kiro .agents .clinerules"),
    files: names(".mcp.json mcp.json"),
    yes: ".mcp.json .claude/settings.json sub/.cursor/rules/x.mdc",
    no: "docs/agents/readme.md mcp.md src/claude.ts"
  },
  {
    kind: "JavaScript packages",
    directories: names(".yarn .husky .lefthook"),
    files: names(`.npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs .pnp.cjs .pnp.loader.mjs pnpm-workspace.yaml package.json
      bunfig.toml deno.json deno.jsonc import_map.json binding.gyp lerna.json nx.json turbo.json rush.json project.json
      .bowerrc package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb deno.lock`),
    yes: "package.json packages/a/package.json package-lock.json sub/yarn.lock bun.lockb .npmrc .yarn/releases/yarn.cjs",
    no: "docs/package.json.md package.ts lock.json docs/npmrc.md"
  },
  {
    kind: "JavaScript tools",
    files:
      names(`tsconfig.json jsconfig.json nodemon.json .babelrc .swcrc .nycrc .parcelrc .taprc .watchmanconfig tslint.json
      .dependency-cruiser.js vercel.json netlify.toml wrangler.toml wrangler.json wrangler.jsonc mocha.opts`),
    families: [
      /\.(?:config|conf|workspace|setup)\.[cm]?[jt]sx?$/,
      /^(?:babel|jest|vite|vitest|rollup|webpack|eslint|prettier|stylelint|postcss|tailwind|nest-cli|ava)\.config\.(?:json|ya?ml|toml)$/,
      /^\.(?:eslint|prettier|stylelint|mocha|lintstaged|husky|commitlint|release|postcss|babel|jest|nyc|c8|remark|parcel|puppeteer)rc(?:\..+)?$/,
      /^(?:gulpfile|gruntfile|jakefile|dangerfile|webpackfile|cakefile)(?:\..+)?$/,
      /^codegen\.ya?ml$/,
      /^\.markdownlint(?:-cli2)?\.(?:[cm]?js|jsonc?|ya?ml)$/,
      /^[tj]sconfig\..+\.json$/
    ],
    yes: "babel.config.json babel.config.js webpack.config.ts rollup.config.mjs vite.config.ts nodemon.json .babelrc.json .eslintrc.yml tsconfig.build.json Gulpfile.babel.js",
    no: "src/config.ts src/config/index.ts app.config.json test/setup.ts docs/eslint.md"
  },
  {
    kind: "Python",
    files:
      names(`pyproject.toml setup.py setup.cfg conftest.py pytest.ini .pytest.ini tox.ini noxfile.py manage.py tasks.py dodo.py
      fabfile.py conanfile.py .pylintrc pylintrc mypy.ini .mypy.ini .flake8 .coveragerc pipfile pipfile.lock poetry.lock
      poetry.toml pdm.lock pdm.toml uv.lock uv.toml hatch.toml pixi.toml pixi.lock environment.yml environment.yaml
      sitecustomize.py usercustomize.py pip.conf .pypirc .condarc snakefile .python-version`),
    families: [/^(?:requirements|constraints)(?:[-_.].+)?\.(?:txt|in)$/, /\.pth$/],
    yes: "uv.toml tests/conftest.py sitecustomize.py requirements.txt requirements-dev.txt uv.lock lib/x.pth SETUP.py",
    no: "docs/requirements.md src/setup_x.py test_conftest.py src/tasks/x.py"
  },
  {
    kind: "Ruby, PHP, Perl, Lua, R",
    files:
      names(`gemfile gemfile.lock rakefile guardfile capfile fastfile podfile podfile.lock brewfile vagrantfile .rspec
      .irbrc .pryrc .rubocop.yml .ruby-version config.ru composer.json composer.lock phpunit.xml phpunit.xml.dist
      phpstan.neon phpstan.neon.dist .php-cs-fixer.php rector.php .htaccess .user.ini php.ini makefile.pl build.pl cpanfile .proverc .luacheckrc
      .rprofile .renviron`),
    families: [/\.(?:gemspec|rake)$/],
    yes: "public/.htaccess .user.ini .Rprofile sub/.Renviron lib/tasks/db.rake Gemfile.lock x.gemspec composer.lock",
    no: "src/r.profile docs/rake.md gemfile.md"
  },
  {
    kind: "Rust, Go, Zig, Swift, Elixir, Haskell, OCaml",
    directories: names(".cargo"),
    files: names(`build.rs cargo.toml cargo.lock rust-toolchain rust-toolchain.toml go.mod go.sum go.work go.work.sum
      build.zig build.zig.zon mix.exs mix.lock package.swift package.resolved rebar.config stack.yaml cabal.project
      setup.hs dune dune-project`),
    families: [/\.(?:cabal|opam)$/],
    yes: "crates/a/build.rs .cargo/config.toml go.mod go.work Cargo.lock x.cabal lib/dune",
    no: "src/build.ts src/cargo.rs docs/go.md go/mod"
  },
  {
    kind: "JVM and .NET",
    directories: names(".mvn .gradle"),
    files: names(`build.sbt build.xml pom.xml mvnw mvnw.cmd gradlew gradlew.bat gradle.properties build.gradle
      build.gradle.kts settings.gradle settings.gradle.kts gradle-wrapper.properties gradle-wrapper.jar gradle.lockfile
      libs.versions.toml project.clj deps.edn build.clj bb.edn build.sc nuget.config packages.lock.json global.json
      dotnet-tools.json`),
    families: [/\.(?:csproj|fsproj|vbproj|props|targets|sbt)$/, /\.gradle(?:\.kts)?$/],
    yes: "gradle/wrapper/gradle-wrapper.properties gradle/wrapper/gradle-wrapper.jar NuGet.Config a.csproj project/plugins.sbt buildSrc/x.gradle",
    no: "gradle/readme.md docs/nuget.md src/pom.ts"
  },
  {
    kind: "build tools",
    files: names(`makefile gnumakefile justfile .justfile taskfile.yml taskfile.yaml cmakelists.txt cmakepresets.json
      cmakeuserpresets.json meson.build meson_options.txt configure configure.ac makefile.am makefile.in workspace.bazel
      build.bazel module.bazel workspace.bzlmod .bazelrc .bazelversion tiltfile earthfile skaffold.yaml sconstruct
      sconscript wscript xmake.lua premake5.lua build.ninja conanfile.txt vcpkg.json garden.yml devspace.yaml flake.nix
      flake.lock shell.nix default.nix devenv.nix devbox.json`),
    families: [/\.(?:mk|cmake|bzl)$/],
    exactly: names("BUILD WORKSPACE"),
    yes: "WORKSPACE pkg/BUILD Tiltfile Makefile sub/GNUmakefile x.mk CMakeLists.txt cmake/x.cmake rules.bzl",
    no: "build workspace docs/workspace.md src/build/x.ts makefile.md"
  },
  {
    kind: "containers and services",
    directories: names(".docker .terraform .ansible"),
    files: names(
      "dockerfile containerfile ansible.cfg helmfile.yaml .terraformrc terraform.rc fly.toml serverless.yml"
    ),
    families: [
      /^(?:docker-)?compose(?:[._-].+)?\.ya?ml$/,
      /^(?:dockerfile|containerfile)\./,
      /\.(?:dockerfile|containerfile)$/,
      /^procfile(?:\.(?!md$).+)?$/
    ],
    yes: "docker-compose.yml docker-compose.override.yml compose.dev.yaml Dockerfile.prod Procfile Procfile.dev ansible.cfg",
    no: "src/docker.ts docs/compose.md procfiles composes.yml"
  },
  {
    kind: "continuous integration",
    directories: names(".circleci .buildkite .semaphore .teamcity .woodpecker"),
    files:
      names(`.travis.yml .drone.yml .cirrus.yml .woodpecker.yml .woodpecker.yaml appveyor.yml .appveyor.yml cloudbuild.yaml
      cloudbuild.yml buildspec.yml codemagic.yaml bitrise.yml bitbucket-pipelines.yml action.yml action.yaml .build.yml
      .goreleaser.yml .goreleaser.yaml`),
    families: [/^jenkinsfile(?:\.(?!md$).+)?$/, /^(?:\.gitlab-ci|azure-pipelines)(?:[.-].+)?\.ya?ml$/],
    below: /^\.(?:github|gitea|forgejo)\/(?:workflows|actions|instructions|prompts|agents|chatmodes)(?:\/|$)/,
    yes: ".github/workflows/ci.yml .github/actions/x/action.yml Jenkinsfile .gitlab-ci.yml azure-pipelines.release.yml .gitea/workflows/x.yml",
    no: ".github/README.md docs/jenkinsfile.md sub/workflows/x.yml"
  },
  {
    kind: "hooks and environments",
    directories: names(".githooks .direnv .mise .bundle .pre-commit .asdf"),
    files: names(`.pre-commit-config.yaml .pre-commit-hooks.yaml .overcommit.yml .envrc .env .tool-versions .asdfrc
      .default-npm-packages .node-version .nvmrc .java-version .sdkmanrc .terraform-version`),
    families: [
      /^\.?lefthook(?:-local)?\.(?:ya?ml|toml|json)$/,
      /^\.?mise(?:\..+)?\.toml$/,
      /^\.env\.(?!(?:example|sample|template|dist)$)/
    ],
    yes: ".envrc .env.local mise.local.toml .mise.toml lefthook-local.yml .tool-versions .asdfrc .pre-commit-config.yaml",
    no: ".env.example env.ts docs/lefthook.md mise.md"
  },
  {
    kind: "version control",
    directories: names(".hg .jj"),
    files: names(".gitattributes .gitmodules .gitconfig .lfsconfig .hgsub"),
    yes: ".gitattributes sub/.gitmodules .jj/working_copy/type .hg/store/x",
    no: ".gitignore .hgignore docs/hg.md"
  },
  {
    kind: "shells and their programs",
    files:
      names(`.bashrc .bash_profile .bash_login .bash_logout .profile .zshrc .zshenv .zprofile .zlogin .kshrc .cshrc .tcshrc
      .inputrc .tmux.conf .screenrc .curlrc .wgetrc .netrc .psqlrc .sqliterc .ackrc .ripgreprc`),
    yes: ".bashrc sub/.zshenv .curlrc",
    no: "bashrc docs/profile.md"
  },
  {
    kind: "further tools that load a file by its name",
    files:
      names(`.eleventy.js gatsby-node.js gatsby-config.js gatsby-ssr.js gatsby-browser.js ember-cli-build.js angular.json
      cucumber.js testem.js wallaby.js plopfile.js .cspell.js .ncurc.js .ncurc.json simple-git-hooks.json
      .simple-git-hooks.json .release-it.json .oxlintrc.json jest-preset.js jest-preset.json cdk.json terragrunt.hcl
      pulumi.yaml firebase.json serverless.ts serverless.yaml serverless.js mkdocs.yml gunicorn.conf.py locustfile.py
      .php-cs-fixer.dist.php captainhook.json grumphp.yml .ghci hie.yaml .ocamlinit config.nims dub.json build.mill
      profiles.clj .gn kbuild bsdmakefile aclocal.m4 meson.options magefile.go .air.toml taskfile.dist.yml
      taskfile.dist.yaml .dir-locals-2.el .rvmrc .gitpod.yml .replit opencode.json opencode.jsonc crush.json .crush.json
      warp.md qwen.md .rules .bash_aliases .zlogout`),
    families: [/\.(?:tf|pbxproj|just)$/, /^nextflow\.config$/, /^\.?nextest\.toml$/],
    below: /^(?:docs|doc)\/(?:source\/)?conf\.py$|^tools\/bazel$/,
    exactly: names("BUCK"),
    yes: ".eleventy.js angular.json infra/main.tf docs/conf.py tools/bazel BUCK x.just A.xcodeproj/project.pbxproj opencode.json sub/.ghci serverless.ts WARP.md",
    no: "buck docs/conf.md src/main.ts tools/x src/conf.py docs/warp.txt"
  },
  {
    kind: "further tools of languages",
    files:
      names(`pytest.toml .pytest.toml tox.toml pylintrc.toml .pylintrc.toml phpcs.xml phpcs.xml.dist .phpcs.xml .phpcs.xml.dist
      ecs.php artisan thorfile berksfile appfile matchfile puppetfile steepfile .simplecov .vscode-test.mjs .vscode-test.js .vscode-test.cjs
      .iex.exs .formatter.exs .credo.exs latexmkrc .latexmkrc .perltidyrc .perlcriticrc _targets.r .octaverc docker-bake.hcl
      docker-bake.json eslint-local-rules.js eslint-local-rules.cjs .umirc.ts .umirc.js .sequelizerc knexfile.js knexfile.ts ormconfig.js
      ormconfig.ts ormconfig.json config-overrides.js .versionrc .versionrc.js .versionrc.cjs .versionrc.json .cz-config.js .czrc
      buildkite.yml .cirrus.star .drone.star .drone.jsonnet dagger.json concourse.yml tauri.conf.json tauri.conf.json5 ecosystem.json
      pm2.json .tmuxinator.yml .lando.yml wscript_build repo.bazel pkgbuild .gdbearlyinit .login .logout .direnvrc .tflint.hcl
      heroku.yml railway.json railway.toml render.yaml nixpacks.toml amplify.yml renovate.json renovate.json5 .renovaterc
      .renovaterc.json playbook.yml site.yml site.yaml nodemon.js .watchexec .sourcery.yaml .yamllint .sqlfluff meltano.yml
      dbt_project.yml samconfig.toml .textlintrc .textlintrc.js .textlintrc.json .nodemonrc .jsdoc.js .jsdoc.json jsdoc.json
      typedoc.js .busted ipython_config.py jupyter_config.py celeryconfig.py pdm_build.py schema.prisma shadow-cljs.edn
      guix.scm manifest.scm dprint.json entry_points.txt crowdin.yml codecov.yml .codecov.yml moon.yml .moon.yml project.yml .luarc.json`),
    families: [
      /^\.?graphqlrc(?:\..+)?$/,
      /^graphql\.config\..+$/,
      /^package@swift-.+\.swift$/,
      /\.(?:nix|pkr\.hcl|pkrvars\.hcl|tf\.json|tofu)$/,
      /^(?:renovate|turbo|moon)\.jsonc$/
    ],
    directories: names("buildsrc build-logic"),
    exactly: names("TARGETS"),
    below:
      /^(?:debian\/rules$|hooks\/(?:applypatch-msg|commit-msg|(?:pre|post)-[a-z-]+|prepare-commit-msg|update|fsmonitor-watchman)$|bin\/[^/.]+$)/,
    yes: "pytest.toml sub/.pytest.toml tox.toml Thorfile artisan .graphqlrc.js Package@swift-5.9.swift pkg/TARGETS buildSrc/src/A.kt debian/rules hooks/pre-commit bin/rails nix/x.nix prisma/schema.prisma x.egg-info/entry_points.txt typedoc.js infra/a.tf.json PKGBUILD _targets.R",
    no: "docs/pytest.md targets src/hooks/useState.ts src/bin/x.ts bin/readme.md docs/artisan.md hooks/useState.ts"
  },
  {
    // What begins with a dot at the root is a tool's, and what lies in it is what that tool does.
    kind: "directories of tools",
    below: /^\.(?!(?:github|gitea|forgejo|changeset|git)(?:\/|$))[^/]+\/./,
    yes: ".storybook/main.ts .vitepress/config.ts .opencode/agent/x.md .amazonq/rules/x.md .junie/guidelines.md .trae/x .helix/languages.toml .config/nextest.toml .config/mise/config.toml .idx/dev.nix",
    no: ".github/README.md .changeset/a.md .gitignore .editorconfig src/.hidden/x"
  }
]
