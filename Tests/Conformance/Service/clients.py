"""Generates clients from both documents and checks them. See Tests/Conformance/Service/clients."""

import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import openapi_generator_cli
import yaml
from openapi_spec_validator import validate

from black_box.programs import CHECKOUT, PATIENCE

TESTS = os.path.join(CHECKOUT, "Tests/Conformance/Service")
DOCUMENTS = {"relay": "docs/openapi.yaml", "sidecar": "docs/sidecar-openapi.yaml"}
JAR = os.path.join(os.path.dirname(openapi_generator_cli.__file__), "openapi-generator.jar")
LANGUAGES = ["go", "typescript-fetch", "python"]
# Debian's, for compiling without modules.
GO_LIBRARIES = "/usr/share/gocode"
# A check that finds no schema at all would be green.
REQUIRED = {
    "relay": ["Notification", "Device", "RejectedRecipient", "QueriedBundle", "Event", "Events", "Problem"],
    "sidecar": ["Submission", "Message", "RecipientState", "Problem"],
}


def run(*words, **options):
    """Its output and errors; its failure is ours."""
    done = subprocess.run(
        words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE, **options
    )
    if done.returncode != 0:
        sys.exit(f"clients: {' '.join(words[:3])} … ended with {done.returncode}:\n{done.stdout[-4000:]}")
    return done.stdout


# MARK: The documents


def faults_of_schema(schema, path):
    """Shapes that are valid, and of which generators make nothing or a member without a type."""
    if not isinstance(schema, dict):
        return []
    faults = []
    if "const" in schema or "enum" in schema:
        if "type" not in schema:
            faults.append(f"{path}: a fixed value without 'type' has no type in clients; write 'type' beside it")
        if any(isinstance(value, bool) for value in [schema.get("const"), *schema.get("enum", [])]):
            faults.append(f"{path}: a Python client compares this boolean with a text; write what it is 'not'")
    if "$ref" in schema:
        if others := schema.keys() - {"$ref", "description"}:
            faults.append(f"{path}: {', '.join(sorted(others))} beside '$ref' is lost; write one schema, or 'allOf'")
        if "/properties/" in schema["$ref"]:
            faults.append(f"{path}: a '$ref' into another schema is lost; give what it points to a name")
    if schema.get("type") == "object" and "additionalProperties" not in schema:
        faults.append(f"{path}: clients refuse a later member unless it says 'additionalProperties: true'; say which")
    if "title" in schema:
        faults.append(f"{path}: 'title' renames the schema in clients; write 'description'")
    for key in ("items", "additionalProperties", "if", "then", "else"):
        faults += faults_of_schema(schema.get(key), f"{path}/{key}")
    for key in ("allOf", "anyOf", "oneOf"):
        for index, part in enumerate(schema.get(key, [])):
            faults += faults_of_schema(part, f"{path}/{key}/{index}")
    for name, part in schema.get("properties", {}).items():
        faults += faults_of_schema(part, f"{path}/properties/{name}")
    return faults


def read_document(file):
    with open(os.path.join(CHECKOUT, file)) as opened:
        document = yaml.safe_load(opened)
    try:
        validate(document)
    except Exception as error:
        sys.exit(f"clients: {file} is not OpenAPI {document.get('openapi')}: {error}")
    faults = []
    for name, schema in document["components"]["schemas"].items():
        faults += faults_of_schema(schema, f"{file}: {name}")
    if faults:
        sys.exit("clients: " + "\n".join(faults))
    return document


# MARK: Generating


def generate(folder):
    """Every client, in its folder of `folder`: one process for all languages, for most of its time is its start."""
    settings = []
    for part, file in DOCUMENTS.items():
        for language in LANGUAGES:
            path = os.path.join(folder, f"{part}-{language}.json")
            settings.append(path)
            with open(path, "w") as opened:
                json.dump(
                    {
                        "generatorName": language,
                        "inputSpec": os.path.join(CHECKOUT, file),
                        "outputDir": os.path.join(folder, language, part),
                        "additionalProperties": {"packageName": part},
                    },
                    opened,
                )
    java = ["java", "-XX:TieredStopAtLevel=1", "-Xshare:auto", "-jar", JAR]
    said = run(*java, "batch", "--fail-fast", "--threads", "2", "--root-dir", folder, *settings, cwd=folder)
    if errors := [line for line in said.splitlines() if " ERROR " in line or line.startswith("Exception")]:
        sys.exit("clients: openapi-generator says:\n" + "\n".join(errors))
    without_formatter = os.path.join(folder, "settings.json")
    with open(without_formatter, "w") as opened:
        json.dump({"post_hooks": []}, opened)
    for part, file in DOCUMENTS.items():
        run(
            *[os.path.join(os.path.dirname(sys.executable), "openapi-python-client"), "generate", "--fail-on-warning"],
            *["--path", os.path.join(CHECKOUT, file), "--meta", "none", "--config", without_formatter],
            *["--output-path", os.path.join(folder, "openapi-python-client", f"{part}_api")],
            cwd=folder,
        )
    print("openapi-generator (Go, TypeScript, Python) and openapi-python-client: generated")


