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

/// One post, on a thread that may wait: looks the name up, once; judges every address; connects to one of these and to
/// nothing else; throws the answer's body away.
final class WebhookCall: Sendable {
    /// Of an answer's body; more is not waited for.
    private static let answerByteCountMax = 64 << 10

    private struct Progress {
        var sentByteCount = 0
        var answerByteCount = 0
        var status: Int?
    }

    private let post: WebhookPost
    private let way: WebhookWay
    private let now: @Sendable () -> Timestamp
    private let exchange = HTTPSExchange()
    private let progress = Guarded(Progress())

    init(_ post: WebhookPost, by way: WebhookWay, now: @escaping @Sendable () -> Timestamp) {
        self.post = post
        self.way = way
        self.now = now
    }

    /// From any thread; does not wait.
    func cancel() { exchange.cancel() }

    func run() -> WebhookResult {
        let target = post.destination.target
        let addresses = target.literal.map { [$0] } ?? way.lookup(target.host)
        let permitted: [IPAddress]
        do throws(AddressJudge.Refusal) {
            permitted = try AddressJudge.permitted(addresses, allowing: post.destination.allowedRanges)
        } catch {
            return .notSent(.address(error))
        }
        var request: HTTPSRequest
        do throws(SecretFile.Fault) {
            request = try post.request(at: now())
        } catch {
            return .notSent(.secret(error))
        }
        request.pin = HTTPSRequest.Pin(host: target.host, port: target.port, addresses: permitted.map(\.bytes))
        request.patience.connectSeconds = way.seconds
        request.patience.stallSeconds = way.seconds
        request.patience.wholeSeconds = way.seconds
        request.body = body
        return run(request)
    }

    private func run(_ request: HTTPSRequest) -> WebhookResult {
        var failure: HTTPSError?
        do throws(HTTPSError) {
            try exchange.run(request, onHead: take(_:), onBytes: takeBytes(_:))
        } catch {
            failure = error
        }
        let progress = progress.withLock { $0 }
        // The head decides, however its body ended.
        if let status = progress.status { return .answered(status: status) }
        guard progress.sentByteCount == 0 else { return .lost }
        return switch failure {
        case .notTrusted, .certificateHasBadDate: .notSent(.notTrusted)
        case .cancelled: .notSent(.cancelled)
        default: .notSent(.notReached)
        }
    }

    /// The first byte is asked for when the connection stands: before that nothing has gone out that a server could act
    /// upon.
    private var body: HTTPSRequest.Body {
        HTTPSRequest.Body(byteCount: UInt64(post.body.count)) { [post, progress] span in
            let start = progress.withLock { $0.sentByteCount }
            let count = min(span.byteCount, post.body.count - start)
            unsafe span.withUnsafeMutableBytes { unsafe $0.copyBytes(from: post.body[start..<start + count]) }
            progress.withLock { $0.sentByteCount = start + count }
            return count
        }
    }

    private func take(_ head: HTTPSHead) -> Bool {
        progress.withLock { $0.status = head.status }
        return true
    }

    private func takeBytes(_ bytes: RawSpan) -> Bool {
        let count = bytes.byteCount
        return progress.withLock { progress in
            progress.answerByteCount += count
            return progress.answerByteCount <= Self.answerByteCountMax
        }
    }
}
