/**
 * What a command can reach (DESIGN §6). Owns: the section `isolation`, its defaults and bounds.
 * Invariant: a person's or an operator's alone; a workspace's file cannot name it (SECURITY P13).
 */
import { Schema } from "effect"
import { int, key } from "./schemaParts.ts"

export const isolationModes = ["auto", "required", "off"] as const

export const isolationDefaults = {
  mode: "auto",
  network: false,
  hosts: [],
  read: [],
  write: [],
  processes: 512,
  memory_mb: 8192,
  file_mb: 4096
} as const

const path = Schema.String.check(
  Schema.isMaxLength(4096),
  Schema.isPattern(/^\/+[^/]/, { message: "Expected an absolute path below the root" })
)
const host = Schema.String.check(
  Schema.isMaxLength(260),
  Schema.isPattern(/^(?:\*\.)?(?:[a-z\d_](?:[a-z\d_-]*[a-z\d_])?\.)+[a-z](?:[a-z\d-]*[a-z\d])?(?::[1-9]\d{0,4})?$/i, {
    message: "Expected the name of a host (example.com, *.example.com, example.com:8443), and no address"
  })
)
const paths = (description: string) => key(Schema.Array(path).annotate({ default: [] }), description)
const { file_mb, memory_mb, mode, network, processes } = isolationDefaults
const terabyte = 1_048_576

export const Isolation = Schema.Struct({
  mode: key(
    Schema.Literals(isolationModes).annotate({ default: mode }),
    "`auto` isolates commands where bubblewrap works, `required` runs none without it, `off` never isolates."
  ),
  network: key(Schema.Boolean.annotate({ default: network }), "Whether isolated commands reach the network."),
  hosts: key(
    Schema.Array(host).annotate({ default: [] }),
    "Hosts that isolated commands reach by HTTP and HTTPS where `network` is false; `*.` stands for every name below."
  ),
  read: paths("Absolute paths that are hidden by default and may be read all the same."),
  write: paths("Absolute paths outside the workspace that commands may write."),
  processes: int(16, 100_000, processes, "Processes and threads of one command at once."),
  memory_mb: int(
    0,
    terabyte,
    memory_mb,
    "Mebibytes of memory for a command, with its temporary files and shared memory; 0: no limit."
  ),
  file_mb: int(0, terabyte, file_mb, "Mebibytes of the largest file that a command may write; 0: no limit.")
})