# MARK: Members


def snake(name):
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def schemas_by_name(folder, pattern):
    """Each file's text, by the schema's name in small letters."""
    found = {}
    for path in glob.glob(os.path.join(folder, pattern)):
        name = os.path.basename(path).rpartition(".")[0].removeprefix("model_")
        with open(path) as opened:
            found[name.replace("_", "").lower()] = opened.read()
    return found


def members_of(schema, schemas):
    """The schema's members, also of its parts."""
    while "$ref" in schema:
        schema = schemas[schema["$ref"].rpartition("/")[2]]
    found = set(schema.get("properties", {}))
    for part in schema.get("allOf", []):
        found |= members_of(part, schemas)
    return found


def check_members(folder, documents):
    kinds = {
        "go": ("go/{}/model_*.go", r'json:"([^",]+)'),
        "typescript-fetch": ("typescript-fetch/{}/models/*.ts", r"json\['([^']+)'\]"),
        "python": ("python/{0}/{0}/models/*.py", r'obj\.get\("([^"]+)"\)'),
        "openapi-python-client": ("openapi-python-client/{}_api/models/*.py", r'd\.pop\(\s*"([^"]+)"'),
    }
    faults, count = [], 0
    for part, document in documents.items():
        schemas = document["components"]["schemas"]
        objects = {name: members for name, schema in schemas.items() if (members := members_of(schema, schemas))}
        faults += [f"{DOCUMENTS[part]} has no {name} any more" for name in REQUIRED[part] if name not in objects]
        for kind, (pattern, member) in kinds.items():
            texts = schemas_by_name(folder, pattern.format(part))
            for name, expected in objects.items():
                text = texts.get(name.lower())
                if text is None:
                    faults.append(f"{kind}: {part} has no {name}")
                    continue
                count += len(expected)
                if missing := expected - set(re.findall(member, text)):
                    faults.append(f"{kind}: {part}'s {name} has lost {', '.join(sorted(missing))}")
                if kind == "go" and schemas[name].get("additionalProperties") and "DisallowUnknownFields" in text:
                    faults.append(f"{kind}: {part}'s {name} refuses a member that a later service adds")
                if kind == "go" and (untyped := re.findall(r'\tinterface\{\} `json:"([^",]+)', text)):
                    faults.append(f"{kind}: {part}'s {name} has no type for {', '.join(untyped)}")
    if faults:
        sys.exit("clients: " + "\n".join(faults))
    print(f"{count} members of schemas in four clients: all there")


# MARK: Compilers


def check_go(folder):
    """Debian's Go, without modules: the client needs one, and only because of 'oneOf'."""
    if not shutil.which("go") or not os.path.isdir(f"{GO_LIBRARIES}/src/gopkg.in/validator.v2"):
        print("Go: NOT COMPILED: there is no 'go', or no package golang-gopkg-validator.v2-dev")
        return
    home = os.path.join(folder, "gopath")
    for part in DOCUMENTS:
        shutil.copytree(
            os.path.join(folder, "go", part),
            os.path.join(home, "src", part),
            ignore=shutil.ignore_patterns("test", "docs", "go.*"),
        )
    environment = {**os.environ, "GO111MODULE": "off", "GOPATH": f"{home}:{GO_LIBRARIES}", "GOFLAGS": ""}
    run("go", "vet", *DOCUMENTS, env=environment, cwd=home)
    print("Go: compiles, and vet is silent")


def check_typescript(folder):
    if not shutil.which("tsc"):
        print("TypeScript: NOT CHECKED: there is no 'tsc'")
        return
    version = tuple(int(word) for word in re.findall(r"\d+", run("tsc", "--version"))[:2])
    # Older ones do not know that `'name' in value` gives the value this name.
    lax = ["--noImplicitAny", "false"] if version < (4, 9) else []
    files = [os.path.join(folder, "typescript-fetch", part, "index.ts") for part in DOCUMENTS]
    run("tsc", "--noEmit", "--strict", *lax, "--target", "es2020", "--lib", "es2020,dom", *files, cwd=folder)
    print(f"TypeScript {'.'.join(map(str, version))}: no complaint")


def check_python(folder):
    """Imports each module of each package, for some import theirs only at their first use. Then the round trips."""
    script = os.path.join(TESTS, "clients_round_trip.py")
    paths = [os.path.join(folder, "python", part) for part in DOCUMENTS]
    paths.append(os.path.join(folder, "openapi-python-client"))
    environment = {**os.environ, "PYTHONPATH": ":".join(paths), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, "-B", "-W", "error::SyntaxWarning", script], env=environment)
    if done.returncode != 0:
        sys.exit("clients: the Python clients failed (above)")


def main():
    documents = {part: read_document(file) for part, file in DOCUMENTS.items()}
    print("both documents: valid")
    with tempfile.TemporaryDirectory() as folder:
        generate(folder)
        check_members(folder, documents)
        check_go(folder)
        check_typescript(folder)
        check_python(folder)


if __name__ == "__main__":
    main()
