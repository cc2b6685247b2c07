import TestCertificates
import TestSupport

/// Bodies that never end: 42 connections of HTTP/2 with as many streams each as they may have, and on each a body of a
/// receipt's greatest length without its last byte.
final class BodyFlood {
    static let connectionCount = 42
    private static let streamCount = 250
    private static let bodyByteCount = 33_792
    private static let pieceByteCount = 16_384

    private var connections: [TestClient] = []

    /// - Parameters:
    ///   - port: of 127.0.0.1, over TLS.
    ///   - sources: addresses of this machine that it comes from, in turn.
    ///   - path: of every request.
    ///   - key: sent with each, if there is one.
    /// - Throws: if the service accepts none of its connections.
    init(
        _ port: UInt16,
        from sources: [UInt32],
        _ path: String,
        key: String? = nil,
        connectionCount: Int = connectionCount
    ) throws {
        let streams = (0..<Self.streamCount).map { Self.stream(UInt32(2 * $0 + 1), path, key) }
        for number in 0..<connectionCount {
            let source = sources[number % sources.count]
            let connection = try TestClient(port: port, alpn: [2] + Array("h2".utf8), from: source)
            connection.send(RawFrame.preface)
            // The service closes a flooding connection in the end.
            for stream in streams where !connection.send(stream) { break }
            connections.append(connection)
        }
    }

    func end() { connections = [] }

    private static func stream(_ id: UInt32, _ path: String, _ key: String?) -> [UInt8] {
        var fields = [
            (":method", "POST"), (":scheme", "https"), (":authority", "localhost"), (":path", path),
            ("content-type", "application/json"),
        ]
        if let key { fields.append(("authorization", "Bearer " + key)) }
        // Literals without indexing (RFC 7541 section 6.2.2).
        let block = fields.reduce(into: [UInt8]()) { block, field in
            block += [0, UInt8(field.0.utf8.count)] + Array(field.0.utf8)
            block += [UInt8(field.1.utf8.count)] + Array(field.1.utf8)
        }
        var frames = RawFrame.frame(type: 1, flags: 4, stream: id, block)
        var rest = bodyByteCount - 1
        while rest > 0 {
            let count = min(rest, pieceByteCount)
            frames += RawFrame.data(stream: id, [UInt8](repeating: UInt8(ascii: " "), count: count))
            rest -= count
        }
        return frames
    }
}
