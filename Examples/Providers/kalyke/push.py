"""Pushes with kalyke. The simulator's address, the key and a device token are in the environment."""

import asyncio
import os
import sys

# The library trusts the machine's authorities, and has no setting for others.
os.environ["SSL_CERT_FILE"] = os.environ["APNS_AUTHORITY"]

from kalyke import ApnsClient, ApnsConfig, Payload, PayloadAlert  # noqa: E402
from kalyke.exceptions import ApnsProviderException  # noqa: E402


class SimulatorClient(ApnsClient):
    """The library knows Apple's two servers and no other."""

    @property
    def _base_url(self):
        return f"https://{os.environ['APNS_SERVER']}"


async def push(client, device_token):
    payload = Payload(alert=PayloadAlert(title="Hello", body="from kalyke"), sound="default")
    try:
        apns_id = await client.send_message(device_token, payload, ApnsConfig(topic=os.environ["APNS_TOPIC"]))
    except ApnsProviderException as refusal:
        print("refused:", type(refusal).__name__, refusal.error)
        return type(refusal).__name__
    print(200, "apns-id", apns_id)
    return None


async def main():
    e = os.environ
    client = SimulatorClient(
        use_sandbox=True, team_id=e["APNS_TEAM_ID"], auth_key_id=e["APNS_KEY_ID"], auth_key_filepath=e["APNS_KEY"]
    )
    tries = [(e["DEVICE_TOKEN"], None), ("ab" * 32, "BadDeviceToken")]
    if e.get("GONE_TOKEN"):
        tries.append((e["GONE_TOKEN"], "Unregistered"))
    for device_token, reason in tries:
        if await push(client, device_token) != reason:
            sys.exit(f"expected {reason or 'no refusal'}")


if __name__ == "__main__":
    asyncio.run(main())
