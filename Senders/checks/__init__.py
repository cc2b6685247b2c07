"""Parts of `Senders/ways` and `Senders/cost`."""

import os
import sys

SENDERS = os.path.abspath(os.path.join(os.path.dirname(__file__), ".."))
CHECKOUT = os.path.dirname(SENDERS)
sys.path[:0] = [os.path.join(SENDERS, "python"), os.path.join(CHECKOUT, "Tests/Conformance/Service")]
sys.dont_write_bytecode = True

PROGRAMS = ("sealedpush", "sealedpushd", "sealedpush-sidecar")


def use_programs(folders, *names):
    """Lets `program` find those of some folders."""
    for name in names:
        paths = [os.path.abspath(os.path.join(folder, name)) for folder in folders]
        path = next((path for path in paths if os.access(path, os.X_OK)), None)
        if not path:
            maker = {"BackEnd": "Examples/BackEnd/test", "sealedpush-bench": "make bench"}.get(name, "make build")
            sys.exit(f"no program '{name}' in {', '.join(folders)}: run '{maker}', or name other folders")
        os.environ[name.upper().replace("-", "_")] = path


def environment(**more):
    """Variables for a program of ours, without those that would change its configuration."""
    return {name: value for name, value in os.environ.items() if not name.startswith("SEALEDPUSH")} | more
