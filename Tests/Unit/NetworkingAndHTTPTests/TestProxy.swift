import Glibc
import Platform

/// One caller of a test proxy, on a thread that may block. Written without the code under test: bytes and sockets only.
struct ProxyCaller {
    let descriptor: Int32

    func write(_ bytes: [UInt8]) {
        _ = unsafe send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// Writes every byte in a segment of its own; the reader's system may still join some.
    func writeInSingleBytes(_ bytes: [UInt8]) {
        var one: Int32 = 1
        unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        for byte in bytes { write([byte]) }
    }

    /// Nil if the caller closes before.
    func read(_ byteCount: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: byteCount)
        let count = unsafe recv(descriptor, &bytes, byteCount, Int32(MSG_WAITALL))
        return count == byteCount ? bytes : nil
    }

    /// The error of a read without bytes; 0 for an end in order.
    func readFailure() -> Int32 {
        var byte: UInt8 = 0
        let count = unsafe recv(descriptor, &byte, 1, 0)
        return count < 0 ? errno : 0
    }

    func readHead() -> [String]? {
        var head: [UInt8] = []
        while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            guard let byte = read(1) else { return nil }
            head += byte
        }
        return String(decoding: head.dropLast(4), as: UTF8.self).split(separator: "\r\n").map(String.init)
    }

    func waitForEnd() {
        while read(1) != nil {}
    }

    /// Carries bytes between the caller and a port of this machine until either closes.
    func relay(to port: UInt16) {
        guard let target = TestProxy.connect(to: port) else { return }
        defer { close(target) }
        var polled = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
        polled.append(pollfd(fd: target, events: Int16(POLLIN), revents: 0))
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while unsafe poll(&polled, 2, -1) > 0 {
            for (from, to) in [(0, 1), (1, 0)] where polled[from].revents != 0 {
                let count = unsafe recv(polled[from].fd, &buffer, buffer.count, 0)
                guard count > 0 else { return }
                var sent = 0
                while sent < count {
                    let piece = Array(buffer[sent..<count])
                    let pieceCount = unsafe send(polled[to].fd, piece, piece.count, Int32(MSG_NOSIGNAL))
                    guard pieceCount > 0 else { return }
                    sent += pieceCount
                }
            }
        }
    }
}

/// A proxy on 127.0.0.1 that runs the test's script for each caller, on a thread for each.
final class TestProxy: Sendable {
    typealias Script = @Sendable (ProxyCaller) -> Void

    struct Unavailable: Error {}

    let port: UInt16
    private let listener: Int32

    private final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    init(_ script: @escaping Script) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = Self.loopback(0)
        var byteCount = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                let code = unsafe bind(listener, address, byteCount)
                return code == 0 ? unsafe getsockname(listener, address, &byteCount) : code
            }
        }
        guard code == 0, listen(listener, 64) == 0 else { throw Unavailable() }
        self.listener = listener
        port = UInt16(bigEndian: address.sin_port)
        Self.start {
            while true {
                let caller = accept(listener, nil, nil)
                guard caller >= 0 else { break }
                Self.start {
                    script(ProxyCaller(descriptor: caller))
                    close(caller)
                }
            }
            close(listener)
        }
    }

    deinit {
        // This wakes the thread in accept, which closes the descriptor: its number must not be reused before.
        shutdown(listener, Int32(SHUT_RDWR))
    }

    static func connect(to port: UInt16) -> Int32? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = loopback(port)
        let code = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe Glibc.connect(descriptor, address, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    private static func loopback(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        return address
    }

    private static func start(_ body: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        let work = unsafe Unmanaged.passRetained(Work(body))
        let code = unsafe pthread_create(
            &thread,
            nil,
            { argument in
                if let argument = unsafe argument {
                    unsafe Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body()
                }
                return nil
            },
            work.toOpaque()
        )
        precondition(code == 0)
        pthread_detach(thread)
    }
}

extension TestProxy {
    /// An honest HTTP proxy. `seen` gets the head of every request.
    static func http(
        authorization: String? = nil,
        seen: @escaping @Sendable ([String]) -> Void = { _ in }
    ) throws -> TestProxy {
        try TestProxy { caller in
            guard let head = caller.readHead(), let request = head.first?.split(separator: " ") else { return }
            seen(head)
            guard request.count == 3, request[0] == "CONNECT", let port = request[1].split(separator: ":").last else {
                return caller.write(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8))
            }
            if let authorization, !head.contains("Proxy-Authorization: \(authorization)") {
                return caller.write(
                    Array(
                        "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"x\"\r\n\r\n"
                            .utf8
                    )
                )
            }
            caller.write(Array("HTTP/1.1 200 Connection established\r\nVia: 1.1 test\r\n\r\n".utf8))
            caller.relay(to: UInt16(port) ?? 0)
        }
    }

    /// An honest SOCKS5 proxy. `seen` gets the requested address, from its type to the port.
    static func socks5(
        user: String? = nil,
        password: String = "",
        seen: @escaping @Sendable ([UInt8]) -> Void = { _ in }
    ) throws -> TestProxy {
        try TestProxy { caller in
            guard let greeting = caller.read(2), greeting[0] == 5, let methods = caller.read(Int(greeting[1])) else {
                return
            }
            let method: UInt8 = user == nil ? 0 : 2
            guard methods.contains(method) else { return caller.write([5, 0xFF]) }
            caller.write([5, method])
            if let user {
                guard let start = caller.read(2), let name = caller.read(Int(start[1])),
                    let length = caller.read(1), let word = caller.read(Int(length[0]))
                else { return }
                let isKnown = name.elementsEqual(user.utf8) && word.elementsEqual(password.utf8)
                caller.write([1, isKnown ? 0 : 1])
                guard isKnown else { return }
            }
            guard let request = caller.read(4), request.starts(with: [5, 1, 0]) else { return }
            var address = [request[3]]
            switch request[3] {
            case 1: address += caller.read(4) ?? []
            case 4: address += caller.read(16) ?? []
            default:
                guard let length = caller.read(1), let name = caller.read(Int(length[0])) else { return }
                address += length + name
            }
            guard let port = caller.read(2) else { return }
            seen(address + port)
            caller.write([5, 0, 0, 1, 127, 0, 0, 1, 0, 80])
            caller.relay(to: UInt16(port[0]) << 8 | UInt16(port[1]))
        }
    }
}
