import Glibc

package struct SocketAddress: Sendable {
    let storage: sockaddr_storage
    let byteCount: socklen_t

    package var family: Int32 { Int32(storage.ss_family) }

    /// 4 or 16 bytes in network order; none for another family.
    package var hostBytes: [UInt8] {
        withBytes { bytes in
            // IPv6 has four bytes more before the address.
            let range = family == AF_INET ? 4..<8 : family == AF_INET6 ? 8..<24 : 0..<0
            return range.map { unsafe bytes.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
        }
    }

    /// In host byte order.
    var port: UInt16 {
        // After the family in both, big-endian.
        withBytes { bytes in
            unsafe UInt16(bigEndian: bytes.unsafeLoad(fromByteOffset: 2, as: UInt16.self))
        }
    }

    /// True for an address such as "127.0.0.1" or "::1", not a name.
    static func isLiteral(_ host: String) -> Bool {
        var v4 = in_addr()
        var v6 = in6_addr()
        let isV4 = unsafe inet_pton(AF_INET, host, &v4) == 1
        let isV6 = unsafe inet_pton(AF_INET6, host, &v6) == 1
        return isV4 || isV6
    }

    /// In the order to try. Blocks on the network unless `host` is a literal.
    package static func resolve(host: String, port: UInt16, isPassive: Bool = false) throws(TransportError)
        -> [SocketAddress]
    {
        var hints = unsafe addrinfo()
        unsafe hints.ai_family = AF_UNSPEC
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        unsafe hints.ai_flags = AI_NUMERICSERV | (isLiteral(host) ? AI_NUMERICHOST : 0) | (isPassive ? AI_PASSIVE : 0)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = unsafe getaddrinfo(host, String(port), &hints, &list)
        guard code == 0 else { throw .hostNotFound(reason: unsafe String(cString: gai_strerror(code))) }
        defer { unsafe freeaddrinfo(list) }
        var addresses: [SocketAddress] = []
        var next = unsafe list
        while let entry = unsafe next {
            if let address = unsafe entry.pointee.ai_addr {
                unsafe addresses.append(SocketAddress(copying: address, byteCount: entry.pointee.ai_addrlen))
            }
            unsafe next = entry.pointee.ai_next
        }
        guard !addresses.isEmpty else { throw .hostNotFound(reason: "no address") }
        return addresses
    }

    init(localEndOf descriptor: Int32) throws(TransportError) {
        var storage = sockaddr_storage()
        var byteCount = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let code = unsafe withUnsafeMutablePointer(to: &storage) { storage in
            unsafe storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe getsockname(descriptor, address, &byteCount)
            }
        }
        guard code == 0 else { throw .system(call: "getsockname", code: errno) }
        self.storage = storage
        self.byteCount = byteCount
    }

    init(remoteEndOf descriptor: Int32) throws(TransportError) {
        var storage = sockaddr_storage()
        var byteCount = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let code = unsafe withUnsafeMutablePointer(to: &storage) { storage in
            unsafe storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe getpeername(descriptor, address, &byteCount)
            }
        }
        guard code == 0 else { throw .system(call: "getpeername", code: errno) }
        self.storage = storage
        self.byteCount = byteCount
    }

    /// Address of a unix socket.
    ///
    /// - Throws: `.addressNotAvailable` for a path of more than 107 bytes.
    package static func unix(_ path: String) throws(TransportError) -> SocketAddress {
        var address = sockaddr_un()
        guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else { throw .addressNotAvailable }
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        return unsafe withUnsafePointer(to: address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe SocketAddress(copying: address, byteCount: socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    private init(copying address: UnsafePointer<sockaddr>, byteCount: socklen_t) {
        var storage = sockaddr_storage()
        let count = min(Int(byteCount), MemoryLayout<sockaddr_storage>.size)
        unsafe withUnsafeMutableBytes(of: &storage) { bytes in
            unsafe bytes.copyMemory(from: UnsafeRawBufferPointer(start: address, count: count))
        }
        self.storage = storage
        self.byteCount = socklen_t(count)
    }

    func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        unsafe withUnsafePointer(to: storage) { storage in
            unsafe storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe body(address, byteCount)
            }
        }
    }

    /// For example "127.0.0.1:443" or "[::1]:443".
    var text: String { family == AF_INET6 ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// For example "127.0.0.1" or "::1".
    package var host: String {
        let offset = family == AF_INET6 ? 8 : 4
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let isText = unsafe withUnsafeBytes(of: storage) { bytes in
            unsafe inet_ntop(family, bytes.baseAddress.map { unsafe $0 + offset }, &text, socklen_t(text.count)) != nil
        }
        guard isText else { return "address of family \(family)" }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    private func withBytes<Result>(_ body: (RawSpan) -> Result) -> Result {
        unsafe withUnsafeBytes(of: storage) { bytes in body(unsafe bytes.bytes) }
    }
}
