/**
 * What is known of programs, as data. Owns: which never get a prefix grant, which options write, start programs or
 * move the root, which words are text and no paths, which only read. Which programs may
 * have a prefix grant at all is commandKnown's to say; the options in `ANY_PROGRAM` ask whatever the program is (P5, P8).
 */
export interface Options {
  /** Long options, without dashes; an abbreviation of one counts. */
  readonly long: ReadonlyArray<string>
  /** Letters of short options, alone or in a cluster. */
  readonly short?: string
  /** Long options may have one dash (`go`, `java`). */
  readonly oneDash?: boolean
  /** Long options may have any number of dashes, abbreviated too (`npm`). */
  readonly anyDash?: boolean
  /** An option with the word behind it, in the forms that ask. */
  readonly forms?: RegExp
  /** Pairs of letters that ask only together; the long names of `LETTER_OF` count as theirs. */
  readonly together?: ReadonlyArray<string>
}

const set = (names: string): ReadonlySet<string> => new Set(names.split(/\s+/).filter((name) => name !== ""))
const list = (names: string): ReadonlyArray<string> => [...set(names)]

export const SHELLS = set("sh bash dash zsh ksh mksh ash fish csh tcsh rbash")

/** `python3.11` is `python`. */
export const plainName = (name: string): string => name.replace(/(?<=[a-z])[-.]?\d+(?:\.\d+)*$/, "")

const INTERPRETERS =
  set(`python pypy perl ruby node nodejs deno bun php lua luajit tclsh wish expect osascript pwsh powershell R Rscript
      julia java scala groovy kotlin elixir erl ghci guile awk gawk mawk nawk sed gsed ed ex red vi vim nvim nano emacs
      gdb lldb bc dc m4 jshell irb sqlite psql mysql tsx ts-node less more man info view
      gnuplot ipython xonsh nu elvish`)

/** Of their words some are code in a language of their own. */
export const isInterpreter = (name: string): boolean =>
  INTERPRETERS.has(name) || INTERPRETERS.has(plainName(name)) || name === "make" || name === "gmake"

const EXACT_ONLY: ReadonlyArray<readonly [ReadonlySet<string>, string]> = [
  [SHELLS, "a shell runs whatever it is given"],
  [INTERPRETERS, "an interpreter runs whatever it is given"],
  [
    set(`make gmake bmake cmake ninja meson just task rake ant gradle gradlew mvn mvnw bazel buck scons tox nox invoke
      npx pnpx bunx uvx pipx corepack lerna nx turbo pre-commit docker podman nerdctl kubectl helm vagrant terraform
      ansible ansible-playbook nix nix-shell nix-build nixos-rebuild guix brew systemctl systemd-run crontab at batch
      git-config tar bsdtar cpio zip unzip 7z ar rsync tee-exec entr direnv`),
    "it runs programs that its files or options name"
  ],
  [
    set(`ssh scp sftp mosh curl wget wget2 aria2c http https xh nc ncat netcat socat telnet ftp lftp openssl lynx w3m
      links elinks rclone aws gcloud az gh glab dig nslookup host ping`),
    "it reaches the network, and no host was named"
  ],
  [
    set("pkill killall kill skill xkill gpg ssh-keygen ssh-add ssh-agent security pass keyctl"),
    "it reaches processes or keys that are not the workspace's"
  ],
  [set("csplit ptx"), "it writes names that it makes up"]
]

export const exactOnly = (name: string): string | undefined =>
  EXACT_ONLY.find(([names]) => names.has(name) || names.has(plainName(name)))?.[1]

/** Builtins that change the shell for what follows, or run what they are given. */
export const SHELL_STATE =
  set(`alias unalias hash enable source . trap set shopt export declare typeset local readonly unset
  bind complete compgen compopt history fc read readarray mapfile getopts cd pushd popd dirs umask ulimit kill disown jobs
  fg bg wait suspend exit logout return let eval exec command builtin coproc break continue shift caller times`)

export const LETTER_OF: Readonly<Record<string, string>> = { dereference: "L", recursive: "R", archive: "a" }

