import COpenSSL

/// A proxy's user name and password. Never printed, and wiped with the last reference.
///
/// They cross the network in clear: neither protocol encrypts the way to the proxy.
@safe public final class ProxyCredentials: Sendable {
    /// RFC 1929 section 2 counts either in one byte.
    static let byteCountMax = 255

    /// Unsafe only as a pointer: written in `init`, then only read.
    private nonisolated(unsafe) let storage: UnsafeMutableRawBufferPointer
    let userByteCount: Int

    var passwordByteCount: Int { unsafe storage.count - userByteCount }

    /// Creates credentials.
    ///
    /// - Parameters:
    ///   - user: 1 to 255 bytes.
    ///   - password: At most 255 bytes.
    /// - Throws: `.credentialsInvalid`, also for a control character (RFC 7617 section 2).
    public init(user: [UInt8], password: [UInt8]) throws(ProxyError) {
        let lengths = 1...Self.byteCountMax
        guard lengths.contains(user.count), password.isEmpty || lengths.contains(password.count),
            !user.contains(where: Self.isControl), !password.contains(where: Self.isControl)
        else { throw .credentialsInvalid }
        let storage = UnsafeMutableRawBufferPointer.allocate(byteCount: user.count + password.count, alignment: 1)
        unsafe storage.copyBytes(from: user)
        unsafe UnsafeMutableRawBufferPointer(rebasing: storage[user.count...]).copyBytes(from: password)
        unsafe self.storage = storage
        userByteCount = user.count
    }

    deinit {
        unsafe OPENSSL_cleanse(storage.baseAddress, storage.count)
        unsafe storage.deallocate()
    }

    func withBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        let bytes = unsafe UnsafeRawBufferPointer(storage)
        return body(unsafe bytes.assumingMemoryBound(to: UInt8.self).span)
    }

    private static func isControl(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == 0x7F
    }
}

extension ProxyCredentials: CustomStringConvertible, CustomReflectable {
    /// Hides the credentials.
    public var description: String { "proxy credentials" }
    /// Hides the credentials.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
