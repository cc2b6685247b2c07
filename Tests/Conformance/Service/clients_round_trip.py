"""Both generated Python clients against a running sealedpushd. Started by clients.py, which makes them."""

import importlib
import json
import os
import pkgutil
import sys
import tempfile

from black_box.receiver import Receiver
from black_box.service import APP, Sender, Service, Simulator, base64url, new_capability, receipt_hash


def import_all():
    count = 0
    for name in ("relay", "sidecar", "relay_api", "sidecar_api"):
        package = importlib.import_module(name)
        for module in pkgutil.walk_packages(package.__path__, name + ".", onerror=lambda name: None):
            importlib.import_module(module.name)
            count += 1
    print(f"Python: {count} modules are imported")


def expect(expected, actual, what):
    if expected != actual:
        sys.exit(f"{what}: expected {expected!r}, got {actual!r}")


class ByOpenAPIGenerator:
    """The client of openapi-generator."""

    name = "openapi-generator"

    def __init__(self, service):
        import relay

        self.api = relay
        host = f"https://{service.TLS_ADDRESS}:{service.tls_port}"
        settings = relay.Configuration(host=host, access_token=service.keys["acme"], ssl_ca_cert=service.certificate)
        client = relay.ApiClient(settings)
        self.devices = relay.DevicesApi(client)
        self.notifications = relay.NotificationsApi(client)
        self.from_devices = relay.FromDevicesApi(client)

    def register(self, device, token, bundle):
        upload = self.api.DeviceUpload(
            token=token, topic=APP, environment="sandbox", bundle=bundle, language="de-CH", region="CH"
        )
        return self.devices.put_device(device, upload)

    def device(self, device):
        return self.devices.get_device(device)

    def problem_of_unknown_device(self):
        try:
            self.devices.get_device("unknown")
        except self.api.ApiException as error:
            return self.api.Problem.from_json(error.body)

    def recipient(self, device, sealed, **more):
        return self.api.SealedRecipient(device=device, sealed=sealed, **more)

    def send(self, recipient):
        recipients = [self.api.AlertRecipient(recipient)]
        body = self.api.AlertNotifications(topic=APP, var_class="urgent", partial=False, recipients=recipients)
        return self.notifications.post_notifications(self.api.Notifications(body), idempotency_key=self.name)

    def send_partial(self, recipients):
        body = self.api.PartialNotifications(
            topic=APP,
            var_class="normal",
            partial=True,
            recipients=[self.api.PartialRecipient(recipient) for recipient in recipients],
        )
        return self.notifications.post_notifications(self.api.Notifications(body))

    def state(self, id):
        return self.notifications.get_notification(id)

    def bundles(self, *wanted):
        devices = [self.api.BundleCopy(device=device, etag=etag) for device, etag in wanted]
        return self.devices.query_bundles(self.api.BundleQuery(devices=devices)).bundles

    def confirm(self, capability):
        receipt = self.api.Receipt(capability=capability, code="opened")
        self.from_devices.post_receipts(self.api.Receipts(receipts=[receipt]))

    def delete(self, device):
        self.devices.delete_device(device)

    def event(self, body):
        return self.api.Event.from_dict(body)


class ByOpenAPIPythonClient:
    """The client of openapi-python-client."""

    name = "openapi-python-client"

    def __init__(self, service):
        import relay_api
        from relay_api import models

        self.models = models
        self.client = relay_api.AuthenticatedClient(
            base_url=f"https://{service.TLS_ADDRESS}:{service.tls_port}",
            token=service.keys["acme"],
            verify_ssl=service.certificate,
            raise_on_unexpected_status=True,
        )

    def call(self, tag, operation, *words, **more):
        module = importlib.import_module(f"relay_api.api.{tag}.{operation}")
        # An answer without a body has no parsed one.
        return module.sync_detailed(*words, client=self.client, **more).parsed

    def register(self, device, token, bundle):
        models = self.models
        upload = models.DeviceUpload(
            token=token,
            topic=APP,
            environment=models.Environment.SANDBOX,
            bundle=bundle,
            language="de-CH",
            region=models.DeviceUploadRegion.CH,
        )
        return self.call("devices", "put_device", device, body=upload)

    def device(self, device):
        return self.call("devices", "get_device", device)

    def problem_of_unknown_device(self):
        return self.call("devices", "get_device", "unknown")

    def recipient(self, device, sealed, **more):
        return self.models.SealedRecipient(device=device, sealed=sealed, **more)

    def send(self, recipient):
        urgent = self.models.AlertNotificationsClass.URGENT
        body = self.models.AlertNotifications(topic=APP, class_=urgent, partial=False, recipients=[recipient])
        return self.call("notifications", "post_notifications", body=body, idempotency_key=self.name)

    def send_partial(self, recipients):
        models = self.models
        body = models.PartialNotifications(
            topic=APP, class_=models.PartialNotificationsClass.NORMAL, partial=True, recipients=recipients
        )
        return self.call("notifications", "post_notifications", body=body)

    def state(self, id):
        return self.call("notifications", "get_notification", id)

    def bundles(self, *wanted):
        models = self.models
        devices = [models.BundleCopy(device=device, etag=etag or models.bundle_copy.UNSET) for device, etag in wanted]
        return self.call("devices", "query_bundles", body=models.BundleQuery(devices=devices)).bundles

    def confirm(self, capability):
        receipt = self.models.Receipt(capability=capability, code=self.models.ReceiptCode.OPENED)
        self.call("from_devices", "post_receipts", body=self.models.Receipts(receipts=[receipt]))

    def delete(self, device):
        self.call("devices", "delete_device", device)

    def event(self, body):
        return self.models.Event.from_dict(body)


