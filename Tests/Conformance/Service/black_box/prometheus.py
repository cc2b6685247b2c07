"""Prometheus and promtool: those of the path, or else Debian's, fetched into .build and not installed, because its
package starts a server."""

import glob
import os
import shutil
import subprocess
import sys

from .programs import CHECKOUT


def program(name):
    """The path of `prometheus` or `promtool`."""
    if found := shutil.which(name):
        return found
    folder = os.path.join(CHECKOUT, ".build/promtool")
    path = os.path.join(folder, "usr/bin", name)
    if os.access(path, os.X_OK):
        return path
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    fetch = ["apt-get", "download", "prometheus"]
    if subprocess.run(fetch, cwd=folder, capture_output=True).returncode != 0:
        # A missing or old package list; only then is it fetched.
        as_root = [] if os.geteuid() == 0 else ["sudo", "-n"]
        subprocess.run([*as_root, "apt-get", "update"], capture_output=True)
        if subprocess.run(fetch, cwd=folder).returncode != 0:
            sys.exit(f"there is no {name}: put it on the path, or run 'apt-get update' and this again")
    for package in glob.glob(os.path.join(folder, "prometheus_*.deb")):
        subprocess.run(["dpkg-deb", "--extract", package, folder], check=True)
        os.remove(package)
    return path


def check(*words, **options):
    """Runs promtool, which must be content and silent."""
    done = subprocess.run([program("promtool"), *words], capture_output=True, text=True, **options)
    if done.returncode != 0 or done.stderr.strip():
        sys.exit(f"promtool {' '.join(words)}: {done.returncode}\n{done.stdout}{done.stderr}")
    print(f"promtool {words[0]} {words[1]}: ok")
