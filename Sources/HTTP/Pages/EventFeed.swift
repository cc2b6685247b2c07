import Platform

/// Newest events, for any number of pages at once: each gets those it has missed, then those that come.
///
/// - Source: WHATWG HTML, section 9.2, "Server-sent events".
package final class EventFeed: Sendable {
    private struct State {
        var events: [(number: Int, bytes: [UInt8])] = []
        var byteCount = 0
        var lastNumber = 0
        var streams: [Int: HTTPBodyStream] = [:]
        var lastStream = 0
        var isClosed = false
    }

    private let eventCountMax: Int
    private let byteCountMax: Int
    private let pageCountMax: Int
    private let state = Guarded(State())

    /// - Parameter byteCountMax: of kept events; below a stream's own limit.
    package init(eventCountMax: Int = 500, byteCountMax: Int = 1 << 20, pageCountMax: Int = 16) {
        self.eventCountMax = eventCountMax
        self.byteCountMax = byteCountMax
        self.pageCountMax = pageCountMax
    }

    /// - Parameters:
    ///   - name: event's type, a word.
    ///   - line: JSON without line ends.
    package func append(_ name: String, _ line: [UInt8]) {
        state.withLock { state in
            state.lastNumber += 1
            let bytes = Array("id: \(state.lastNumber)\nevent: \(name)\ndata: ".utf8) + line + Array("\n\n".utf8)
            state.events.append((state.lastNumber, bytes))
            state.byteCount += bytes.count
            while state.events.count > eventCountMax || state.byteCount > byteCountMax, state.events.count > 1 {
                state.byteCount -= state.events.removeFirst().bytes.count
            }
            for stream in state.streams.values { stream.write(bytes) }
        }
    }

    /// Stream of the events after a number; 0: of all that are kept.
    package func answer(after number: Int) -> HTTPAnswer {
        let stream = state.withLock { state -> HTTPBodyStream? in
            guard !state.isClosed, state.streams.count < pageCountMax else { return nil }
            state.lastStream += 1
            let key = state.lastStream
            let stream = HTTPBodyStream { [weak self] in self?.forget(key) }
            state.streams[key] = stream
            // A number of an earlier run is above the last.
            let known = number > state.lastNumber ? 0 : number
            stream.write(Array("retry: 1000\n\n".utf8) + state.events.filter { $0.number > known }.flatMap(\.bytes))
            return stream
        }
        guard let stream else { return HTTPAnswer(status: 503, fields: [.init("Retry-After", "5")]) }
        return HTTPAnswer(
            status: 200,
            fields: [
                .init("Content-Type", "text/event-stream"), .init("Cache-Control", "no-store"),
                .init("X-Content-Type-Options", "nosniff"),
            ],
            body: .stream(stream)
        )
    }

    /// Ends all streams.
    package func close() {
        let streams = state.withLock { state in
            state.isClosed = true
            defer { state.streams = [:] }
            return Array(state.streams.values)
        }
        for stream in streams { stream.finish() }
    }

    package var pageCount: Int { state.withLock { $0.streams.count } }

    private func forget(_ key: Int) { state.withLock { $0.streams[key] = nil } }
}
