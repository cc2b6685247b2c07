#if os(Linux)
private import Platform

/// A blocking caller of 127.0.0.1 in plain text.
package final class PlainCaller {
    private let descriptor: Int32

    package init(port: UInt16) throws(SystemFailure) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        let code = unsafe withUnsafePointer(to: address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe connect(descriptor, address, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard descriptor >= 0, code == 0 else {
            let code = errno
            close(descriptor)
            throw SystemFailure(call: "connect", code: code)
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    package func write(_ text: String) {
        let bytes = Array(text.utf8)
        // A server that is gone must not end the tests; lost bytes show in its answer.
        _ = unsafe send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    package func rest() -> String {
        var all: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return String(decoding: all, as: UTF8.self) }
            all += chunk[..<count]
        }
    }

    /// Reads until `found` has a result for a whole event's text; nil if the server ends first.
    package func rest<Result>(until found: (String) -> Result?) -> Result? {
        var all: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            all += chunk[..<count]
            guard all.suffix(2) == [0x0A, 0x0A] else { continue }
            if let result = found(String(decoding: all, as: UTF8.self)) { return result }
        }
    }

    /// One call and its answer.
    ///
    /// - Parameters:
    ///   - line: method and target, "GET /v1/state".
    ///   - fields: lines of the head, without their ends.
    ///   - body: sent with its length.
    /// - Returns: the status, 0 for no answer; head and body as they came.
    package static func call(
        _ port: UInt16,
        _ line: String,
        _ fields: [String],
        body: String = ""
    ) throws(SystemFailure) -> (status: Int, head: String, body: String) {
        let client = try PlainCaller(port: port)
        let all = fields + ["Content-Length: \(body.utf8.count)", "Connection: close"]
        client.write("\(line) HTTP/1.1\r\n" + all.joined(separator: "\r\n") + "\r\n\r\n" + body)
        let answer = client.rest()
        guard let end = answer.firstRange(of: "\r\n\r\n") else { return (0, answer, "") }
        let status = Int(answer.split(separator: " ").dropFirst().first ?? "") ?? 0
        return (status, String(answer[..<end.lowerBound]), String(answer[end.upperBound...]))
    }
}
#endif
