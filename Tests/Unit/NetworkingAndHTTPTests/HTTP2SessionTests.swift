import Testing

@testable import HTTP
@testable import Networking

@Suite struct HTTP2SessionTests {
    @Test func `request and response cross with every field, in order, duplicates too`() throws {
        let pair = try SessionPair()
        var request = HTTP2Request.post("/x", body: Array("body".utf8))
        request.headers.append("a", "1")
        request.headers.append("a", "2", indexing: .neverIndexed)
        request.headers.append(Array("b".utf8), [], indexing: .notIndexed)
        let slot = try pair.client.submitRequest(request.headers, body: request.body)
        try pair.exchange()
        #expect(pair.serverEvents == [.settings, .message(slot: 0)])
        let received = pair.server.takeMessage(0)
        #expect(
            received.headers.map { String(decoding: $0.name, as: UTF8.self) }
                == [":method", ":scheme", ":authority", ":path", "a", "a", "b"]
        )
        #expect(
            received.headers.map { String(decoding: $0.value, as: UTF8.self) }
                == ["POST", "https", "localhost", "/x", "1", "2", ""]
        )
        #expect(received.headers.count(of: "a") == 2)
        #expect(received.body == Array("body".utf8))
        #expect(received.bodyByteCount == 4)
        var headers = HeaderBlock()
        headers.append("c", "3")
        try pair.server.submitResponse(0, status: 410, headers: headers, body: .bytes(Array("gone".utf8)))
        try pair.exchange()
        #expect(pair.clientEvents == [.settings, .message(slot: slot), .closed(slot: slot, code: 0)])
    }

    @Test func `a response's status is a number and not a field`() throws {
        let pair = try SessionPair()
        let slot = try pair.client.submitRequest(HTTP2Request.post("/").headers, body: [])
        try pair.exchange()
        try pair.server.submitResponse(0, status: 429, headers: HeaderBlock(), body: .bytes([]))
        try pair.exchange { session, event in
            guard event == .message(slot: slot) else { return }
            let message = session.takeMessage(slot)
            #expect(message.status == 429)
            #expect(message.headers.count == 0)
        }
    }

    @Test func `a field that is not to be indexed costs the same each time, an indexed one hardly anything`() throws {
        func byteCount(_ indexing: HeaderBlock.Indexing) throws -> (first: Int, second: Int) {
            let pair = try SessionPair()
            var request = HTTP2Request.post("/")
            request.headers.append("x-field", Array(repeating: UInt8(ascii: "~"), count: 100), indexing: indexing)
            try pair.exchange()
            func next() throws -> Int {
                _ = try pair.client.submitRequest(request.headers, body: [])
                let before = pair.clientByteCount
                try pair.exchange()
                return pair.clientByteCount - before
            }
            return (try next(), try next())
        }
        let indexed = try byteCount(.indexed)
        #expect(indexed.second < 30)
        for indexing in [HeaderBlock.Indexing.notIndexed, .neverIndexed] {
            let plain = try byteCount(indexing)
            #expect(plain.second > 100)
        }
    }

    @Test func `a header block over the limit is marked, not stored`() throws {
        var settings = HTTP2Settings()
        settings.headerListByteCountMax = 400
        let pair = try SessionPair(server: settings)
        var request = HTTP2Request.post("/")
        for _ in 0..<20 { request.headers.append("x-field", "0123456789") }
        _ = try pair.client.submitRequest(request.headers, body: [])
        try pair.exchange()
        let message = pair.server.takeMessage(0)
        #expect(message.isHeaderTooLarge)
        #expect(message.headers.count < 10)
    }

    @Test func `too many fields are marked, too`() throws {
        var settings = HTTP2Settings()
        settings.headerFieldCountMax = 10
        let pair = try SessionPair(server: settings)
        var request = HTTP2Request.post("/")
        for _ in 0..<7 { request.headers.append("x", "") }
        _ = try pair.client.submitRequest(request.headers, body: [])
        try pair.exchange()
        let message = pair.server.takeMessage(0)
        #expect(message.isHeaderTooLarge)
        #expect(message.headers.count == 10)
    }

    @Test func `a body over the limit is counted and thrown away`() throws {
        var settings = HTTP2Settings()
        settings.bodyByteCountMax = 1000
        settings.bodyByteCountHardMax = 5000
        let pair = try SessionPair(server: settings)
        _ = try pair.client.submitRequest(HTTP2Request.post("/").headers, body: .init(repeating: 1, count: 5000))
        try pair.exchange()
        let message = pair.server.takeMessage(0)
        #expect(message.body.isEmpty)
        #expect(message.bodyByteCount == 5000)
    }

    @Test func `a body over the hard limit is cut off`() throws {
        var settings = HTTP2Settings()
        settings.bodyByteCountMax = 1000
        settings.bodyByteCountHardMax = 5000
        let pair = try SessionPair(server: settings)
        let slot = try pair.client.submitRequest(
            HTTP2Request.post("/").headers,
            body: .init(repeating: 1, count: 5001)
        )
        try pair.exchange()
        #expect(pair.serverEvents == [.settings, .bodyTooLarge(slot: 0), .closed(slot: 0, code: 8)])
        #expect(pair.clientEvents.last == .closed(slot: slot, code: 8))
    }

    @Test func `large bodies pass through small windows`() throws {
        var small = HTTP2Settings()
        small.initialWindowByteCount = 1000
        small.connectionWindowByteCount = 65_535
        let pair = try SessionPair(client: small, server: small)
        let body = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let slot = try pair.client.submitRequest(HTTP2Request.post("/").headers, body: body)
        try pair.exchange()
        #expect(pair.server.takeMessage(0).body == body)
        try pair.server.submitResponse(0, status: 200, headers: HeaderBlock(), body: .bytes(body))
        var answer: [UInt8] = []
        try pair.exchange { session, event in
            if event == .message(slot: slot) { answer = session.takeMessage(slot).body }
        }
        #expect(answer == body)
    }

    @Test func `streams over a limit that was just lowered are refused, and may be sent again`() throws {
        let pair = try SessionPair()
        try pair.exchange()
        try pair.server.setMaxConcurrentStreams(1)
        for _ in 0..<3 { _ = try pair.client.submitRequest(HTTP2Request.post("/").headers, body: [1]) }
        try pair.exchange()
        #expect(pair.clientEvents.filter { if case .closed(_, 7) = $0 { true } else { false } }.count == 2)
        #expect(pair.client.peerMaxConcurrentStreams == 1)
        #expect(pair.server.openStreamCount == 1)
    }

    @Test func `a goaway excludes what came after its last stream`() throws {
        let pair = try SessionPair()
        let first = try pair.client.submitRequest(HTTP2Request.post("/").headers, body: [])
        try pair.exchange()
        try pair.server.submitGoAway(code: 0, debugData: Array("{}".utf8))
        let second = try pair.client.submitRequest(HTTP2Request.post("/").headers, body: [])
        try pair.exchange()
        #expect(pair.clientEvents.contains(.closed(slot: second, code: 7)))
        #expect(!pair.clientEvents.contains(.closed(slot: first, code: 7)))
        #expect(pair.client.peerGoAway == .init(lastStreamID: 1, code: 0, debugData: Array("{}".utf8)))
        try pair.server.submitResponse(0, status: 200, headers: HeaderBlock(), body: .bytes([]))
        try pair.exchange()
        #expect(pair.clientEvents.last == .closed(slot: first, code: 0))
    }

    @Test func `a slot is used again once its end has been seen`() throws {
        let pair = try SessionPair()
        for _ in 0..<50 {
            let slot = try pair.client.submitRequest(HTTP2Request.post("/").headers, body: [])
            #expect(slot == 0)
            try pair.exchange()
            try pair.server.submitResponse(0, status: 200, headers: HeaderBlock(), body: .bytes([]))
            try pair.exchange()
        }
        #expect(pair.client.slotCount == 1)
        #expect(pair.server.slotCount == 1)
        #expect(pair.client.openStreamCount == 0)
    }

    @Test func `a request is written when its head has become bytes, not before`() throws {
        let pair = try SessionPair()
        try pair.exchange()
        let slot = try pair.client.submitRequest(HTTP2Request.post("/").headers, body: [])
        #expect(!pair.client.isWritten(slot))
        var queue = ByteQueue()
        try pair.client.send(into: &queue, byteCountMax: 1 << 14)
        #expect(pair.client.isWritten(slot))
        #expect(pair.client.isOutgoingDone(slot))
    }
}

