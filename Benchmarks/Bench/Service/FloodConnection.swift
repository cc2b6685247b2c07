import Transport

/// One connection of a flood: POSTs without a task for each, whose bodies lie where those of answered ones did. Lives on its
/// loop.
final class FloodConnection {
    /// One that awaits its answer.
    private struct Post {
        var numbers = 0..<0
        var start = MonotonicTime(nanoseconds: 0)
        var body: [UInt8] = []
    }

    /// Of bodies that the relay or the system has not taken: what comes behind them would only wait here.
    private static let unsentByteCountMax = 128 << 10

    private let core: HTTP2ClientCore
    private let head: HeaderBlock
    private let bodies: ServiceBodies
    private let bodyByteCount: Int
    private let tally: ServiceTally
    private var posts: [Post] = []
    /// Places among `posts` that no request has.
    private var free: [Int] = []
    private(set) var openCount = 0
    /// Called when one was answered.
    var onAnswer: (() -> Void)?

    /// - Parameters:
    ///   - loop: where it lives.
    ///   - head: of each POST.
    ///   - load: what is posted.
    ///   - tally: is told of the answers.
    init(_ loop: EventLoop, _ head: HeaderBlock, _ load: ServiceLoad, _ tally: ServiceTally) {
        var limits = HTTP2ClientLimits()
        // The silence of all requests is what ends a load, before this.
        limits.requestDeadline = .seconds(600)
        core = HTTP2ClientCore(loop: loop, limits: limits)
        self.head = head
        self.tally = tally
        bodies = ServiceBodies(load)
        bodyByteCount = bodies.body(0..<load.recipientCount).count
        core.owner = self
    }

    /// - Parameters:
    ///   - port: of the relay.
    ///   - context: a client's.
    ///   - completion: hears once whether it is there, or why not.
    func connect(to port: UInt16, _ context: TLSContext, completion: @escaping (TransportError?) -> Void) {
        core.connect(host: "localhost", port: port, context: context, completion: completion)
    }

    /// POSTs that the relay takes now.
    var room: Int {
        guard core.isOpen, core.unsentBodyByteCount < Self.unsentByteCountMax else { return 0 }
        return max(0, min(core.peerMaxConcurrentStreams - core.openStreamCount, core.bodyRoomByteCount / bodyByteCount))
    }

    /// One POST. Only where there is room.
    ///
    /// - Parameters:
    ///   - numbers: of its notifications.
    ///   - now: the present.
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

    /// - Parameters:
    ///   - gracefully: whether what was begun may have its answer.
    ///   - completion: called when nothing is left of it.
    func close(gracefully: Bool, completion: @escaping () -> Void) {
        core.close(gracefully: gracefully, completion: completion)
    }
}

extension FloodConnection: HTTP2ClientOwner {
    func requestDidEnd(_ id: UInt64, _ result: Result<HTTP2Response, TransportError>) {
        // Without an answer nobody knows what became of it; the report counts it.
        end(Int(id), status: (try? result.get().status) ?? 0)
    }

    func connectionDidProgress() {}
}
