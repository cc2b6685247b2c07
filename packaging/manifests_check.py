"""The rules of packaging/compose.yaml and packaging/kubernetes.yaml, and what breaks them; see manifests-check."""

import functools
import json
import os
import re
import sys

import jsonschema
import kubernetes_validate
import yaml
from importlib.util import find_spec

FOLDER = os.path.dirname(os.path.abspath(__file__))
# The oldest that the manifest says, and the newest that the validator knows.
VERSIONS = ["1.25", kubernetes_validate.latest_version()]
# docs/service.md: `drain-seconds` is 10 at most; the disk needs the rest.
GRACE_SECONDS_MIN = 20
USER = 10001


def read(name):
    with open(os.path.join(FOLDER, name)) as file:
        return file.read()


def at(value, *path):
    """The value below keys and indices, or None."""
    for key in path:
        try:
            value = value[key]
        except (KeyError, IndexError, TypeError):
            return None
    return value


class Faults(list):
    """Sentences about what is wrong."""

    def expect(self, condition, sentence):
        if not condition:
            self.append(sentence)


def document_paths():
    """Paths that the API's document has."""
    return set(re.findall(r"^  (/\S+):$", read("../docs/openapi.yaml"), re.MULTILINE))


def read_configuration(text, faults):
    try:
        return json.loads(text)
    except (TypeError, ValueError) as error:
        faults.append(f"the configuration is no JSON: {error}")
        return {}


@functools.cache
def schema_faults(document):
    """Faults of an object, given as JSON: most objects are the same in most mutations."""
    faults = []
    for version in VERSIONS:
        try:
            kubernetes_validate.validate(json.loads(document), version, strict=True)
        except kubernetes_validate.SchemaNotFoundError as error:
            faults.append(f"schema of Kubernetes {version}: {error.message}")
        except kubernetes_validate.ValidationError as error:
            place = "/".join(str(part) for part in error.path)
            faults.append(f"schema of Kubernetes {version}: {error.message} at {place}")
    return faults


