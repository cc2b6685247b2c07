"""Pushes with aioapns. The simulator's address, the key and a device token are in the environment."""

import asyncio
import os
import ssl
import sys

from aioapns import APNs, NotificationRequest, PushType
from aioapns.connection import APNsDevelopmentClientProtocol


async def main():
    e = os.environ
    # The library knows Apple's two servers and no other; a test puts the simulator in the sandbox's place.
    host, port = e["APNS_SERVER"].rsplit(":", 1)
    APNsDevelopmentClientProtocol.APNS_SERVER = host
    APNsDevelopmentClientProtocol.APNS_PORT = int(port)
    with open(e["APNS_KEY"]) as file:
        key = file.read()
    client = APNs(
        key=key,
        key_id=e["APNS_KEY_ID"],
        team_id=e["APNS_TEAM_ID"],
        topic=e["APNS_TOPIC"],
        use_sandbox=True,
        ssl_context=ssl.create_default_context(cafile=e["APNS_AUTHORITY"]),
    )
    payload = {"aps": {"alert": {"title": "Hello", "body": "from aioapns"}, "sound": "default"}}
    tries = [(e["DEVICE_TOKEN"], "200", None), ("ab" * 32, "400", "BadDeviceToken")]
    if e.get("GONE_TOKEN"):
        tries.append((e["GONE_TOKEN"], "410", "Unregistered"))
    for device_token, status, reason in tries:
        request = NotificationRequest(device_token=device_token, message=payload, push_type=PushType.ALERT)
        answer = await client.send_notification(request)
        print(answer.status, "apns-id", answer.notification_id, answer.description or "", answer.timestamp or "")
        if (answer.status, answer.description) != (status, reason):
            sys.exit(f"expected {status} {reason or ''}")


if __name__ == "__main__":
    asyncio.run(main())
