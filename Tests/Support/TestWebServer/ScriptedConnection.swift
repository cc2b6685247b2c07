internal import Networking

/// One connection: reads a request, gets its steps from the script, performs them, and reads the next.
final class ScriptedConnection: TLSChannelDelegate {
    private static let pieceByteCount = 64 << 10

    private static let headEnd: [UInt8] = [13, 10, 13, 10]

    private let loop: EventLoop
    private let script: (_ head: String, _ body: [UInt8]) -> [TestWebServer.Step]
    private var input: [UInt8] = []
    /// Steps of the present request; empty at the connection's end.
    private var steps: [TestWebServer.Step]?
    private var offset = 0

    init(loop: EventLoop, script: @escaping (_ head: String, _ body: [UInt8]) -> [TestWebServer.Step]) {
        self.loop = loop
        self.script = script
    }

    func channelDidOpen(_ channel: TLSChannel) {}

    func channel(_ channel: TLSChannel, didReceive bytes: Span<UInt8>) {
        for index in bytes.indices { input.append(bytes[index]) }
        answer(on: channel)
    }

    private func answer(on channel: TLSChannel) {
        while steps == nil, let end = input.firstRange(of: Self.headEnd) {
            let head = String(decoding: input[..<end.upperBound], as: UTF8.self)
            let bodyEnd = end.upperBound + Self.bodyByteCount(head)
            guard input.count >= bodyEnd else { return }
            steps = script(head, Array(input[end.upperBound..<bodyEnd]))
            input.removeFirst(bodyEnd)
            perform(on: channel)
        }
    }

    private static func bodyByteCount(_ head: String) -> Int {
        let name = "content-length:"
        let line = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix(name) }
        return line.flatMap { Int($0.dropFirst(name.count).drop { $0 == " " }) } ?? 0
    }

    func channelIsWritable(_ channel: TLSChannel) { perform(on: channel) }

    func channelDidClose(_ channel: TLSChannel, _ error: TransportError?) { steps = [] }

    private func perform(on channel: TLSChannel) {
        do throws(TransportError) {
            while channel.isWritable, let step = steps?.first {
                switch step {
                case .send(let bytes): try send(bytes, pieceByteCount: Self.pieceByteCount, on: channel)
                case .sendOneByOne(let bytes):
                    try send(bytes, pieceByteCount: 1, on: channel)
                    channel.flush()
                case .sendForever(let bytes): try channel.write(bytes)
                case .hold: return
                case .pause(let duration):
                    steps?[0] = .hold
                    loop.schedule(after: duration) { [self] in goOn(on: channel) }
                    return
                case .close:
                    steps = []
                    return channel.close()
                case .cut:
                    steps = []
                    channel.flush()
                    return channel.abort(.loopStopped)
                }
                if steps?.isEmpty == true { steps = nil }
            }
        } catch {
            steps = []
        }
    }

    private func goOn(on channel: TLSChannel) {
        guard steps?.isEmpty == false else { return }
        steps?.removeFirst()
        if steps?.isEmpty == true { steps = nil }
        perform(on: channel)
        answer(on: channel)
    }

    private func send(_ bytes: [UInt8], pieceByteCount: Int, on channel: TLSChannel) throws(TransportError) {
        let piece = Array(bytes[offset..<min(offset + pieceByteCount, bytes.count)])
        offset += piece.count
        if offset == bytes.count {
            steps?.removeFirst()
            offset = 0
        }
        if !piece.isEmpty { try channel.write(piece) }
    }
}
