import TestSupport
import Testing

@testable import HTTP
@testable import Networking

@Suite struct EventFeedTests {
    private static func stage(_ feed: EventFeed, after number: Int = 0) async throws -> FrontStage {
        try await FrontStage(isPlain: true) { _ in .answer(feed.answer(after: number)) }
    }

    private static func page(_ stage: FrontStage) throws -> PlainCaller {
        let page = try PlainCaller(port: try #require(stage.front.loopbackPort))
        page.write("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        return page
    }

    private static func wait(for count: Int, _ feed: EventFeed, _ stage: FrontStage) async {
        await stage.wait {
            _ = await stage.front.connectionCount()
            return feed.pageCount == count
        }
    }

    private static func event(_ number: Int, _ text: String) -> String {
        "id: \(number)\nevent: said\ndata: \"\(text)\"\n\n"
    }

    private static func say(_ text: String, _ feed: EventFeed) { feed.append("said", Array("\"\(text)\"".utf8)) }

    @Test func `a page gets what it missed, then what comes, in order and to the end`() async throws {
        let feed = EventFeed()
        let stage = try await Self.stage(feed)
        Self.say("before", feed)
        let page = try Self.page(stage)
        await Self.wait(for: 1, feed, stage)
        for number in 0..<100 { Self.say("\(number)", feed) }
        feed.close()
        let rest = page.rest()
        let expected = Self.event(1, "before") + (0..<100).map { Self.event($0 + 2, "\($0)") }.joined()
        #expect(rest.hasSuffix("\r\n\r\nretry: 1000\n\n" + expected))
        #expect(rest.contains("content-type: text/event-stream") && rest.contains("connection: close"))
        #expect(!rest.contains("content-length"))
    }

    @Test(arguments: [(0, [1, 2, 3]), (2, [3]), (3, []), (4, [1, 2, 3])])
    func `a page that comes again gets the events after its last, or all of a new run`(
        _ known: Int,
        _ numbers: [Int]
    ) async throws {
        let feed = EventFeed()
        for number in 1...3 { Self.say("\(number)", feed) }
        let stage = try await Self.stage(feed, after: known)
        let page = try Self.page(stage)
        await Self.wait(for: 1, feed, stage)
        feed.close()
        let rest = page.rest()
        #expect(rest.hasSuffix("retry: 1000\n\n" + numbers.map { Self.event($0, "\($0)") }.joined()))
    }

    @Test func `old events go, by count and by bytes`() async throws {
        for feed in [EventFeed(eventCountMax: 2), EventFeed(byteCountMax: 80)] {
            for number in 1...5 { Self.say("\(number)", feed) }
            guard case .stream(let stream) = feed.answer(after: 0).body else { throw Failure() }
            let text = String(decoding: stream.take().bytes, as: UTF8.self)
            #expect(text == "retry: 1000\n\n" + Self.event(4, "4") + Self.event(5, "5"))
        }
    }

    private struct Failure: Error {}

    @Test func `a page too many is told to come later`() {
        let feed = EventFeed(pageCountMax: 2)
        #expect([1, 2, 3].map { _ in feed.answer(after: 0).status } == [200, 200, 503])
    }

    @Test func `a page that goes away makes room`() async throws {
        let feed = EventFeed(pageCountMax: 1)
        let stage = try await Self.stage(feed)
        do {
            let page = try Self.page(stage)
            await Self.wait(for: 1, feed, stage)
            _ = page
        }
        await Self.wait(for: 0, feed, stage)
        #expect(feed.answer(after: 0).status == 200)
    }

    @Test func `a server that closes waits for no page`() async throws {
        let feed = EventFeed()
        let stage = try await Self.stage(feed)
        let page = try Self.page(stage)
        await Self.wait(for: 1, feed, stage)
        await stage.front.close()
        #expect(feed.pageCount == 0)
        #expect(page.rest().contains("text/event-stream"))
    }

    @Test func `a page too slow for its events is let go, and the others are not`() {
        let (slow, prompt) = (HTTPBodyStream(byteCountMax: 10), HTTPBodyStream(byteCountMax: 10))
        for stream in [slow, prompt] { stream.write([1, 2, 3, 4, 5, 6]) }
        #expect(prompt.take().bytes == [1, 2, 3, 4, 5, 6])
        for stream in [slow, prompt] { stream.write([7, 8, 9, 10, 11]) }
        let (rest, isFinished) = slow.take()
        #expect(rest.isEmpty && isFinished)
        let (next, isAtEnd) = prompt.take()
        #expect(next == [7, 8, 9, 10, 11] && !isAtEnd)
    }

    @Test func `HTTP 2 has no body without an end, and says so`() async throws {
        let feed = EventFeed()
        let stage = try await Self.stage(feed)
        let connection = try await stage.connect()
        let response = try await connection.send(.get("/events"))
        #expect(response.status == 505 && feed.pageCount == 0)
    }
}

extension HTTP2Request {
    fileprivate static func get(_ path: String) -> HTTP2Request {
        var headers = HeaderBlock()
        for (name, value) in [(":method", "GET"), (":scheme", "https"), (":authority", "x"), (":path", path)] {
            headers.append(Array(name.utf8), Array(value.utf8))
        }
        return HTTP2Request(headers: headers, body: [])
    }
}
