"""Section 6: the members of a message. JSON, then `crit`, then `op`, then the rest; the first failure counts."""
import re

from . import attachment
from .encoding import Refused, from_base64url, require
from .json_strict import parse_object

OPERATIONS = {"show", "replace", "remove", "badge", "call", "test"}
LEVELS = {"passive", "active", "time-sensitive", "critical"}
TEXTS = ("title", "body", "title-loc-key", "loc-key")  # show and replace need one of them
LOC_ARGS = {"title-loc-args": "title-loc-key", "subtitle-loc-args": "subtitle-loc-key", "loc-args": "loc-key"}
BADGE_MAX, LOC_ARGS_MAX, USER_INFO_MAX = 9_999, 8, 16


def _string(value):
    require(isinstance(value, str))


def _decimal(value):
    _string(value)
    require(value == "" or re.fullmatch(r"0(\.[0-9]{1,4})?|1(\.0{1,4})?", value))


def _target(value):
    _string(value)
    require(value == "" or from_base64url(value, 16))


def _receipt(value):
    _string(value)
    require(value == "" or from_base64url(value, 16))


def _badge(value):
    require(type(value) is int and 0 <= value <= BADGE_MAX)  # not isinstance: True is an int in Python


def _strings(value):
    require(isinstance(value, list) and all(isinstance(member, str) for member in value))


def _loc_args(value):
    _strings(value)
    require(len(value) <= LOC_ARGS_MAX)


def _user_info(value):
    require(isinstance(value, dict) and len(value) <= USER_INFO_MAX)
    require(all(re.fullmatch("[!-~]{1,64}", name) for name in value))
    require(all(type(member) in (str, int, bool) for member in value.values()))


# Each name, and the check of its type and range.
MEMBERS = {
    "op": _string, "crit": _strings, "target": _target, "call": _string, "badge": _badge,
    "title": _string, "subtitle": _string, "body": _string,
    "title-loc-key": _string, "subtitle-loc-key": _string, "loc-key": _string,
    "title-loc-args": _loc_args, "subtitle-loc-args": _loc_args, "loc-args": _loc_args,
    "thread-id": _string, "category": _string, "sound": _string, "sound-volume": _decimal, "level": _string,
    "relevance-score": _decimal, "target-content-id": _string, "sender": _string, "user-info": _user_info,
    "attachments": attachment.parse_all, "receipt": _receipt,
}


def parse(raw):
    """The members that count, by name: of known names and not empty; `op` is always there, `crit` never."""
    members = parse_object(raw)
    critical = members.pop("crit", [])
    _strings(critical)
    require(all(name in MEMBERS for name in critical), "unsupported")
    operation = members.pop("op", "show")
    _string(operation)
    operation = operation or "show"
    require(operation in OPERATIONS, "unsupported")
    message = {"op": operation}
    for name, check in MEMBERS.items():
        if name in members:
            check(members[name])
            if members[name] not in ("", [], {}):
                message[name] = members[name]
    _require_consistent(message)
    if "attachments" in message:
        message["attachments"] = attachment.parse_all(message["attachments"])
    if message.get("level") not in LEVELS:
        message.pop("level", None)  # a level of the future counts as absent
    return message


def _require_consistent(message):
    operation = message["op"]
    require(("target" in message) == (operation in ("replace", "remove")))
    require(("call" in message) == (operation == "call"))
    require("badge" in message or operation != "badge")
    require(all(key in message for args, key in LOC_ARGS.items() if args in message))
    require("attachments" not in message or operation in ("show", "replace"))
    require("sound" in message or "sound-volume" not in message)
    require(operation not in ("show", "replace") or any(name in message for name in TEXTS))


def is_acceptable(raw):
    """For senders: true if a device would accept this body."""
    try:
        parse(raw)
    except Refused:
        return False
    return True