def kubernetes_faults(text):
    faults = Faults()
    try:
        documents = list(yaml.load_all(text, Loader=yaml.CSafeLoader))
    except yaml.YAMLError as error:
        return [f"no YAML: {error}"]
    for document in documents:
        faults.extend(schema_faults(json.dumps(document)))
    if faults:
        return faults
    kinds = {document["kind"]: document for document in documents}
    wanted = {"ConfigMap", "PersistentVolumeClaim", "Deployment", "Service", "PodDisruptionBudget"}
    faults.expect(kinds.keys() == wanted and len(documents) == len(wanted), "the objects are other ones than documented")
    if faults:
        return faults
    deployment = kinds["Deployment"]["spec"]
    pod = deployment["template"]["spec"]
    labels = at(deployment, "template", "metadata", "labels") or {}
    container = at(pod, "containers", 0) or {}
    configuration = read_configuration(at(kinds, "ConfigMap", "data", "sealedpushd.json"), faults)

    # One process has the store.
    faults.expect(deployment.get("replicas") == 1, "replicas is not 1: the store is a file of one process")
    faults.expect(at(deployment, "strategy", "type") == "Recreate", "strategy is not Recreate: two pods would want one store")
    modes = at(kinds, "PersistentVolumeClaim", "spec", "accessModes")
    faults.expect(modes in (["ReadWriteOnce"], ["ReadWriteOncePod"]), "accessModes: more than one node could write the store")

    for name, selector in (
        ("Deployment", at(deployment, "selector", "matchLabels")),
        ("Service", at(kinds, "Service", "spec", "selector")),
        ("PodDisruptionBudget", at(kinds, "PodDisruptionBudget", "spec", "selector", "matchLabels")),
    ):
        faults.expect(selector and selector.items() <= labels.items(), f"the selector of {name} does not find the pod")
    budget = kinds["PodDisruptionBudget"]["spec"]
    faults.expect(
        budget.get("maxUnavailable") == 1 and "minAvailable" not in budget,
        "the PodDisruptionBudget would stop each drain of a node",
    )

    # The pod's rights.
    faults.expect(pod.get("enableServiceLinks") is False, "enableServiceLinks: variables of Services would be unknown settings")
    faults.expect(pod.get("automountServiceAccountToken") is False, "automountServiceAccountToken: the relay has no use for it")
    for name in ("hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace", "initContainers"):
        faults.expect(not pod.get(name), f"{name} is set, and the relay has no use for it")
    faults.expect(len(pod["containers"]) == 1, "there is more than one container")
    rights = {**pod.get("securityContext", {}), **container.get("securityContext", {})}
    for name, value in (
        ("runAsNonRoot", True), ("runAsUser", USER), ("runAsGroup", USER), ("fsGroup", USER),
        ("fsGroupChangePolicy", "OnRootMismatch"), ("allowPrivilegeEscalation", False), ("readOnlyRootFilesystem", True),
        ("capabilities", {"drop": ["ALL"]}), ("seccompProfile", {"type": "RuntimeDefault"}),
    ):
        faults.expect(rights.get(name) == value, f"securityContext: {name} is {rights.get(name)}, and {value} is needed")
    faults.expect(not rights.get("privileged"), "securityContext: the container is privileged")
    for name in ("requests", "limits"):
        faults.expect(at(container, "resources", name, "memory"), f"resources: {name} has no memory")
    faults.expect(at(container, "resources", "requests", "cpu"), "resources: requests has no cpu")
    image = container.get("image", "")
    faults.expect(re.search(r":\d+\.\d+\.\d+$", image), f"image: '{image}' names no version")

    # Files.
    mounts = {mount["name"]: mount for mount in container.get("volumeMounts", [])}
    volumes = {volume["name"]: volume for volume in pod.get("volumes", [])}
    faults.expect(mounts.keys() == volumes.keys(), "volumeMounts and volumes have different names")
    projected = at(volumes, "configuration", "projected") or {}
    mode = projected.get("defaultMode")
    faults.expect(mode == 0o440, f"defaultMode is {mode if mode is None else oct(mode)}, and 0440 is needed: keys are the group's")
    sources = projected.get("sources", [])
    for source in sources:
        for entry in source.values():
            for item in entry.get("items", []):
                faults.expect("mode" not in item, "an item of the configuration has a mode of its own")
    names = [(kind, entry.get("name")) for source in sources for kind, entry in source.items()]
    faults.expect(
        sorted(names) == [("configMap", "sealedpushd"), ("secret", "sealedpushd"), ("secret", "sealedpushd-tls")],
        f"the configuration is projected from {names}",
    )
    folder = at(mounts, "configuration", "mountPath")
    faults.expect(at(mounts, "configuration", "readOnly") is True, "the configuration can be written")
    faults.expect(container.get("args") == ["--config", f"{folder}/sealedpushd.json"], "args does not name the configuration's file")
    claim = at(volumes, "store", "persistentVolumeClaim", "claimName")
    faults.expect(claim == at(kinds, "PersistentVolumeClaim", "metadata", "name"), "the store is not the claim: it would be lost")
    database = configuration.get("database-file") or ""
    faults.expect(os.path.dirname(database) == at(mounts, "store", "mountPath"), "database-file is not on the store")
    created = set(re.findall(r"--from-file=(\S+)", text))
    files = {
        name for name in re.findall(rf'"{re.escape(str(folder))}/([^"]+)"', json.dumps(configuration))
    } - {"tls.crt", "tls.key"}
    faults.expect(files == created, f"the Secret is made from {sorted(created)}, and the configuration names {sorted(files)}")
    hashes = [key.get("hash") for tenant in configuration.get("tenants", []) for key in tenant.get("keys", [])]
    faults.expect(not any(re.fullmatch(r"[\w-]{43}", hash or "") for hash in hashes), "a published hash would be a key of everybody")

    # Ports and probes.
    ports = {port["name"]: port["containerPort"] for port in container.get("ports", [])}
    listened = {entry.get("port") for entry in configuration.get("listen", [])}
    faults.expect(set(ports.values()) == listened, f"the container's ports {ports} are not those that are listened on: {listened}")
    for entry in configuration.get("listen", []):
        faults.expect(entry.get("address") in ("0.0.0.0", "::"), f"'{entry.get('address')}' is not reached from outside the pod")
    for port in kinds["Service"]["spec"]["ports"]:
        faults.expect(port.get("targetPort") in ports, "targetPort of the Service is no port of the container")
    for name, path, seconds_min in (
        # An upgrade of the store takes minutes.
        ("startupProbe", "/v1/health", 300), ("livenessProbe", "/v1/health", 20), ("readinessProbe", "/v1/readiness", 5),
    ):
        probe = container.get(name) or {}
        get = probe.get("httpGet") or {}
        faults.expect(get.get("path") == path and path in document_paths(), f"{name} asks '{get.get('path')}', not {path}")
        faults.expect(get.get("scheme") == "HTTPS", f"{name} does not speak TLS")
        faults.expect(get.get("port") in ports, f"{name} asks another port than the container's")
        # docs/operations.md.
        faults.expect(probe.get("timeoutSeconds", 1) >= 1, f"{name} gives up within a second")
        seconds = probe.get("periodSeconds", 10) * probe.get("failureThreshold", 3)
        faults.expect(seconds >= seconds_min, f"{name} fails after {seconds} s, and {seconds_min} are needed")
    seconds = pod.get("terminationGracePeriodSeconds", 30)
    drain = at(configuration, "limits", "drain-seconds") or 10
    faults.expect(
        seconds >= drain + GRACE_SECONDS_MIN - 10 and seconds >= GRACE_SECONDS_MIN,
        f"terminationGracePeriodSeconds is {seconds}: the relay would be killed while it drains",
    )
    hook = at(container, "lifecycle", "preStop")
    # The image has one program.
    faults.expect(not at(hook, "exec"), "preStop starts a program that the image does not have")
    return faults


