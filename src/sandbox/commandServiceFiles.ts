/**
 * The files that decide what containers, clusters and clouds are told, as data (SECURITY P12, T3). Owns: their names and the options that
 * name further ones. Pure. Invariant: a name counts whether the file is there or not.
 */
import { files, list, type Manifest, set } from "./commandManifest.ts"

const COMPOSE = ["compose", "docker-compose"].flatMap((base) =>
  [base, `${base}.override`].flatMap((name) => [`${name}.yml`, `${name}.yaml`])
)
const IMAGES =
  /(?:^|\/)(?:(?:Docker|Container)file(?:\.[\w.-]*)?|(?:docker-)?compose(?:[._-][\w.-]*)?\.ya?ml|\.env(?:\.[\w.-]*)?|\.dockerignore|docker-bake(?:\.\w+)?\.(?:hcl|json))$|\.(?:docker|container)file$/i
const CONTAINERS: Manifest = { files: [...COMPOSE, ".env"], option: /^(?:-f|--file|--env-file)$/, below: IMAGES }
/** A container's own commands read none of it. */
const ENGINE: Manifest = { ...CONTAINERS, only: set("compose build buildx builder bake stack image kube play") }
const CLUSTER: Manifest = { files: [], option: /^(?:-f|--filename|-k|--kustomize)$/ }
const TERRAFORM: Manifest = {
  files: list("main.tf terraform.tfvars"),
  option: /^-(?:var-file|backend-config|chdir)$/,
  below: /\.(?:tf|tofu|tfvars|hcl)(?:\.json)?$/
}
const ANSIBLE: Manifest = {
  files: ["ansible.cfg"],
  words: /\.ya?ml$/,
  option: /^(?:-i|--inventory|-e|--extra-vars)$/,
  below:
    /\.ya?ml$|(?:^|\/)(?:library|module_utils|(?:action|filter|callback|lookup|test|vars|inventory|connection)_plugins|templates|files|hosts|inventory)(?:\/.|$)/
}
export const SERVICES: Readonly<Record<string, Manifest>> = {
  docker: ENGINE,
  podman: ENGINE,
  nerdctl: ENGINE,
  "docker-compose": CONTAINERS,
  "podman-compose": CONTAINERS,
  kubectl: CLUSTER,
  oc: CLUSTER,
  kustomize: { files: ["kustomization.yaml"], below: /(?:^|\/)kustomization\.ya?ml$/ },
  helm: {
    files: ["Chart.yaml", "values.yaml"],
    option: /^(?:-f|--values)$/,
    below: /(?:^|\/)(?:Chart\.yaml$|values[\w.-]*\.ya?ml$|templates\/.)/
  },
  helmfile: { files: ["helmfile.yaml"], option: /^(?:-f|--file)$/ },
  terraform: TERRAFORM,
  tofu: TERRAFORM,
  terragrunt: TERRAFORM,
  packer: { files: ["template.pkr.hcl"], below: /\.pkr(?:vars)?\.hcl(?:\.json)?$/ },
  pulumi: { files: ["Pulumi.yaml"], below: /^Pulumi\..+\.yaml$/ },
  "ansible-playbook": ANSIBLE,
  ansible: ANSIBLE,
  serverless: files("serverless.yml serverless.yaml serverless.ts serverless.js"),
  sam: files("template.yaml template.yml samconfig.toml"),
  cdk: files("cdk.json"),
  act: { files: [".actrc"], below: /^\.github\/workflows\/./ }
}
