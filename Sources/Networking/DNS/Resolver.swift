import Glibc
import Platform

/// Resolves names off the loops, since the system's resolver may block for long. Caches nothing. Has a few threads;
/// further queries wait, and can be cancelled.
package final class Resolver: Sendable {
    package typealias Lookup = @Sendable (_ host: String, _ port: UInt16) throws(TransportError) -> [SocketAddress]

    package final class Query: Sendable {
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

    /// Shared by the process, to bound its threads.
    package static let shared = Resolver(threadCountMax: 8) { (host, port) throws(TransportError) in
        try SocketAddress.resolve(host: host, port: port)
    }

    private let threadCountMax: Int
    private let lookup: Lookup
    private let state = Guarded(State())

    package init(threadCountMax: Int, lookup: @escaping Lookup) {
        self.threadCountMax = threadCountMax
        self.lookup = lookup
    }

    /// Calls `completion` on `loop`, once, unless cancelled while waiting; never before this returns. A literal needs
    /// no thread.
    package func resolve(
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

    /// Drops a waiting query; a running one completes.
    package func cancel(_ query: Query) {
        _ = state.withLock { state in state.waiting.removeAll { $0 === query } }
    }

    private func answer(_ query: Query) {
        query.completion(Result { () throws(TransportError) in try lookup(query.host, query.port) })
    }

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
