"""Runs the relay as the pod of packaging/kubernetes.yaml does; manifests-check calls it as root in namespaces of its own.

A container's image is not needed: the machine's programs and libraries are there, read-only. Configuration and Secrets lie
as the kubelet lays a projected volume (links into a folder that it replaces at once), the store as it prepares a volume
for fsGroup.
"""

import fcntl
import json
import os
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time

import yaml

FOLDER = os.path.dirname(os.path.abspath(__file__))
CHECKOUT = os.path.dirname(FOLDER)
PATIENCE = 60
# A mount here ends with the namespace, and no temporary folder, which is deleted, has a mount of the machine's folders.
ROOT = "/mnt"


def run(*words, **options):
    return subprocess.run(words, check=True, **options)


def said(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def lay_out(program):
    """A root with the machine's programs and libraries, and nothing else of it."""
    run("mount", "--make-rprivate", "/")
    run("mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", ROOT)
    for name in os.listdir("/"):
        path = os.path.join("/", name)
        if name in ("lib", "lib64") and os.path.islink(path):
            os.symlink(os.readlink(path), ROOT + path)
    for path in ("/usr", "/lib", "/lib64", "/opt", "/etc/ssl", "/dev"):
        if os.path.isdir(path) and not os.path.islink(path):
            os.makedirs(ROOT + path)
            run("mount", "--bind", path, ROOT + path)
            run("mount", "-o", "remount,bind,ro", ROOT + path)
    for path in ("/etc/sealedpush", "/var/lib/sealedpush", "/proc"):
        os.makedirs(ROOT + path)
    run("mount", "-t", "proc", "proc", ROOT + "/proc")
    shutil.copy(program, ROOT + "/sealedpushd")
    os.chmod(ROOT + "/sealedpushd", 0o755)


def lay_files(files, mode, group):
    """A projected volume, as the kubelet writes it."""
    folder = ROOT + "/etc/sealedpush"
    os.mkdir(folder + "/..2026_11_26_10_00_00.1")
    for name, content in files.items():
        path = folder + "/..2026_11_26_10_00_00.1/" + name
        with open(path, "wb") as file:
            file.write(content)
        os.chmod(path, mode)
        os.chown(path, 0, group)
        os.symlink("..data/" + name, folder + "/" + name)
    os.symlink("..2026_11_26_10_00_00.1", folder + "/..data")
    for path in (folder, folder + "/..2026_11_26_10_00_00.1"):
        os.chown(path, 0, group)
        os.chmod(path, 0o3777)


def start_loopback():
    with socket.socket() as any_socket:
        up = struct.pack("16sh", b"lo", 1)
        fcntl.ioctl(any_socket, 0x8914, up)  # SIOCSIFFLAGS, IFF_UP


def main():
    with open(os.path.join(FOLDER, "kubernetes.yaml")) as file:
        kinds = {document["kind"]: document for document in yaml.safe_load_all(file)}
    pod = kinds["Deployment"]["spec"]["template"]["spec"]
    [container] = pod["containers"]
    rights = pod["securityContext"]
    volumes = {volume["name"]: volume for volume in pod["volumes"]}
    mode = volumes["configuration"]["projected"]["defaultMode"]
    user, group, fs_group = rights["runAsUser"], rights["runAsGroup"], rights["fsGroup"]
    configuration = kinds["ConfigMap"]["data"]["sealedpushd.json"]
    program = os.path.realpath(os.path.join(CHECKOUT, os.environ["SEALEDPUSHD"]))
    if not os.access(program, os.X_OK):
        sys.exit(f"pod-check: there is no program {program}; build it with 'make release'")
    start_loopback()

    with tempfile.TemporaryDirectory() as work:
        lay_out(program)
        run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc", "-days", "30",
            "-subj", "/CN=localhost", "-keyout", work + "/tls.key", "-out", work + "/tls.crt", stderr=subprocess.DEVNULL)
        run("openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", work + "/apple.p8",
            stderr=subprocess.DEVNULL)
        run(program, "make-key", work + "/token.key", stdout=subprocess.DEVNULL)
        key_hash = re.search(r"^hash *(\S+)", said(program, "make-api-key"), re.MULTILINE).group(1)
        files = {}
        for name in ("tls.key", "tls.crt", "apple.p8", "token.key"):
            with open(f"{work}/{name}", "rb") as file:
                files[name] = file.read()
        files["sealedpushd.json"] = re.sub('HASH of [^"]*', key_hash, configuration).encode()
        files["as-it-comes.json"] = configuration.encode()
        lay_files(files, mode, fs_group)
        store = ROOT + "/var/lib/sealedpush"
        run("mount", "-t", "tmpfs", "tmpfs", store)
        os.chown(store, 0, fs_group)
        os.chmod(store, 0o2775)
        run("mount", "-o", "remount,ro", ROOT)

        words = [
            "setpriv", "--reuid", str(user), "--regid", str(group), "--groups", str(fs_group), "--no-new-privs",
            "--bounding-set=-all", "--inh-caps=-all", "--", "/sealedpushd",
        ]

        def begin(arguments, **environment):
            return subprocess.Popen(
                ["chroot", ROOT, *words, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", **environment},
            )

        def end_of(what, arguments, expected, word, **environment):
            process = begin(arguments, **environment)
            try:
                output, errors = process.communicate(timeout=PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                sys.exit(f"pod-check: {what}: it does not end")
            if process.returncode not in expected or word not in output + errors:
                sys.exit(f"pod-check: {what}: it ended with {process.returncode}, not {expected}: {output}{errors}")

        arguments = container["args"]
        end_of("the configuration", [*arguments, "--check-config"], [0], "")
        as_it_comes = [arguments[0], arguments[1].replace("sealedpushd.json", "as-it-comes.json"), "--check-config"]
        end_of("the ConfigMap as it comes", as_it_comes, [78], "hash")
        # What enableServiceLinks: false keeps away.
        end_of("a variable of another Service", arguments, [78], "SEALEDPUSH_BLOBS_PORT", SEALEDPUSH_BLOBS_PORT="tcp://10.0.0.1:1")

        relay = begin(arguments)
        try:
            for line in relay.stdout:
                if json.loads(line).get("event") == "ready":
                    break
            else:
                sys.exit(f"pod-check: the relay did not start: {relay.stderr.read()}")
            ports = {port["name"]: port["containerPort"] for port in container["ports"]}
            for name in ("startupProbe", "livenessProbe", "readinessProbe"):
                probe = container[name]
                get = probe["httpGet"]
                url = f"{get['scheme'].lower()}://127.0.0.1:{ports[get['port']]}{get['path']}"
                # The kubelet checks no certificate either.
                code = said("curl", "--silent", "--insecure", "--max-time", str(PATIENCE), "--output", "/dev/null",
                            "--write-out", "%{http_code}", url)
                if code != "200":
                    sys.exit(f"pod-check: {name}: {url} answers {code}")
            # Why one replica, and Recreate.
            end_of("a second pod on the store", arguments, [1, 78], "", SEALEDPUSH_LISTEN_PORT="0")
            left = [name for name in os.listdir(store) if os.stat(f"{store}/{name}").st_mode & 0o077]
            if left:
                sys.exit(f"pod-check: other users can open files of the store: {left}")
            before = time.monotonic()
            relay.terminate()
            relay.communicate(timeout=pod["terminationGracePeriodSeconds"])
            seconds = time.monotonic() - before
        finally:
            if relay.poll() is None:
                relay.kill()
        if relay.returncode != 0:
            sys.exit(f"pod-check: its end at SIGTERM was {relay.returncode}, not 0")
    print(f"pod-check: ran as {user} with a read-only root and files of mode {mode:04o}; all probes 200; ended in {seconds:.1f} s")


if __name__ == "__main__":
    main()