def compose_faults(text):
    faults = Faults()
    try:
        document = yaml.load(text, Loader=yaml.CSafeLoader)
    except yaml.YAMLError as error:
        return [f"no YAML: {error}"]
    [package] = find_spec("check_jsonschema").submodule_search_locations
    with open(os.path.join(package, "builtin_schemas/vendor/compose-spec.json")) as file:
        schema = json.load(file)
    for error in jsonschema.validators.validator_for(schema)(schema).iter_errors(document):
        faults.append(f"the Compose specification: {error.message} at {error.json_path}")
    if faults:
        return faults
    service = at(document, "services", "sealedpushd") or {}
    configuration = read_configuration(read("sealedpushd.json"), faults)
    faults.expect(list(document.get("services", {})) == ["sealedpushd"], "there is another service than the relay")
    faults.expect(at(service, "deploy", "replicas") == 1, "replicas is not 1: the store is a file of one process")
    faults.expect(at(service, "deploy", "resources", "limits", "memory"), "there is no limit of memory")
    faults.expect(service.get("user") == f"{USER}:{USER}", "user is not the image's")
    faults.expect(service.get("read_only") is True, "the root can be written")
    faults.expect(service.get("cap_drop") == ["ALL"] and not service.get("cap_add"), "capabilities are left")
    faults.expect(service.get("security_opt") == ["no-new-privileges:true"], "new privileges are allowed")
    for name in ("privileged", "network_mode", "pid", "ipc", "devices", "environment", "env_file"):
        faults.expect(not service.get(name), f"{name} is set, and the relay has no use for it")
    faults.expect("healthcheck" not in service, "healthcheck starts a program that the image does not have")
    found = re.fullmatch(r"(\d+)s", str(service.get("stop_grace_period")))
    faults.expect(found and int(found.group(1)) >= GRACE_SECONDS_MIN, "stop_grace_period: the relay would be killed while it drains")
    faults.expect(service.get("stop_signal", "SIGTERM") == "SIGTERM", "stop_signal is not SIGTERM, at which the relay drains")
    faults.expect(str(service.get("restart")).startswith("on-failure:"), "restart: a wrong configuration would be tried for ever")
    faults.expect(at(service, "ulimits", "nofile") == 65536, "ulimits: nofile is not the unit's")
    faults.expect(at(service, "ulimits", "core") == 0, "ulimits: a core would have keys")
    volumes = {volume.get("target"): volume for volume in service.get("volumes", []) if isinstance(volume, dict)}
    faults.expect(volumes.keys() == {"/etc/sealedpush", "/var/lib/sealedpush"}, "volumes has other folders than the relay's two")
    folder = volumes.get("/etc/sealedpush", {})
    faults.expect(folder.get("type") == "bind" and folder.get("read_only") is True, "the configuration can be written")
    faults.expect(":?" in str(folder.get("source")), "the folder of keys has a default, which compose would make, empty")
    store = volumes.get("/var/lib/sealedpush", {})
    faults.expect(
        store.get("type") == "volume" and store.get("source") in document.get("volumes", {}), "the store is lost with the container"
    )
    faults.expect(os.path.dirname(configuration["database-file"]) in volumes, "database-file is on no volume")
    ports = {entry["port"] for entry in configuration["listen"]}
    published = {int(str(port).rsplit(":", 1)[1]) for port in service.get("ports", [])}
    faults.expect(published == ports, f"ports publishes {published}, and the configuration listens on {ports}")
    build = service.get("build", {})
    for path in (build.get("context", ""), os.path.join(build.get("context", ""), build.get("dockerfile", ""))):
        faults.expect(os.path.exists(os.path.join(FOLDER, path)), f"build: there is no {path} beside this file")
    faults.expect(re.search(r":\d+\.\d+\.\d+$", service.get("image", "")), "image names no version")
    return faults


