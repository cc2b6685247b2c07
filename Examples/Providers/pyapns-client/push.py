"""Pushes with pyapns-client. The simulator's address, the key and a device token are in the environment."""

import os
import sys
import uuid

from pyapns_client import APNSClient, IOSNotification, IOSPayload, IOSPayloadAlert, TokenBasedAuth
from pyapns_client.exceptions import APNSException

APNS_SERVER = os.environ["APNS_SERVER"]


class SimulatorClient(APNSClient):
    """The library knows Apple's two servers and no other; a test puts the simulator in the sandbox's place."""

    BASE_URLS = {**APNSClient.BASE_URLS, APNSClient.MODE_DEV: f"https://{APNS_SERVER}"}


def push(client, device_token):
    alert = IOSPayloadAlert(title="Hello", body="from pyapns-client")
    notification = IOSNotification(
        payload=IOSPayload(alert=alert, sound="default"), topic=os.environ["APNS_TOPIC"], apns_id=uuid.uuid4()
    )
    try:
        client.push(notification, device_token)
    except APNSException as refusal:
        print(refusal.status_code, "apns-id", refusal.apns_id, type(refusal).__name__)
        return type(refusal).__name__
    print(200, "apns-id", notification.apns_id)
    return None


def main():
    e = os.environ
    key = TokenBasedAuth(
        auth_key_path=e["APNS_KEY"], auth_key_id=e["APNS_KEY_ID"], team_id=e["APNS_TEAM_ID"]
    )
    tries = [(e["DEVICE_TOKEN"], None), ("ab" * 32, "BadDeviceTokenException")]
    if e.get("GONE_TOKEN"):
        tries.append((e["GONE_TOKEN"], "UnregisteredException"))
    with SimulatorClient(APNSClient.MODE_DEV, key, root_cert_path=e["APNS_AUTHORITY"]) as client:
        for device_token, refusal in tries:
            if push(client, device_token) != refusal:
                sys.exit(f"expected {refusal or 'no refusal'}")


if __name__ == "__main__":
    main()
