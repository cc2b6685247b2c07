import HTTP
import Networking

/// One connection of a flood: POSTs without a task for each, and with reused body buffers. Lives on its loop.
final class FloodConnection {
    private struct Post {
        var numbers = 0..<0
        var start = MonotonicTime(nanoseconds: 0)
        var body: [UInt8] = []
    }

    /// Maximum of body bytes that neither relay nor system has taken: further ones would only wait here.
    private static let unsentByteCountMax = 128 << 10

    private let core: HTTP2ClientCore
    private let head: HeaderBlock
    private let bodies: ServiceBodies
    private let bodyByteCount: Int
    private let tally: ServiceTally
    private var posts: [Post] = []
    /// Free indices in `posts`.
    private var free: [Int] = []
    private(set) var openCount = 0
    var onAnswer: (() -> Void)?

    init(_ loop: EventLoop, _ head: HeaderBlock, _ load: ServiceLoad, _ tally: ServiceTally) {
        var limits = HTTP2ClientLimits()
        // The load's own limit on silence comes first.
        limits.requestDeadline = .seconds(600)
        core = HTTP2ClientCore(loop: loop, limits: limits)
        self.head = head
        self.tally = tally
        bodies = ServiceBodies(load)
        bodyByteCount = bodies.body(0..<load.recipientCount).count
        core.owner = self
    }

    /// - Parameter completion: Called once, with an error or nil.
    func connect(to port: UInt16, _ context: TLSContext, completion: @escaping (TransportError?) -> Void) {
        core.connect(host: "localhost", port: port, context: context, completion: completion)
    }

    /// POSTs that the relay takes now.
    var room: Int {
        guard core.isOpen, core.unsentBodyByteCount < Self.unsentByteCountMax else { return 0 }
        return max(0, min(core.peerMaxConcurrentStreams - core.openStreamCount, core.bodyRoomByteCount / bodyByteCount))
    }

    /// Sends one POST. Requires room.
    ///
    /// - Parameter numbers: Numbers of its notifications.
    func post(_ numbers: Range<Int>, at now: MonotonicTime) {
        if free.isEmpty {
            free.append(posts.count)
            posts.append(Post())
        }
        let place = free.removeLast()
        posts[place].numbers = numbers
        posts[place].start = now
        bodies.write(numbers, over: &posts[place].body)
        openCount += 1
        do throws(TransportError) {
            try core.start(
                head,
                body: posts[place].body,
                id: UInt64(place),
                deadline: now.adding(nanoseconds: 600_000_000_000)
            )
        } catch {
            end(place, status: 0)
        }
    }

    private func end(_ place: Int, status: Int) {
        openCount -= 1
        free.append(place)
        tally.note(posts[place].numbers, status: status, from: posts[place].start)
        onAnswer?()
    }

    func close(gracefully: Bool, completion: @escaping () -> Void) {
        core.close(gracefully: gracefully, completion: completion)
    }
}

extension FloodConnection: HTTP2ClientOwner {
    func requestDidEnd(_ id: UInt64, _ result: Result<HTTP2Response, TransportError>) {
        // Without an answer the result is unknown; the report counts it.
        end(Int(id), status: (try? result.get().status) ?? 0)
    }

    func connectionDidProgress() {}
}
