import Platform
import TestSupport
import Testing

@testable import HTTP

@Suite struct HTTP2PeerStreamsTests {
    private func opened(_ ids: UInt32...) -> HTTP2PeerStreams {
        var streams = HTTP2PeerStreams()
        for id in ids { streams.open(id) }
        return streams
    }

    @Test func `what comes on an open stream is expected, until the peer ends it`() {
        var streams = opened(1, 3)
        #expect(streams.receive(on: 1, endsStream: false) == .expected)
        #expect(streams.receive(on: 1, endsStream: true) == .expected)
        #expect(streams.receive(on: 1, endsStream: false) == .afterEnd)
        #expect(streams.receive(on: 3, endsStream: false) == .expected)
        streams.end(3)
        #expect(streams.receive(on: 3, endsStream: true) == .afterEnd)
    }

    @Test func `a stream above the last is nghttp2's to judge, one that was passed over has closed`() {
        var streams = opened(5)
        #expect(streams.receive(on: 7, endsStream: false) == .expected)
        #expect(streams.receive(on: 3, endsStream: false) == .afterEnd)
        streams.open(3)
        #expect(!streams.isOpen(3))
    }

    @Test func `a stream that this side has closed takes what was on its way, and no more`() {
        var streams = opened(1)
        streams.close(1, windowByteCount: 8192)
        // A second close changes nothing.
        streams.close(1, windowByteCount: 8192)
        let findings = (0..<4).map { _ in streams.receive(on: 1, endsStream: false) }
        #expect(findings == [.expected, .expected, .excess, .excess])
        #expect(streams.receive(on: 1, endsStream: true) == .excess)
        #expect(streams.receive(on: 1, endsStream: true) == .afterEnd)
    }

    @Test func `of streams that the peer leaves as they are the oldest is forgotten, and no open one`() {
        var streams = opened(1)
        for id in stride(from: UInt32(3), through: 2 * 1025 + 1, by: 2) {
            streams.open(id)
            streams.close(id, windowByteCount: 4096)
        }
        #expect(streams.isOpen(1))
        #expect(!streams.isOpen(3))
        #expect(streams.isOpen(5))
    }

    @Test func `streams that end in any order are known by what each has done`() {
        var random = SeededRandom(seed: RunSeed.here())
        var (streams, openIDs, ended) = (HTTP2PeerStreams(), [UInt32](), [UInt32]())
        for id in stride(from: UInt32(1), to: 4000, by: 2) {
            streams.open(id)
            openIDs.append(id)
            while openIDs.count > Int.random(in: 0...300, using: &random) {
                let gone = openIDs.remove(at: Int.random(in: 0..<openIDs.count, using: &random))
                #expect(streams.receive(on: gone, endsStream: true) == .expected)
                ended.append(gone)
            }
            guard let known = openIDs.randomElement(using: &random), let gone = ended.randomElement(using: &random)
            else { continue }
            #expect(streams.receive(on: known, endsStream: false) == .expected)
            #expect(streams.receive(on: gone, endsStream: false) == .afterEnd)
        }
        #expect(openIDs.allSatisfy { streams.isOpen($0) } && !ended.contains { streams.isOpen($0) })
    }
}