/// A client and a server session, and the wire between them.
final class SessionPair {
    let client: HTTP2Session
    let server: HTTP2Session
    private(set) var clientEvents: [HTTP2Session.Event] = []
    private(set) var serverEvents: [HTTP2Session.Event] = []
    private(set) var clientByteCount = 0
    private let now = MonotonicTime.now()

    init(client: HTTP2Settings = HTTP2Settings(), server: HTTP2Settings = HTTP2Settings()) throws {
        self.client = try HTTP2Session(role: .client, settings: client, now: now)
        self.server = try HTTP2Session(role: .server, settings: server, now: now)
    }

    /// Runs until neither side has bytes to send. `onClientEvent` sees each of the client's events before the next.
    func exchange(onClientEvent: (HTTP2Session, HTTP2Session.Event) -> Void = { _, _ in }) throws {
        var isBusy = true
        while isBusy {
            let toServer = try take(client)
            clientByteCount += toServer.count
            try server.receive(toServer, now: now)
            let toClient = try take(server)
            try client.receive(toClient, now: now)
            isBusy = !toServer.isEmpty || !toClient.isEmpty
            while let event = server.nextEvent() { serverEvents.append(event) }
            while let event = client.nextEvent() {
                clientEvents.append(event)
                onClientEvent(client, event)
            }
        }
    }

    private func take(_ session: HTTP2Session) throws -> [UInt8] {
        var queue = ByteQueue()
        try session.send(into: &queue, byteCountMax: .max)
        return queue.takeAll()
    }
}
