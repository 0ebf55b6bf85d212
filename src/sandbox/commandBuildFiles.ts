/**
 * The files that decide what build tools run, of many languages, as data (SECURITY P12, T3). Owns: their names and the options that
 * name further ones. Pure. Invariant: a name counts whether the file is there or not.
 */
import { files, list, type Manifest } from "./commandManifest.ts"

const GRADLE: Manifest = {
  files: list(`build.gradle build.gradle.kts settings.gradle settings.gradle.kts gradle.properties gradlew
    gradle/wrapper/gradle-wrapper.properties gradle/wrapper/gradle-wrapper.jar gradle/libs.versions.toml`),
  option: /^(?:-b|--build-file|-c|--settings-file|-I|--init-script)$/,
  below:
    /\.gradle(?:\.kts)?$|(?:^|\/)(?:gradle\.properties|libs\.versions\.toml)$|(?:^|\/)(?:buildSrc|build-logic|buildLogic)\/./
}
const MAVEN: Manifest = {
  files: list(
    ".mvn/extensions.xml .mvn/jvm.config .mvn/maven.config .mvn/wrapper/maven-wrapper.properties pom.xml mvnw"
  ),
  option: /^(?:-f|--file|-s|--settings|-gs|--global-settings|-t|--toolchains)$/,
  below: /(?:^|\/)(?:pom\.xml$|\.mvn\/.)/
}
const BAZEL: Manifest = {
  files: list("WORKSPACE WORKSPACE.bazel MODULE.bazel BUILD BUILD.bazel .bazelrc .bazelversion"),
  option: /^(?:--bazelrc)$/,
  below: /(?:^|\/)(?:BUILD|WORKSPACE|MODULE|REPO)(?:\.bazel|\.plz)?$|\.bzl$|\.bazelrc$|^tools\/bazel$/
}
export const OTHER_LANGUAGES: Readonly<Record<string, Manifest>> = {
  rake: {
    files: ["Rakefile", "rakefile", "Rakefile.rb", "rakefile.rb"],
    option: /^(?:-f|--rakefile)$/,
    language: "rb",
    below: /\.rake$/
  },
  rspec: { files: [".rspec", "spec/spec_helper.rb"], below: /(?:^|\/)(?:spec|rails)_helper\.rb$/ },
  rubocop: files(".rubocop.yml .rubocop_todo.yml"),
  guard: files("Guardfile"),
  cap: { files: ["Capfile"], below: /^config\/deploy(?:\.rb|\/.+)$|\.rake$/ },
  fastlane: files("fastlane/Fastfile Fastfile"),
  vagrant: files("Vagrantfile"),
  jekyll: { files: ["_config.yml"], below: /^_plugins\/./ },
  phpunit: files("phpunit.xml phpunit.xml.dist phpunit.dist.xml"),
  pest: files("phpunit.xml phpunit.xml.dist tests/Pest.php"),
  phpstan: files("phpstan.neon phpstan.neon.dist"),
  psalm: files("psalm.xml psalm.xml.dist"),
  "php-cs-fixer": files(".php-cs-fixer.php .php-cs-fixer.dist.php"),
  rector: files("rector.php"),
  mage: { files: ["magefile.go"], below: /(?:^|\/)magefiles?(?:\.go$|\/.)/ },
  "golangci-lint": files(".golangci.yml .golangci.yaml .golangci.toml .golangci.json"),
  air: files(".air.toml"),
  goreleaser: files(".goreleaser.yml .goreleaser.yaml"),
  buf: files("buf.yaml buf.gen.yaml buf.work.yaml"),
  mix: { files: ["mix.exs", "mix.lock"], below: /(?:^|\/)mix\.exs$|(?:^|\/)config\/[^/]+\.exs$/ },
  rebar3: files("rebar.config rebar.config.script"),
  zig: files("build.zig build.zig.zon"),
  dune: { files: ["dune-project", "dune"], below: /(?:^|\/)dune(?:-project|-workspace)?(?:\.inc)?$/ },
  cabal: { files: ["cabal.project", "Setup.hs"], below: /\.cabal$|(?:^|\/)Setup\.l?hs$/ },
  stack: { files: ["stack.yaml", "package.yaml"], below: /\.cabal$|(?:^|\/)(?:package\.yaml|Setup\.l?hs)$/ },
  lein: files("project.clj profiles.clj"),
  clojure: files("deps.edn build.clj"),
  clj: files("deps.edn build.clj"),
  bb: files("bb.edn"),
  sbt: { files: ["build.sbt", "project/build.properties"], below: /\.sbt$|^project\/./ },
  mill: files("build.mill build.sc"),
  ant: { files: ["build.xml", "build.properties"], option: /^-(?:f|file|buildfile)$/ },
  gradle: GRADLE,
  gradlew: GRADLE,
  mvn: MAVEN,
  mvnw: MAVEN
}

