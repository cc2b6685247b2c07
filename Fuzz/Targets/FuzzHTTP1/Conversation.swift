import FuzzSupport

@testable import HTTP
@testable import Networking

/// One whole connection's bytes, with the application's and the client's results.
struct Conversation {
    private(set) var requests: [Served] = []
    /// Answers without the interim ones, which depend on the body's arrival, and without the time.
    private(set) var answers: [UInt8] = []
    private(set) var isClosed = false
    private(set) var budgetByteCount = 0
    private(set) var heldByteCount = 0

    static let limits = {
        var limits = HTTPLimits()
        limits.headerByteCountMax = 1024
        limits.headerFieldCountMax = 24
        (limits.keyedBodyMemoryMax, limits.keylessBodyMemoryMax, limits.networkBodyMemoryMax) = (4096, 4096, 4096)
        limits.discardedByteCountMax = 64
        return limits
    }()

    /// Stopped: its jobs run at once, on the calling thread.
    private static let loop = {
        guard let loop = try? EventLoop() else { fatalError("no loop") }
        loop.stop()
        return loop
    }()

    /// - Parameters:
    ///   - bytes: all that the client sends.
    ///   - pieceByteCount: length of each piece.
    init(_ bytes: [UInt8], pieceByteCount: Int) {
        let run = LoopBound(Run(Self.loop), to: Self.loop)
        Self.loop.perform { run.value.converse(bytes, pieceByteCount) }
        Self.loop.perform { run.value.end() }
        // Nothing else touches it, and both calls have returned.
        (requests, answers) = (run.bound.application.requests, run.bound.channel.finalAnswers)
        (isClosed, budgetByteCount) = (run.bound.wasClosed, run.bound.service.budget.byteCount)
        heldByteCount = run.bound.heldByteCount
    }

    struct Served: Equatable {
        var fields: HeaderBlock
        /// Nil: refused, or incomplete.
        var body: [UInt8]?

        /// The fields without those of the transfer alone.
        var meaning: [[UInt8]] {
            let kept = fields.filter { field in
                !field.name.elementsEqual("connection".utf8) && !field.name.elementsEqual("expect".utf8)
            }
            return kept.flatMap { [Array($0.name), Array($0.value)] } + [body ?? []]
        }

        var bytes: [UInt8] {
            var text = Array(fields[":method"] ?? []) + [0x20] + (fields[":path"] ?? []) + Array(" HTTP/1.1\r\n".utf8)
            for index in 0..<fields.count {
                let (name, value) = (fields[index].name, fields[index].value)
                let isDropped =
                    name.first == UInt8(ascii: ":") || name.elementsEqual("connection".utf8)
                    || name.elementsEqual("expect".utf8)
                if !isDropped { text += name + Array(": ".utf8) + value + Array("\r\n".utf8) }
            }
            return text + Array("\r\n".utf8) + (body ?? [])
        }
    }
}

private final class Run {
    let channel: Wire
    let service: HTTPService
    let application = Application()
    private var connection: HTTP1Connection?
    private(set) var wasClosed = false
    private(set) var heldByteCount = 0

    init(_ loop: EventLoop) {
        channel = Wire(loop: loop)
        service = HTTPService(application: application, limits: Conversation.limits, loop: loop)
    }

    func converse(_ bytes: [UInt8], _ pieceByteCount: Int) {
        let connection = HTTP1Connection(
            channel,
            service: service,
            remoteAddress: nil,
            onKeyAccepted: {},
            onClosed: {}
        )
        self.connection = connection
        var rest = bytes[...]
        while !rest.isEmpty, !channel.isClosed {
            let piece = Array(rest.prefix(pieceByteCount))
            rest = rest.dropFirst(pieceByteCount)
            connection.channelDidReceive(piece.span)
            heldByteCount = max(heldByteCount, connection.input.byteCount)
        }
    }

    func end() {
        wasClosed = channel.isClosed
        connection?.channelDidClose()
        connection = nil
        service.end()
    }
}

private final class Wire: ByteChannel {
    let loop: EventLoop
    let isWritable = true
    let unsentByteCount = 0
    private(set) var isClosed = false
    private var written: [UInt8] = []

    init(loop: EventLoop) { self.loop = loop }

    func write(_ bytes: Span<UInt8>) throws(TransportError) {
        require(!isClosed, "nothing is written behind the end")
        for index in bytes.indices { written.append(bytes[index]) }
    }

    func pauseReading() {}
    func resumeReading() {}
    func close() { isClosed = true }
    func abort(_ error: TransportError, resets: Bool) { isClosed = true }

    var finalAnswers: [UInt8] {
        let interim = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
        let (date, dateByteCount) = (Array("date: ".utf8), "date: Tue, 24 Nov 2026 15:04:05 GMT\r\n".utf8.count)
        var rest = written[...]
        var answers: [UInt8] = []
        while let first = rest.first {
            if rest.starts(with: interim) {
                rest = rest.dropFirst(interim.count)
            } else if rest.starts(with: date) {
                rest = rest.dropFirst(dateByteCount)
            } else {
                answers.append(first)
                rest = rest.dropFirst()
            }
        }
        return answers
    }
}

/// Reads every body to 256 bytes, except on paths that end with `-`, and answers with what it read.
///
/// Unchecked: it lives on the loop.
private final class Application: HTTPApplication, @unchecked Sendable {
    private(set) var requests: [Conversation.Served] = []

    func begin(_ head: HTTPHead) -> HTTPBeginning {
        requests.append(Conversation.Served(fields: head.fields, body: nil))
        guard head.path.last != UInt8(ascii: "-") else { return .answer(HTTPAnswer(status: 404, body: [0x2D])) }
        return .read(byteCountMax: 256, share: .keyless(network: []), then: Exchange(self, requests.count - 1))
    }

    private final class Exchange: HTTPExchange {
        private let application: Application
        private let number: Int

        init(_ application: Application, _ number: Int) {
            self.application = application
            self.number = number
        }

        func finish(_ body: HTTPBody, _ responder: HTTPResponder) {
            switch body {
            case .whole(let bytes):
                require(application.requests[number].body == nil, "a body comes once")
                application.requests[number].body = bytes
                responder.respond(HTTPAnswer(status: 200, body: bytes))
            case .tooLarge: responder.respond(HTTPAnswer(status: 413))
            case .noRoom: responder.respond(HTTPAnswer(status: 503))
            }
            responder.respond(HTTPAnswer(status: 500))
        }
    }
}
