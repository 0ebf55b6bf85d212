/**
 * The commands of containers, clusters and hosts of code, as data (SECURITY P5, P8). Owns: the rows, as commandLevelRows has
 * those of package managers. Pure. Invariant: what a row does not name is granted word for word.
 */
import { each, type Level, lines, set } from "./commandLevel.ts"

export const SERVICE_LEVELS: ReadonlyArray<Level> = [
  {
    programs: set("docker podman nerdctl"),
    deep: set("image container volume network system context compose"),
    looks: new Set([
      ...set("ps images logs version info top port history stats diff"),
      ...each("image", "ls history"),
      ...each("volume", "ls"),
      ...each("network", "ls"),
      ...each("system", "df"),
      ...each("context", "ls show"),
      ...each("container", "ls logs top port diff stats"),
      ...each("compose", "ps ls logs version images top")
    ]),
    granted: lines(`docker ps -a
      docker images
      docker logs --tail 5 web
      podman ps
      docker compose ps
      docker image ls`),
    exactly: lines(`docker run x
      docker exec x sh
      docker build .
      docker rm x
      docker inspect x
      docker compose up
      docker compose -f x ps
      docker -H tcp://x ps
      docker ps --config x
      docker system prune
      docker evil`)
  },
  {
    programs: set("kubectl oc"),
    deep: set("config rollout auth"),
    looks: new Set([
      ...set("get describe logs top explain version cluster-info api-resources api-versions"),
      ...each("config", "current-context get-contexts get-clusters"),
      ...each("rollout", "status history"),
      ...each("auth", "can-i whoami")
    ]),
    more: { "*": /secret|-file=|:\/\//i },
    granted: lines(`kubectl get pods -A
      kubectl describe pod x
      kubectl logs x --tail=5
      kubectl config current-context`),
    exactly: lines(`kubectl delete pod x
      kubectl apply -f x
      kubectl exec x -- sh
      kubectl get secrets -o yaml
      kubectl get pods --kubeconfig=x
      kubectl get -f x
      kubectl config view
      kubectl evil`)
  },
  {
    programs: set("gh"),
    deep: set("pr issue run workflow release repo label cache ruleset auth"),
    looks: new Set([
      ...each("pr", "view list status diff checks"),
      ...each("issue", "view list status"),
      ...each("run", "view list"),
      ...each("workflow", "view list"),
      ...each("release", "view list"),
      ...each("repo", "view list"),
      "label list",
      "cache list",
      "auth status",
      "status",
      ...each("ruleset", "list view check")
    ]),
    more: { "*": /:\/\// },
    granted: lines(`gh pr view 5
      gh pr list --limit 5
      gh pr checks
      gh issue list -s open
      gh run view 5 --log
      gh auth status`),
    exactly: lines(`gh pr create
      gh pr merge 5
      gh api /user
      gh repo delete x
      gh pr view 5 --web
      gh pr list -R a/b
      gh auth token
      gh auth status -t
      gh extension install x
      gh evil
      gh pr view https://evil.example/a/b/pull/1`)
  }
]
