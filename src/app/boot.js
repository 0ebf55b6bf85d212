#!/usr/bin/env node
/*
 * The executable: decides whether this Node can run claw, answers --version and --help, then loads the bundle.
 * Owns: the oldest syntax in the house, for it must be readable by a Node that can read nothing else here. CommonJS,
 * because that starts faster than a module and exists everywhere.
 * Invariants: nothing is loaded that the fast paths do not need; an unwritable cache never matters.
 * scripts/build.ts fills in BUILD; `help` is null where the sources have no help text yet.
 */
"use strict"
var SLOW_MS = 1500
var BUILD = { version: "0.0.0", node: "22.22.3", help: null }

function older(version, than) {
  var a = version.split(".")
  var b = than.split(".")
  for (var i = 0; i < 3; i++) {
    var difference = parseInt(a[i] || "0", 10) - parseInt(b[i] || "0", 10)
    if (difference !== 0) return difference < 0
  }
  return false
}

/* The rule of src/config: the first of these that is set decides. */
function locale() {
  var env = process.env
  var name = env.CLAW_LANG || env.LC_ALL || env.LC_MESSAGES || env.LANG || ""
  return /^zh/i.test(name) ? "zh-CN" : "en"
}

function say(descriptor, text) {
  try {
    require("fs").writeSync(descriptor, text)
  } catch (error) {
    if (error.code !== "EPIPE" && error.code !== "EAGAIN") throw error
    process.exitCode = process.exitCode || 1
  }
}

/* A checkout brings its own Node (`npm ci` installs it), so `claw` works there under an older one. */
function neighbour() {
  var fs = require("fs")
  var path = require("path")
  var home = path.join(__dirname, "..", "node_modules", "node")
  try {
    var version = JSON.parse(fs.readFileSync(path.join(home, "package.json"), "utf8")).version
    var file = path.join(home, "bin", process.platform === "win32" ? "node.exe" : "node")
    fs.accessSync(file, fs.constants ? fs.constants.X_OK : 1)
    return older(version, BUILD.node) ? undefined : file
  } catch (_) {
    return undefined
  }
}

/*
 * Costs a second process start, therefore only where this Node cannot run claw at all. Signals are caught before there
 * is a child: one that came in between would end this process and leave the child behind.
 */
function handOver(file) {
  var tty = require("tty")
  var child
  var early = []
  /* At a terminal Ctrl-C reaches the whole foreground group, the child too: passing it on would double it. */
  var atTerminal = tty.isatty(0) || tty.isatty(1) || tty.isatty(2)
  ;["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR2"].forEach(function (signal) {
    process.on(signal, function () {
      if (signal === "SIGINT" && atTerminal) return
      if (child) child.kill(signal)
      else early.push(signal)
    })
  })
  child = require("child_process").spawn(file, [__filename].concat(process.argv.slice(2)), { stdio: "inherit" })
  early.forEach(function (signal) {
    child.kill(signal)
  })
  child.on("error", function (error) {
    say(2, "claw: " + file + " could not be started (" + error.code + ").\n")
    process.exit(1)
  })
  child.on("exit", function (code, signal) {
    if (signal === null) process.exit(code)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}

function cacheDirectory() {
  var path = require("path")
  var xdg = process.env.XDG_CACHE_HOME
  var base = xdg && path.isAbsolute(xdg) ? xdg : path.join(require("os").homedir(), ".cache")
  return path.join(base, "claw", "compile")
}

/* A start that takes long says so to whoever watches; what comes behind loading has a word of its own (slowStart). */
function sayWhenSlow() {
  if (!require("tty").isatty(2)) return function () {}
  var timer = setTimeout(function () {
    say(2, locale() === "zh-CN" ? "claw：正在启动 …\n" : "claw: starting …\n")
  }, SLOW_MS)
  timer.unref()
  return function () {
    clearTimeout(timer)
  }
}

function load() {
  var loaded = sayWhenSlow()
  try {
    require("module").enableCompileCache(cacheDirectory())
  } catch (_) {
    /* A missing home or a full disk costs milliseconds, never the program. */
  }
  import("./claw.mjs").then(loaded, function (error) {
    loaded()
    var missing = error && error.code === "ERR_MODULE_NOT_FOUND"
    var detail = String((error && error.message) || error).split("\n")[0]
    say(2, "claw: " + (missing ? "the build is incomplete; run `npm run build`" : "cannot start: " + detail) + ".\n")
    process.exitCode = 1
  })
}

function main() {
  var first = process.argv.length === 3 ? process.argv[2] : ""
  if (first === "--version" || first === "-v") return say(1, "claw " + BUILD.version + "\n")
  if ((first === "--help" || first === "-h") && BUILD.help) return say(1, BUILD.help[locale()])
  if (!older(process.versions.node, BUILD.node)) return load()
  var file = neighbour()
  if (file) return handOver(file)
  var need = BUILD.node.split(".").slice(0, 2).join(".")
  say(
    2,
    "claw needs Node.js " +
      need +
      " or newer; this is " +
      process.versions.node +
      ". Install one from https://nodejs.org.\n"
  )
  process.exit(2)
}

main()