/** Options that ask whatever the program is. */
export const ANY_PROGRAM: Options = {
  long: list(`exec execute eval script-shell shell pre plugin require loader import config config-file configfile rcfile
    init-file output output-file output-dir outdir out-dir outfile out-file output-directory directory chdir cwd root
    rootdir root-dir prefix basedir base-dir pager editor rsh rsync-path upload-pack receive-pack compress-program
    use-compress-program to-command checkpoint-action info-script new-volume-script in-place log-file save-to
    preprocessor hostname-bin node-options userconfig globalconfig manifest-path target-dir init-command run-cmd
    command cmd ext-diff textconv open-files-in-pager ignore-revs-file write delete fix`)
}

/** `--ignore-scripts=false`, `--ignore-scripts false` */
export const RUNS_SCRIPTS_AFTER_ALL = /^--?ignore-scripts(?:=(?!true$)|(?: (?:false|null|undefined|no|0)$))/

const CHECKS: Options = { long: list("check"), short: "c" }

export const OPTIONS: Readonly<Record<string, Options>> = {
  sort: { long: list("output compress-program temporary-directory files0-from"), short: "oT" },
  grep: { long: list("dereference-recursive"), short: "R" },
  egrep: { long: list("dereference-recursive"), short: "R" },
  fgrep: { long: list("dereference-recursive"), short: "R" },
  rg: { long: list("pre hostname-bin follow search-zip"), short: "Lz" },
  fd: { long: list("exec exec-batch follow base-directory search-path"), short: "xXLC" },
  fdfind: { long: list("exec exec-batch follow base-directory search-path"), short: "xXLC" },
  ag: { long: list("pager follow"), short: "f" },
  // A link below leads anywhere.
  ls: { long: [], together: ["LR"] },
  wc: { long: list("files0-from") },
  mv: { long: list("backup suffix"), short: "bS" },
  ln: { long: list("backup suffix"), short: "bS" },
  cp: { long: list("backup suffix"), short: "bS", together: ["LR", "Lr", "La"] },
  du: { long: list("dereference files0-from"), short: "L" },
  chown: { long: list("reference"), short: "L" },
  chgrp: { long: list("reference"), short: "L" },
  setfacl: { long: list("restore set-file modify-file remove-file logical"), short: "LMX" },
  setfattr: { long: list("restore") },
  // `-s` runs strip, `diff -l` runs pr.
  install: { long: list("strip strip-program backup suffix"), short: "bSs" },
  hostname: { long: list("file boot"), short: "Fb" },
  tree: { long: list("output"), short: "oRl" },
  date: { long: list("set"), short: "s" },
  file: { long: list("compile magic-file uncompress uncompress-noreport files-from"), short: "CmzZf" },
  // They read what the file names.
  md5sum: CHECKS,
  sha1sum: CHECKS,
  sha224sum: CHECKS,
  sha256sum: CHECKS,
  sha384sum: CHECKS,
  sha512sum: CHECKS,
  b2sum: CHECKS,
  cksum: CHECKS,
  // It has no end.
  tail: { long: list("follow retry"), short: "fF", forms: /^-\d+[a-z]*f/ },
  diff: { long: list("output paginate"), short: "l" },
  less: { long: list("log-file LOG-FILE lesskey-file"), short: "oOkt" },
  more: { long: [], short: "" },
  man: { long: list("pager html preprocessor"), short: "PHp" },
  xxd: { long: [], short: "r" },
  base64: { long: list("output"), short: "o" },
  base32: { long: list("output"), short: "o" },
  strings: { long: [], short: "" },
  split: { long: list("filter additional-suffix suffix-length"), short: "a" },
  shuf: { long: list("output"), short: "o" },
  ptx: { long: [], short: "" },
  yq: { long: list("inplace in-place split-exp split-exp-file from-file enable-system-operator"), short: "is" },
  jq: { long: list("from-file library-path"), short: "fL" },
  git: {
    long: list(`output ext-diff open-files-in-pager upload-pack receive-pack exec template strategy separate-git-dir git-dir
      work-tree super-prefix config repo`)
  },
  touch: { long: list("reference"), short: "" },
  chmod: { long: list("reference") },
  kill: { long: [] },
  which: { long: [] },
  printf: { long: [], short: "v" }
}

