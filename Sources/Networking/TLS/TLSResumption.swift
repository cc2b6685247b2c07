import COpenSSL
import Platform

/// Client connection's session resumption. Bound to one context, so that no session outlives a change of trust or
/// identity.
@safe final class TLSResumption {
    typealias Server = TicketCache<ResumableSession>.Server

    final class Cache: Sendable {
        /// Pool's usual number of connections, which may return together.
        static let ticketCountMax = 8
        static let serverCountMax = 64

        private let cache = Guarded(
            TicketCache<ResumableSession>(ticketCountMax: ticketCountMax, serverCountMax: serverCountMax)
        )

        func put(_ session: ResumableSession, for server: Server) {
            cache.withLock { $0.put(session, for: server) }
        }

        /// Takes the newest usable session; drops unusable ones.
        func take(for server: Server) -> ResumableSession? {
            cache.withLock { cache in
                while let session = cache.take(for: server) {
                    if session.isUsable(for: server.host) { return session }
                }
                return nil
            }
        }

        func removeAll(for server: Server) {
            cache.withLock { $0.removeAll(for: server) }
        }

        func count(for server: Server) -> Int {
            cache.withLock { $0.count(for: server) }
        }
    }

    private let cache: Cache
    private let server: Server
    private var offered: ResumableSession?

    init(_ cache: Cache, _ server: Server) {
        self.cache = cache
        self.server = server
    }

    /// OpenSSL then finds this object through `ssl`, which must not outlive it.
    func attach(to ssl: OpaquePointer) -> Bool {
        unsafe SSL_set_ex_data(ssl, 0, Unmanaged.passUnretained(self).toOpaque()) == 1
    }

    static func listen(to context: OpaquePointer) {
        unsafe SSL_CTX_sess_set_new_cb(context) { ssl, session in
            guard let session = unsafe session, let owner = unsafe SSL_get_ex_data(ssl, 0) else { return 0 }
            unsafe Unmanaged<TLSResumption>.fromOpaque(owner)._withUnsafeGuaranteedRef { resumption in
                unsafe resumption.keep(session)
            }
            // OpenSSL keeps its reference: ours is a copy.
            return 0
        }
    }

    /// Only once connected, so that an unreachable server costs no ticket.
    func offer(in ssl: OpaquePointer) {
        guard let session = cache.take(for: server), unsafe session.offer(in: ssl) else { return }
        offered = session
    }

    private func keep(_ session: OpaquePointer) {
        guard let session = unsafe ResumableSession(copying: session) else { return }
        cache.put(session, for: server)
    }

    /// A TLS 1.2 session that worked is stored again; a TLS 1.3 ticket never is.
    func handshakeDidEnd(isResumed: Bool, in ssl: OpaquePointer) {
        if isResumed, let offered, !offered.isSingleUse { cache.put(unsafe offered.renewed(in: ssl), for: server) }
        offered = nil
    }

    /// The offer may have caused the failure: do not repeat it.
    func handshakeDidFail() {
        if offered != nil { cache.removeAll(for: server) }
        offered = nil
    }
}
