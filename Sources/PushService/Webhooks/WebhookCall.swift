import Envelope
import HTTPSClient
import Networking
import Platform

package struct WebhookRoute: Sendable {
    /// Addresses of a name, perhaps none. May block its thread.
    package typealias Lookup = @Sendable (_ host: String) -> [IPAddress]

    package var lookup: Lookup = Self.systemLookup
    /// For all but the lookup, which the system's resolver bounds.
    package var seconds = 15

    package init() {}

    @Sendable private static func systemLookup(_ host: String) -> [IPAddress] {
        // Without an address nothing is sent.
        let addresses = (try? SocketAddress.resolve(host: host, port: 0)) ?? []
        var seen: Set<IPAddress> = []
        return addresses.compactMap { IPAddress(bytes: $0.hostBytes) }.filter { seen.insert($0).inserted }
    }
}

/// One post over its own connection, on a thread that may block. libcurl repeats nothing on a new one: no byte goes out
/// twice.
final class WebhookCall: Sendable {
    private let post: WebhookPost
    private let way: WebhookRoute
    private let now: @Sendable () -> Timestamp
    private let exchange = HTTPSExchange()
    private let progress: WebhookProgress

    init(
        _ post: WebhookPost,
        by way: WebhookRoute,
        now: @escaping @Sendable () -> Timestamp,
        mayBegin: @escaping WebhookProgress.Permission
    ) {
        self.post = post
        self.way = way
        self.now = now
        progress = WebhookProgress(allowing: post.destination.allowedRanges, mayBegin: mayBegin)
    }

    /// From any thread; does not block.
    func cancel() { exchange.cancel() }

    func run() -> WebhookResult {
        var request: HTTPSRequest
        do throws(WebhookError) {
            let receiver = try WebhookReceiver(post.destination, by: way.lookup)
            request = receiver.request(post, at: now(), seconds: way.seconds)
        } catch {
            return .notSent(error)
        }
        request.mayBegin = { [progress] in progress.begins(at: $0) }
        do throws(HTTPSError) {
            try exchange.run(request, onHead: progress.take(_:), onBytes: progress.take(_:))
            return progress.result(nil)
        } catch {
            return progress.result(error)
        }
    }
}
