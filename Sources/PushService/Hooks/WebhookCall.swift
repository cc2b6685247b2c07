import Envelope
import HTTPSClient
import Platform
import Transport

/// How a post gets to its server, other than by what it says itself.
package struct WebhookWay: Sendable {
    /// Addresses of a name, none where there are none. May wait, on the thread that asks.
    package typealias Lookup = @Sendable (_ host: String) -> [IPAddress]

    package var lookup: Lookup = Self.systemLookup
    /// For all of it but the look-up, which the system's resolver bounds.
    package var seconds = 15

    package init() {}

    @Sendable private static func systemLookup(_ host: String) -> [IPAddress] {
        // What is wrong with a name does not matter here: it leads nowhere now.
        let addresses = (try? SocketAddress.resolve(host: host, port: 0)) ?? []
        var seen: Set<IPAddress> = []
        return addresses.compactMap { IPAddress(bytes: $0.hostBytes) }.filter { seen.insert($0).inserted }
    }
}

/// One post over a connection of its own, on a thread that may wait: libcurl repeats nothing over a new connection, so that not
/// a byte goes out twice.
final class WebhookCall: Sendable {
    private let post: WebhookPost
    private let way: WebhookWay
    private let now: @Sendable () -> Timestamp
    private let exchange = HTTPSExchange()
    private let progress: WebhookProgress

    init(
        _ post: WebhookPost,
        by way: WebhookWay,
        now: @escaping @Sendable () -> Timestamp,
        mayBegin: @escaping WebhookProgress.Permission
    ) {
        self.post = post
        self.way = way
        self.now = now
        progress = WebhookProgress(allowing: post.destination.allowedRanges, mayBegin: mayBegin)
    }

    /// From any thread; does not wait.
    func cancel() { exchange.cancel() }

    func run() -> WebhookResult {
        var request: HTTPSRequest
        do throws(WebhookResult.Fault) {
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