/** `find` words that only look (corpus B199): anything else that begins with a dash asks. */
export const FIND_LOOKS = set(`-name -iname -path -ipath -wholename -iwholename -regex -iregex -type -xtype -size -empty
  -mtime -atime -ctime -mmin -amin -cmin -newer -anewer -cnewer -user -group -uid -gid -nouser -nogroup -perm -readable
  -writable -executable -links -inum -maxdepth -mindepth -depth -d -prune -quit -print -print0 -printf -ls -not -and -or
  -a -o -true -false -daystart -mount -xdev -P -regextype -noleaf -ignore_readdir_race -warn -nowarn -samefile -newermt -newerct -newerat`)
/** Those that take the next word, whatever it looks like. */
export const FIND_VALUES =
  set(`-name -iname -path -ipath -wholename -iwholename -regex -iregex -type -xtype -size -mtime
  -atime -ctime -mmin -amin -cmin -newer -anewer -cnewer -user -group -uid -gid -perm -links -inum -maxdepth -mindepth
  -printf -regextype -samefile -newermt -newerct -newerat`)
const FIND_TEXT = set("-name -iname -path -ipath -wholename -iwholename -regex -iregex -printf -type -size -perm")

/** Their words are text, never paths. */
export const TEXT_ONLY = set("echo printf true false : seq basename dirname expr sleep test [ yes tr")
/** Their first plain word is a pattern, unless an option gives it. */
export const PATTERN_FIRST = set("grep egrep fgrep rg ag ack jq yq sed gsed awk gawk mawk nawk")
export const TEXT_OPTIONS: Readonly<Record<string, ReadonlySet<string>>> = {
  git: set("--message --author --grep --format --pretty --date --since --until --after --before --committer --trailer"),
  grep: set("-e --regexp --include --exclude --exclude-dir"),
  egrep: set("-e --regexp --include --exclude --exclude-dir"),
  fgrep: set("-e --regexp --include --exclude --exclude-dir"),
  rg: set("-e --regexp -g --glob --iglob -t -T --type"),
  head: set("-n -c"),
  tail: set("-n -c"),
  cut: set("-d -f -c"),
  sort: set("-t -k"),
  find: FIND_TEXT,
  date: set("-d --date"),
  sed: set("-e --expression"),
  tree: set("-I -P"),
  ls: set("-I --ignore --hide"),
  du: set("--exclude"),
  diff: set("-x --exclude -I"),
  fd: set("-E --exclude -e --extension"),
  fdfind: set("-E --exclude -e --extension"),
  python: set("-c"),
  node: set("-e --eval -p --print"),
  perl: set("-e -E"),
  ruby: set("-e"),
  gh: set("--body -b --title -t")
}

/** They change the files that their words name: the write rule judges those. */
export const WRITERS =
  set(`tee touch mkdir rmdir rm unlink mv cp ln install truncate shred chmod chown chgrp chattr setfattr
  setfacl dd split csplit mkfifo mknod patch sponge rename`)

const READ_ONLY =
  set(`cat head tail wc ls pwd echo printf true false : grep egrep fgrep rg ag stat file du df basename dirname
  realpath readlink sort cut tr nl tac rev comm diff cmp column fold paste expand unexpand date whoami id uname which type
  test [ seq sleep tree jq md5sum sha1sum sha256sum sha512sum cksum od hexdump strings find git sum hostname uniq xxd
  base64 base32 b2sum sha224sum sha384sum nproc free uptime ps`)
export const isReadOnlyProgram = (name: string): boolean => READ_ONLY.has(name)

/** Without a file they read what comes through the pipe, and write nothing but their output. */
const FILTERS = set(`cat head tail wc grep egrep fgrep sort uniq cut tr nl tac rev fold column expand unexpand paste`)
/** These words make them read files that no word names. */
const READS_FILES = /^(?:--files0-from|--rec|--deref|--dir|-[A-Za-z]*[rR])/
export const isFilter = (name: string, args: ReadonlyArray<string>): boolean =>
  FILTERS.has(name) && !args.some((word) => READS_FILES.test(word) && !(name === "sort" && /^-[A-Za-z]+$/.test(word)))