def word(value):
    """The text of a fixed value, which is an enum or a string."""
    return getattr(value, "value", value)


def take_trip(client, service, simulator, sender, receiver):
    """A device, a notification, its receipt and its event, a refused recipient, bundles, and a problem."""
    device = f"d-{client.name}"
    token = simulator.enrol()[1]
    expect(device, client.register(device, token, sender.bundle).id, "the registered device")
    known = client.device(device)
    expect((device, APP, "sandbox", "de-CH"), (known.id, known.topic, word(known.environment), known.language), "it")

    capability = new_capability()
    recipient = client.recipient(device, sender.seal("hello"), receipt_hash=receipt_hash(capability))
    accepted = client.send(recipient).notifications[0]
    expect(accepted.id, client.send(recipient).notifications[0].id, "the id after a repetition")
    service.child.await_event(
        lambda line: line.get("event") == "attempt" and line.get("trace") == accepted.trace, "an attempt's line"
    )
    client.confirm(base64url(capability))
    receiver.await_text(accepted.id, '"delivered"')
    state = client.state(accepted.id)
    expect(("delivered", accepted.trace, 1), (word(state.state), state.trace, state.attempt_count), "the state")
    expect([("answered", 200)], [(word(one.connection), one.status) for one in state.attempts], "the attempts")

    for _, body in receiver.requests:
        event = client.event(json.loads(body))
        expect({}, event.additional_properties, "what the document does not have of an event")
        if event.apns_id == accepted.id:
            seen = (word(event.event), event.device, word(event.state), event.attempts, event.received_at)
            expect(("delivered", device, "delivered", 1, state.receipt), seen, "the event")
        later = client.event({**json.loads(body), "of-a-later-service": 1})
        expect({"of-a-later-service": 1}, later.additional_properties, "what a later service adds to an event")

    partly = client.send_partial([client.recipient(name, sender.seal("hello")) for name in (device, "unknown")])
    rejected = partly.rejected[0]
    expect((1, "unknown", 422), (rejected.index, rejected.device, rejected.problem.status), "the rejected recipient")
    expect("/recipients/1/device", rejected.problem.errors[0].pointer, "what is wrong with it")
    expect([device], [one.device for one in partly.notifications], "the accepted recipients")

    first = client.bundles((device, None), ("unknown", None))
    expect(["current", "missing"], [word(one.state) for one in first], "the bundles' states")
    expect(sender.bundle, first[0].bundle, "the bundle")
    expect("unchanged", word(client.bundles((device, first[0].etag))[0].state), "the bundle's state, asked again")

    client.delete(device)
    problem = client.problem_of_unknown_device()
    expect("urn:sealedpush:problem:not-found", problem.to_dict()["type"], "the problem")
    print(f"Python, {client.name}: registered, sent, confirmed, read, queried, refused")


def main():
    import_all()
    with tempfile.TemporaryDirectory() as folder:
        simulator = Simulator(folder)
        sender = Sender(folder)
        receiver = Receiver()
        service = Service(folder, simulator)
        secret = os.path.join(folder, "hook.key")
        with open(os.open(secret, os.O_CREAT | os.O_WRONLY, 0o600), "w") as file:
            file.write(receiver.secret)
        service.configuration["tenants"][0]["webhook"] = {
            "url": receiver.url,
            "secret-file": secret,
            "allows-plain-http": True,
            "allowed-ranges": ["127.0.0.0/8"],
        }
        service.start()
        try:
            for client in (ByOpenAPIGenerator, ByOpenAPIPythonClient):
                take_trip(client(service), service, simulator, sender, receiver)
            receiver.check_signatures()
        finally:
            status = service.child.stop()
            simulator.child.stop()
        expect(0, status, "the end of sealedpushd")


if __name__ == "__main__":
    main()