export const BUILDERS: Readonly<Record<string, Manifest>> = {
  make: {
    files: ["GNUmakefile", "makefile", "Makefile"],
    option: /^(?:-f|--file|--makefile)$/,
    language: "make",
    below: /(?:^|\/)(?:GNUmakefile|[mM]akefile)$|\.mk$/
  },
  just: {
    files: ["justfile", "Justfile", ".justfile", ".env"],
    option: /^(?:-f|--justfile)$/,
    below: /(?:^|\/)\.?justfile$|\.just$/i
  },
  task: {
    files: list("Taskfile.yml Taskfile.yaml Taskfile.dist.yml Taskfile.dist.yaml .env"),
    option: /^(?:-t|--taskfile)$/,
    below: /(?:^|\/)taskfile(?:[._-][\w.-]*)?\.ya?ml$/i
  },
  cmake: {
    files: ["CMakeLists.txt", "CMakePresets.json", "CMakeUserPresets.json"],
    option: /^(?:-P|-C|--preset)$/,
    below: /(?:^|\/)(?:CMakeLists\.txt|CMake(?:User)?Presets\.json|Makefile2?|build\.ninja)$|\.cmake(?:\.in)?$/
  },
  meson: {
    files: ["meson.build", "meson_options.txt", "meson.options"],
    option: /^--(?:cross|native)-file$/,
    below: /(?:^|\/)meson(?:\.build|_options\.txt|\.options)$/
  },
  ninja: { files: ["build.ninja"], option: /^-f$/, below: /\.ninja$/ },
  gn: { files: [".gn", "BUILD.gn"], below: /(?:^|\/)BUILD\.gn$|\.gni$/ },
  xmake: { files: ["xmake.lua"], below: /(?:^|\/)xmake\.lua$/ },
  premake5: files("premake5.lua"),
  bazel: BAZEL,
  bazelisk: BAZEL,
  buck: { files: [".buckconfig", "BUCK"], below: /(?:^|\/)(?:BUCK|TARGETS)(?:\.v2)?$|\.bzl$/ },
  pants: { files: ["pants.toml", "BUILD"], below: /(?:^|\/)BUILD(?:\.\w+)?$/ },
  xcodebuild: { files: ["project.pbxproj"], below: /\.(?:pbxproj|xcscheme|xcconfig)$/ },
  tilt: { files: ["Tiltfile"], option: /^(?:-f|--file)$/, below: /(?:^|\/)Tiltfile$/ },
  earthly: { files: ["Earthfile"], below: /(?:^|\/)Earthfile$/ },
  skaffold: { ...files("skaffold.yaml"), option: /^(?:-f|--filename)$/ },
  "pre-commit": files(".pre-commit-config.yaml"),
  lefthook: files("lefthook.yml .lefthook.yml lefthook-local.yml .lefthook-local.yml lefthook.toml lefthook.json"),
  direnv: { files: [".envrc"], language: "sh" },
  mise: {
    files: ["mise.toml", ".mise.toml", "mise.local.toml", ".tool-versions"],
    below: /^(?:\.config\/|\.)?mise(?:\/.|[.\w-]*\.toml$)/
  },
  foreman: { files: ["Procfile", ".env"], option: /^(?:-f|--procfile)$/ },
  overmind: { files: ["Procfile", ".env", ".overmind.env"], option: /^(?:-f|--procfile)$/ }
}
