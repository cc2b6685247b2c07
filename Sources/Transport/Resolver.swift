import Glibc
import Platform

/// Names to addresses, off the loops: the system's resolver blocks for as long as it likes. Nothing is kept, so that
/// every connection asks anew.
///
/// At most a few threads, however many ask and however long the system hangs; who comes then waits, and may give up.
package final class Resolver: Sendable {
    package typealias Lookup = @Sendable (_ host: String, _ port: UInt16) throws(TransportError) -> [SocketAddress]

    /// One name that somebody asked for.
    final class Query: Sendable {
        fileprivate let host: String
        fileprivate let port: UInt16
        fileprivate let completion: @Sendable (Result<[SocketAddress], TransportError>) -> Void

        fileprivate init(
            _ host: String,
            _ port: UInt16,
            _ completion: @escaping @Sendable (Result<[SocketAddress], TransportError>) -> Void
        ) {
            self.host = host
            self.port = port
            self.completion = completion
        }
    }

    private struct State {
        var threadCount = 0
        var waiting = RingBuffer<Query>()
    }

    /// The process's own: what is bounded are its threads.
    package static let shared = Resolver(threadCountMax: 8) { (host, port) throws(TransportError) in
        try SocketAddress.resolve(host: host, port: port)
    }

    private let threadCountMax: Int
    private let lookup: Lookup
    private let state = Guarded(State())

    /// A resolver of one's own.
    ///
    /// - Parameters:
    ///   - threadCountMax: so many lookups at once.
    ///   - lookup: may block.
    package init(threadCountMax: Int, lookup: @escaping Lookup) {
        self.threadCountMax = threadCountMax
        self.lookup = lookup
    }

    /// Calls `completion` on `loop`, once, unless the query is cancelled while it waits. A literal is answered without a
    /// thread, yet never before this returns.
    func resolve(
        host: String,
        port: UInt16,
        on loop: EventLoop,
        _ completion: @escaping @Sendable (Result<[SocketAddress], TransportError>) -> Void
    ) -> Query {
        let query = Query(host, port) { result in
            loop.perform { completion(result) }
        }
        guard !SocketAddress.isLiteral(host) else {
            answer(query)
            return query
        }
        let needsThread = state.withLock { state in
            guard state.threadCount < threadCountMax else {
                state.waiting.append(query)
                return false
            }
            state.threadCount += 1
            return true
        }
        guard needsThread else { return query }
        if !DetachedThread.start(stackByteCount: 1 << 20, { [self] in work(query) }) { threadDidNotStart(query) }
        return query
    }

    /// Forgets a query that still waits; one that a thread works on ends by itself.
    func cancel(_ query: Query) {
        _ = state.withLock { state in state.waiting.removeAll { $0 === query } }
    }

    private func answer(_ query: Query) {
        query.completion(Result { () throws(TransportError) in try lookup(query.host, query.port) })
    }

    /// A thread's life: one query after the other, until none waits.
    private func work(_ first: Query) {
        var next: Query? = first
        while let query = next {
            answer(query)
            next = state.withLock { state in
                let next = state.waiting.popFirst()
                if next == nil { state.threadCount -= 1 }
                return next
            }
        }
    }

    private func threadDidNotStart(_ query: Query) {
        let stranded = state.withLock { state in
            state.threadCount -= 1
            return state.threadCount == 0 ? state.waiting.removeAll { _ in true } : []
        }
        for query in [query] + stranded {
            query.completion(.failure(.system(call: "pthread_create", code: EAGAIN)))
        }
    }
}
