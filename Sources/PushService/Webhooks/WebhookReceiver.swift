import Envelope
import HTTPSClient
import Platform
import Primitives

/// Tenant's server: its checked addresses and its secrets.
final class WebhookReceiver: Sendable {
    private let destination: WebhookConfiguration
    private let addresses: [IPAddress]
    /// The newest first.
    private let secrets: [Secret]

    /// In a class, because arrays need copyable elements.
    private final class Secret: Sendable {
        let bytes: SecretBytes

        init(_ path: String) throws(WebhookSecretError) { bytes = try WebhookSecret.read(path) }
    }

    /// Looks up the name once and reads the secrets. Blocks: not on an event loop.
    ///
    /// - Throws: the reason why nothing can be sent.
    init(_ destination: WebhookConfiguration, by lookup: WebhookRoute.Lookup) throws(WebhookError) {
        let target = destination.target
        let found = target.literal.map { [$0] } ?? lookup(target.host)
        do throws(AddressError) {
            addresses = try AddressFilter.permitted(found, allowing: destination.allowedRanges)
        } catch {
            throw .address(error)
        }
        do throws(WebhookSecretError) {
            var secrets = [try Secret(destination.secretFile)]
            if let file = destination.oldSecretFile { secrets.append(try Secret(file)) }
            self.secrets = secrets
        } catch {
            throw .secret(error)
        }
        self.destination = destination
    }

    /// Pinned and signed.
    func request(_ post: WebhookPost, at time: Timestamp, seconds: Int) -> HTTPSRequest {
        let target = destination.target
        var request = HTTPSRequest(.post, target.url)
        request.allowsPlainHTTP = !target.isTLS
        if let authorities = destination.authoritiesFile { request.trust = .file(path: authorities) }
        let unixSeconds = Int64(clamping: time.milliseconds / 1_000)
        let signatures = secrets.map { secret in
            WebhookSignature.value(post.id, unixSeconds: unixSeconds, body: post.body, secret: secret.bytes)
        }
        request.fields = [
            ("content-type", "application/json"), ("user-agent", WebhookPost.userAgent),
            (WebhookSignature.idFieldName, post.id), (WebhookSignature.timeFieldName, "\(unixSeconds)"),
            (WebhookSignature.fieldName, signatures.joined(separator: " ")),
        ]
        request.body = HTTPSRequest.Body(bytes: post.body)
        request.pin = HTTPSRequest.Pin(host: target.host, port: target.port, addresses: addresses.map(\.bytes))
        request.patience.connectSeconds = seconds
        request.patience.stallSeconds = seconds
        request.patience.wholeSeconds = seconds
        return request
    }
}