# What breaks it, text before, text after, and a word of the sentence that must come.
KUBERNETES = [
    ("an unknown word", "readOnlyRootFilesystem", "readOnlyRootFileSystem", "schema"),
    ("a text for a number", "replicas: 1", "replicas: one", "schema"),
    ("an unknown kind", "kind: PodDisruptionBudget", "kind: PodDisruptionBudge", "schema"),
    ("an API that is gone", "policy/v1", "policy/v1beta1", "schema"),
    ("a probe without port", "{path: /v1/readiness, port: https,", "{path: /v1/readiness,", "schema"),
    ("an object less", "\n---\napiVersion: v1\nkind: Service", "\n---\napiVersion: v1\nkind: ConfigMap", "schema"),
    ("two replicas", "replicas: 1", "replicas: 2", "replicas"),
    ("an update with two pods", "type: Recreate", "type: RollingUpdate", "Recreate"),
    ("a store of many nodes", "[ReadWriteOnce]", "[ReadWriteMany]", "accessModes"),
    ("a budget that stops drains", "maxUnavailable: 1", "maxUnavailable: 0", "drain of a node"),
    ("the same, said otherwise", "maxUnavailable: 1", "minAvailable: 1", "drain of a node"),
    ("a Service of another pod", "  selector: {app.kubernetes.io/name: sealedpushd}", "  selector: {app: relay}", "selector of Service"),
    ("a budget of another pod", "  selector:\n    matchLabels: {app.kubernetes.io/name: sealedpushd}\n", "  selector:\n    matchLabels: {app: relay}\n",
     "selector of Pod"),
    ("variables of Services", "enableServiceLinks: false", "enableServiceLinks: true", "enableServiceLinks"),
    ("a token of the API", "automountServiceAccountToken: false", "automountServiceAccountToken: true", "automount"),
    ("the node's network", "enableServiceLinks: false", "enableServiceLinks: false\n      hostNetwork: true", "hostNetwork"),
    ("root", "runAsUser: 10001", "runAsUser: 0", "runAsUser"),
    ("root, where the image says so", "runAsNonRoot: true", "runAsNonRoot: false", "runAsNonRoot"),
    ("the group of root", "runAsGroup: 10001", "runAsGroup: 0", "runAsGroup"),
    ("no group for keys", "        fsGroup: 10001\n", "", "fsGroup"),
    ("a group that cannot read keys", "fsGroup: 10001\n", "fsGroup: 10002\n", "fsGroup"),
    ("a store whose modes are widened", "fsGroupChangePolicy: OnRootMismatch", "fsGroupChangePolicy: Always", "fsGroupChangePolicy"),
    ("a container with rights of its own", "allowPrivilegeEscalation: false", "allowPrivilegeEscalation: false\n            runAsUser: 0", "runAsUser"),
    ("more rights", "allowPrivilegeEscalation: false", "allowPrivilegeEscalation: true", "allowPrivilegeEscalation"),
    ("a privileged container", "readOnlyRootFilesystem: true", "readOnlyRootFilesystem: true\n            privileged: true", "privileged"),
    ("a root that can be written", "readOnlyRootFilesystem: true", "readOnlyRootFilesystem: false", "readOnlyRootFilesystem"),
    ("capabilities", "drop: [ALL]", "drop: [NET_RAW]", "capabilities"),
    ("a capability", "drop: [ALL]", "drop: [ALL]\n              add: [NET_ADMIN]", "capabilities"),
    ("all system calls", "type: RuntimeDefault", "type: Unconfined", "seccompProfile"),
    ("memory without limit", "            limits: {memory: 1Gi}\n", "", "limits has no memory"),
    ("no memory of its own", "{cpu: 250m, memory: 256Mi}", "{cpu: 250m}", "requests has no memory"),
    ("any image", "sealedpushd:0.1.0", "sealedpushd:latest", "version"),
    ("keys for all to read", "defaultMode: 0440", "defaultMode: 0444", "defaultMode"),
    ("a mode in decimal", "defaultMode: 0440", "defaultMode: 440", "defaultMode"),
    ("the default mode", "            defaultMode: 0440\n", "", "defaultMode"),
    ("a key with a mode", "              - secret:\n                  name: sealedpushd\n",
     "              - secret:\n                  name: sealedpushd\n                  items: [{key: token.key, path: token.key, mode: 0644}]\n", "mode of its own"),
    ("no certificate", "              - secret:\n                  name: sealedpushd-tls\n", "", "projected from"),
    ("keys that can be written", "              readOnly: true\n", "", "can be written"),
    ("another file", "/etc/sealedpush/sealedpushd.json\"]", "/etc/sealedpush/config.json\"]", "args"),
    ("a store that ends with the pod", "persistentVolumeClaim:\n            claimName: sealedpushd", "emptyDir: {}", "not the claim"),
    ("a store beside the volume", "/var/lib/sealedpush/store.sqlite", "/var/lib/store.sqlite", "database-file"),
    ("a key that no Secret has", "/etc/sealedpush/apple.p8", "/etc/sealedpush/other.p8", "Secret is made from"),
    ("a published key", "HASH of sealedpushd make-api-key", "x" * 43, "published hash"),
    ("no configuration", '"tenants": [{', '"tenants": [', "no JSON"),
    ("another port", '"port": 8443}]', '"port": 9443}]', "ports"),
    ("a listener for the pod alone", '"address": "0.0.0.0"', '"address": "127.0.0.1"', "outside the pod"),
    ("a Service to no port", "targetPort: https", "targetPort: http", "targetPort"),
    ("a restart where waiting helps", "livenessProbe:\n            httpGet: {path: /v1/health,", "livenessProbe:\n            httpGet: {path: /v1/readiness,", "livenessProbe"),
    ("a path that is not", "{path: /v1/readiness,", "{path: /readyz,", "readinessProbe"),
    ("a probe in clear", "{path: /v1/readiness, port: https, scheme: HTTPS}", "{path: /v1/readiness, port: https}", "TLS"),
    ("a kill in an upgrade", "failureThreshold: 300", "failureThreshold: 10", "startupProbe"),
    ("no probe at the start", "startupProbe:", "x-startupProbe:", "schema"),
    ("a kill at the first doubt", "periodSeconds: 10\n            timeoutSeconds: 2\n            failureThreshold: 3",
     "periodSeconds: 10\n            timeoutSeconds: 2\n            failureThreshold: 1", "livenessProbe fails"),
    ("a kill while it drains", "terminationGracePeriodSeconds: 30", "terminationGracePeriodSeconds: 5", "terminationGracePeriodSeconds"),
    ("a shell that is not there", "          resources:", "          lifecycle: {preStop: {exec: {command: [sleep, '5']}}}\n          resources:", "preStop"),
]
COMPOSE = [
    ("an unknown word", "read_only: true\n    cap_drop", "readonly: true\n    cap_drop", "specification"),
    ("a text for a list", "cap_drop: [ALL]", "cap_drop: ALL", "specification"),
    ("two containers", "replicas: 1", "replicas: 2", "replicas"),
    ("memory without limit", "          memory: 1G", "          pids: 100", "memory"),
    ("root", 'user: "10001:10001"', 'user: "0:0"', "user"),
    ("a root that can be written", "read_only: true\n    cap_drop", "read_only: false\n    cap_drop", "root can be written"),
    ("capabilities", "cap_drop: [ALL]", "cap_drop: [NET_RAW]", "capabilities"),
    ("new privileges", 'security_opt: ["no-new-privileges:true"]', 'security_opt: ["no-new-privileges:false"]', "new privileges"),
    ("a privileged container", "stop_signal: SIGTERM", "stop_signal: SIGTERM\n    privileged: true", "privileged"),
    ("the machine's network", "stop_signal: SIGTERM", "stop_signal: SIGTERM\n    network_mode: host", "network_mode"),
    ("a check that cannot run", "stop_signal: SIGTERM", "stop_signal: SIGTERM\n    healthcheck: {test: [CMD, curl, localhost]}", "healthcheck"),
    ("a kill while it drains", "stop_grace_period: 30s", "stop_grace_period: 5s", "stop_grace_period"),
    ("compose's ten seconds", "    stop_grace_period: 30s\n", "", "stop_grace_period"),
    ("an end at once", "stop_signal: SIGTERM", "stop_signal: SIGKILL", "stop_signal"),
    ("tries for ever", "restart: on-failure:10", "restart: always", "restart"),
    ("few descriptors", "nofile: 65536", "nofile: 1024", "nofile"),
    ("a core", "core: 0", "core: 1000000", "core"),
    ("keys that can be written", "read_only: true\n        bind", "read_only: false\n        bind", "can be written"),
    ("an empty folder for keys", ":?the folder of sealedpushd.json and its keys}", ":-/etc/sealedpush}", "default"),
    ("a store without a name", "        source: store\n", "", "lost"),
    ("a store elsewhere", "target: /var/lib/sealedpush", "target: /data", "two"),
    ("a port that nothing has", '"8443:8443"', '"8443:443"', "ports"),
    ("a file that is not", "dockerfile: packaging/Containerfile", "dockerfile: Containerfile", "build"),
    ("any image", "image: sealedpushd:0.1.0", "image: sealedpushd", "version"),
]


def check(name, faults_of, mutations):
    text = read(name)
    if faults := faults_of(text):
        sys.exit("\n".join(f"{name}: {fault}" for fault in faults))
    unseen = []
    for what, before, after, word in mutations:
        if text.count(before) == 0:
            unseen.append(f"{name}: nothing to break by {what}; bring the list of manifests_check.py up to date")
            continue
        faults = faults_of(text.replace(before, after))
        if not any(word in fault for fault in faults):
            unseen.append(f"{name}: this is not seen: {what}; reported is: {'; '.join(faults) or 'nothing'}")
    if unseen:
        sys.exit("\n".join(unseen))
    print(f"{name}: good, and each of {len(mutations)} faults is seen")


def main():
    check("kubernetes.yaml", kubernetes_faults, KUBERNETES)
    check("compose.yaml", compose_faults, COMPOSE)
    [text] = re.findall(r"^  sealedpushd\.json: \|\n((?:    .*\n)+)", read("kubernetes.yaml"), re.MULTILINE)
    if json.loads(text) != json.loads(read("sealedpushd.json")):
        sys.exit("kubernetes.yaml: its ConfigMap is another configuration than packaging/sealedpushd.json; make them equal")


if __name__ == "__main__":
    main()
