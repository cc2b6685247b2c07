import COpenSSL
import Platform

/// One client connection's part in resumption: what it offers, and where what its server gives is kept. Belongs to one
/// context, so a session never outlives a change of trust or of identity.
@safe final class TLSResumption {
    typealias Server = TicketShelf<ResumableSession>.Server

    /// A context's sessions, shared by its connections on every thread.
    final class Cache: Sendable {
        /// As many connections as a pool commonly has may come back at once after a server went away.
        static let ticketCountMax = 8
        static let serverCountMax = 64

        private let shelf = Guarded(
            TicketShelf<ResumableSession>(ticketCountMax: ticketCountMax, serverCountMax: serverCountMax)
        )

        func put(_ session: ResumableSession, for server: Server) {
            shelf.withLock { $0.put(session, for: server) }
        }

        /// The newest one that may still be offered; those that may not are gone.
        func take(for server: Server) -> ResumableSession? {
            shelf.withLock { shelf in
                while let session = shelf.take(for: server) {
                    if session.isUsable(for: server.host) { return session }
                }
                return nil
            }
        }

        func removeAll(for server: Server) {
            shelf.withLock { $0.removeAll(for: server) }
        }

        func count(for server: Server) -> Int {
            shelf.withLock { $0.count(for: server) }
        }
    }

    private let cache: Cache
    private let server: Server
    private var offered: ResumableSession?

    init(_ cache: Cache, _ server: Server) {
        self.cache = cache
        self.server = server
    }

    /// From now on OpenSSL finds this object through `ssl`, which must not outlive it.
    func attach(to ssl: OpaquePointer) -> Bool {
        unsafe SSL_set_ex_data(ssl, 0, Unmanaged.passUnretained(self).toOpaque()) == 1
    }

    /// Has OpenSSL tell each session that a client of `context` is given.
    static func listen(to context: OpaquePointer) {
        unsafe SSL_CTX_sess_set_new_cb(context) { ssl, session in
            guard let session = unsafe session, let owner = unsafe SSL_get_ex_data(ssl, 0) else { return 0 }
            unsafe Unmanaged<TLSResumption>.fromOpaque(owner)._withUnsafeGuaranteedRef { resumption in
                unsafe resumption.keep(session)
            }
            // The reference stays OpenSSL's: ours is to a copy.
            return 0
        }
    }

    /// Before the handshake's first message. Taken only now, when the connection stands, so that a server that cannot be
    /// reached costs no ticket.
    func offer(in ssl: OpaquePointer) {
        guard let session = cache.take(for: server), unsafe session.offer(in: ssl) else { return }
        offered = session
    }

    private func keep(_ session: OpaquePointer) {
        guard let session = unsafe ResumableSession(copying: session) else { return }
        cache.put(session, for: server)
    }

    /// A session of TLS 1.2 that has worked may be used again; a ticket of TLS 1.3 never.
    func handshakeDidEnd(isResumed: Bool, in ssl: OpaquePointer) {
        if isResumed, let offered, !offered.isSingleUse { cache.put(unsafe offered.renewed(in: ssl), for: server) }
        offered = nil
    }

    /// If it was the offer that the server stumbled over, the next attempt must not repeat it.
    func handshakeDidFail() {
        if offered != nil { cache.removeAll(for: server) }
        offered = nil
    }
}
