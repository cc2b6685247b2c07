#if os(Linux)
import Platform

/// A caller of a unix socket, in HTTP/1.1, with a connection for each call.
package enum UnixCaller {
    /// - Throws: also if there is no whole head.
    package static func call(
        _ path: String,
        _ line: String,
        fields: [String] = [],
        _ body: String = ""
    ) throws(SystemFailure) -> (status: Int, head: String, body: String) {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard path.utf8.count < 108 else { throw SystemFailure(call: "connect", code: ENAMETOOLONG) }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        let code = unsafe withUnsafePointer(to: address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe connect(descriptor, address, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard code == 0 else { throw SystemFailure(call: "connect", code: errno) }
        let head = ["\(line) HTTP/1.1", "Host: localhost", "Content-Length: \(body.utf8.count)", "Connection: close"]
        var rest = Array(((head + fields).joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { break }
            rest = rest.dropFirst(count)
        }
        var all: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            all += chunk[..<count]
        }
        let text = String(decoding: all, as: UTF8.self)
        guard let end = text.firstRange(of: "\r\n\r\n"),
            let status = Int(text.split(separator: " ").dropFirst().first ?? "")
        else { throw SystemFailure(call: "read", code: EPROTO) }
        return (status, String(text[..<end.lowerBound]), String(text[end.upperBound...]))
    }
}
#endif
