import COpenSSL
import Glibc

/// A blocking TLS client, which can send and read byte by byte.
@safe public final class TestClient {
    private let context: OpaquePointer
    private let session: OpaquePointer
    private let descriptor: Int32

    /// Connects to 127.0.0.1 and shakes hands.
    ///
    /// - Parameters:
    ///   - alpn: as on the wire: each name behind its length.
    ///   - source: the address of this machine that it calls from, in the host's byte order; all of 127.0.0.0/8 are.
    /// - Throws: `TestAuthority.Failure`.
    public init(
        port: UInt16,
        alpn: [UInt8] = [8] + Array("http/1.1".utf8),
        from source: UInt32 = 0x7F00_0001
    ) throws {
        // A server that is gone must not end the tests: OpenSSL writes in a handshake too, and while it reads.
        _ = signal(SIGPIPE, SIG_IGN)
        guard let context = unsafe SSL_CTX_new(TLS_client_method()) else {
            throw TestAuthority.Failure(call: "SSL_CTX_new")
        }
        // A child with a copy would hide the connection's end from the server.
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard let session = unsafe SSL_new(context), unsafe SSL_set_fd(session, descriptor) == 1 else {
            throw TestAuthority.Failure(call: "SSL_new")
        }
        unsafe self.context = unsafe context
        unsafe self.session = unsafe session
        self.descriptor = descriptor
        func call(_ host: UInt32, _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Bool {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = host.bigEndian
            return unsafe withUnsafePointer(to: address) { address in
                unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    unsafe body(address, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
        }
        guard unsafe call(source, 0, { unsafe bind(descriptor, $0, $1) }),
            unsafe call(0x7F00_0001, port, { unsafe connect(descriptor, $0, $1) })
        else { throw TestAuthority.Failure(call: "connect") }
        unsafe SSL_set_alpn_protos(session, alpn, UInt32(alpn.count))
        guard unsafe SSL_connect(session) == 1 else {
            ERR_clear_error()
            throw TestAuthority.Failure(call: "SSL_connect")
        }
    }

    deinit {
        unsafe SSL_free(session)
        unsafe SSL_CTX_free(context)
        close(descriptor)
    }

    /// The protocol that the server chose; empty for none.
    public var chosenProtocol: String {
        var name: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        unsafe SSL_get0_alpn_selected(session, &name, &count)
        let bytes = unsafe UnsafeBufferPointer(start: name, count: Int(count))
        return unsafe String(decoding: bytes, as: UTF8.self)
    }

    /// - Returns: true if the connection took it.
    @discardableResult
    public func send(_ bytes: [UInt8]) -> Bool {
        let count = unsafe SSL_write(session, bytes, Int32(bytes.count))
        ERR_clear_error()
        return count == bytes.count
    }

    /// - Returns: true if the connection took it.
    @discardableResult
    public func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// - Returns: at most `byteCountMax` bytes; none at the connection's end.
    public func receive(_ byteCountMax: Int = 65_536) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: byteCountMax)
        let count = unsafe SSL_read(session, &bytes, Int32(byteCountMax))
        ERR_clear_error()
        return count > 0 ? Array(bytes.prefix(Int(count))) : []
    }

    /// Everything up to the connection's end.
    public func rest() -> [UInt8] {
        var all: [UInt8] = []
        while true {
            let bytes = receive()
            if bytes.isEmpty { return all }
            all += bytes
        }
    }

    /// The next answer.
    ///
    /// - Parameter isHead: true if it has no body whatever its fields say.
    /// - Returns: nil where the connection ends before it does.
    public func response(isHead: Bool = false) -> Response? {
        var bytes: [UInt8] = []
        while !bytes.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            let byte = receive(1)
            if byte.isEmpty { return nil }
            bytes += byte
        }
        var response = Response(head: String(decoding: bytes, as: UTF8.self))
        let byteCount = isHead ? 0 : Int(response["content-length"] ?? "0") ?? 0
        while response.body.count < byteCount {
            let more = receive(byteCount - response.body.count)
            if more.isEmpty { return nil }
            response.body += more
        }
        return response
    }

    /// An answer of HTTP/1.1.
    public struct Response {
        /// The first line, such as "HTTP/1.1 200 OK".
        public let statusLine: String
        /// The body, of `Content-Length` bytes.
        public internal(set) var body: [UInt8] = []
        private let fields: [(name: String, value: String)]

        init(head: String) {
            let lines = head.split(separator: "\r\n")
            statusLine = lines.first.map(String.init) ?? ""
            fields = lines.dropFirst().map { line in
                let parts = line.split(separator: ":", maxSplits: 1)
                let value = parts.count == 2 ? parts[1].drop { $0 == " " } : ""
                return (parts[0].lowercased(), String(value))
            }
        }

        /// The status, such as 200.
        public var status: Int { Int(statusLine.split(separator: " ").dropFirst().first ?? "") ?? 0 }

        /// The first field of this name, which is in lower case; nil without one.
        public subscript(name: String) -> String? { fields.first { $0.name == name }?.value }
    }
}
