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

    /// Asked before the first byte goes out, on the call's thread, which may wait: nil lets it go out.
    typealias Permission = @Sendable () -> WebhookResult.Fault?

    private struct Progress {
        var hasBegun = false
        var refusal: WebhookResult.Fault?
        var answerByteCount = 0
        var status: Int?
    }

    private let post: WebhookPost
    private let way: WebhookWay
    private let now: @Sendable () -> Timestamp
    private let mayBegin: Permission
    private let exchange = HTTPSExchange()
    private let progress = Guarded(Progress())

    init(
        _ post: WebhookPost,
        by way: WebhookWay,
        now: @escaping @Sendable () -> Timestamp,
        mayBegin: @escaping Permission
    ) {
        self.post = post
        self.way = way
        self.now = now
        self.mayBegin = mayBegin
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
        request.body = HTTPSRequest.Body(bytes: post.body)
        request.mayBegin = { [self] in begins() }
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
        if let refusal = progress.refusal { return .notSent(refusal) }
        guard !progress.hasBegun else { return .lost }
        return switch failure {
        case .notTrusted: .notSent(.notTrusted)
        case .cancelled: .notSent(.cancelled)
        default: .notSent(.notReached)
        }
    }

    /// The connection stands, and nothing has gone out that a server could act upon.
    private func begins() -> Bool {
        let refusal = mayBegin()
        progress.withLock { progress in
            progress.refusal = refusal
            progress.hasBegun = refusal == nil
        }
        return refusal == nil
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
