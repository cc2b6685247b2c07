import COpenSSL
import Glibc
import Platform

/// Server's session ticket keys. Each seals for one period, opens for another, and is wiped.
///
/// A TLS 1.2 ticket key opens every connection resumed with it, recorded ones too: it must not live as long as the
/// process (RFC 5077 section 5.5; RFC 9325 section 3.4).
///
/// Unchecked Sendable: the keys are used under the lock only.
@safe final class TicketKeys: @unchecked Sendable {
    /// OpenSSL's lifetime of a session (`SSL_CTX_set_timeout`), so that no ticket loses its key earlier.
    static let period: Duration = .seconds(periodSeconds)
    static let periodSeconds = 7200

    private let keys = Guarded(Generations())
    private let uptime: @Sendable () -> MonotonicTime

    init(uptime: @escaping @Sendable () -> MonotonicTime) { self.uptime = uptime }

    /// Installs the ticket callback in `context`, which must not outlive this object.
    func install(in context: OpaquePointer) throws(TLSError) {
        guard unsafe SSL_CTX_set_ex_data(context, 0, Unmanaged.passUnretained(self).toOpaque()) == 1,
            unsafe copenssl_ctx_set_ticket_key_callback(
                context,
                { ssl, name, vector, cipher, checksum, seals in
                    let owner = unsafe SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), 0)
                    guard let owner = unsafe owner, let name = unsafe name, let vector = unsafe vector else {
                        return -1
                    }
                    return unsafe Unmanaged<TicketKeys>.fromOpaque(owner)._withUnsafeGuaranteedRef { keys in
                        unsafe seals == 1
                            ? keys.seal(name, vector, cipher, checksum) : keys.open(name, vector, cipher, checksum)
                    }
                }
            ) == 1
        else { throw OpenSSLFailure.library("SSL_CTX_set_tlsext_ticket_key_evp_cb") }
        unsafe SSL_CTX_set_timeout(context, Self.periodSeconds)
    }

    /// - Returns: OpenSSL's code: 1 for a ticket, -1 for a failure.
    private func seal(
        _ name: UnsafeMutablePointer<UInt8>,
        _ vector: UnsafeMutablePointer<UInt8>,
        _ cipher: OpaquePointer?,
        _ checksum: OpaquePointer?
    ) -> Int32 {
        let now = uptime()
        return keys.withLock { keys in
            guard let key = keys.newest(at: now), unsafe RAND_bytes(vector, TicketKey.vectorByteCount) == 1 else {
                return -1
            }
            unsafe name.update(from: key.name, count: TicketKey.nameByteCount)
            return unsafe key.prepare(cipher, checksum, vector, seals: true) ? 1 : -1
        }
    }

    /// - Returns: OpenSSL's code: 0 for an unknown key, 2 for a ticket to be replaced.
    private func open(
        _ name: UnsafeMutablePointer<UInt8>,
        _ vector: UnsafeMutablePointer<UInt8>,
        _ cipher: OpaquePointer?,
        _ checksum: OpaquePointer?
    ) -> Int32 {
        let now = uptime()
        return keys.withLock { keys in
            guard let (key, isNewest) = unsafe keys.find(name, at: now) else { return 0 }
            guard unsafe key.prepare(cipher, checksum, vector, seals: false) else { return -1 }
            return isNewest ? 1 : 2
        }
    }

    /// Sealing key and its predecessor, expired at each use.
    private struct Generations {
        private var current: TicketKey?
        private var previous: TicketKey?

        mutating func newest(at now: MonotonicTime) -> TicketKey? {
            expire(at: now)
            if current == nil { current = TicketKey(madeAt: now) }
            return current
        }

        mutating func find(_ name: UnsafePointer<UInt8>, at now: MonotonicTime) -> (TicketKey, isNewest: Bool)? {
            expire(at: now)
            if let current, unsafe current.isNamed(name) { return (current, true) }
            if let previous, unsafe previous.isNamed(name) { return (previous, false) }
            return nil
        }

        private mutating func expire(at now: MonotonicTime) {
            if let current, current.madeAt + TicketKeys.period <= now {
                previous = current
                self.current = nil
            }
            if let previous, previous.madeAt + TicketKeys.period + TicketKeys.period <= now { self.previous = nil }
        }
    }
}

/// Unchecked Sendable: the bytes are written in `init`, wiped in `deinit`, and only read between.
@safe private final class TicketKey: @unchecked Sendable {
    static let nameByteCount = 16
    static let vectorByteCount: Int32 = 16
    /// AES-256, and HMAC with SHA-256.
    private static let secretByteCount = 64

    let madeAt: MonotonicTime
    private let bytes: UnsafeMutablePointer<UInt8>

    /// - Returns: nil without random bytes.
    init?(madeAt now: MonotonicTime) {
        let byteCount = Self.nameByteCount + Self.secretByteCount
        madeAt = now
        unsafe bytes = .allocate(capacity: byteCount)
        unsafe bytes.initialize(repeating: 0, count: byteCount)
        guard unsafe RAND_priv_bytes(bytes, Int32(byteCount)) == 1 else { return nil }
    }

    deinit {
        unsafe OPENSSL_cleanse(bytes, Self.nameByteCount + Self.secretByteCount)
        unsafe bytes.deallocate()
    }

    var name: UnsafePointer<UInt8> { unsafe UnsafePointer(bytes) }

    func isNamed(_ other: UnsafePointer<UInt8>) -> Bool { unsafe memcmp(bytes, other, Self.nameByteCount) == 0 }

    func prepare(
        _ cipher: OpaquePointer?,
        _ checksum: OpaquePointer?,
        _ vector: UnsafePointer<UInt8>,
        seals: Bool
    ) -> Bool {
        unsafe copenssl_prepare_ticket(cipher, checksum, bytes + Self.nameByteCount, vector, seals ? 1 : 0) == 1
    }
}
