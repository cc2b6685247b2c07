import TestSupport
import Testing

@testable import HTTP

@Suite struct HTTP2HeaderEncoderTests {
    private struct Field {
        var name: String
        var value: [UInt8]
        var indexing: HeaderBlock.Indexing
    }

    /// Fields that change at random, mostly one at a time.
    private struct Fields {
        /// Only the last has codes of more than eight bits.
        private static let alphabets = [
            Array("0123456789abcdef-".utf8), Array("ABCDEFGHIJKLMNOPQRSTUVWYbdghjkqvwxyz%=3456789".utf8),
            Array("012acefilmnoprstu -./AB_CZX;&,*:".utf8), Array(0...255),
        ]
        /// Around the limits of one length byte and of the own Huffman codes.
        private static let lengths = [0, 1, 2, 36, 74, 119, 120, 121, 126, 127, 128, 300]
        private static let names = [
            "authorization", "apns-id", "via", String(repeating: "n", count: 130), ":path", "content-length",
        ]
        private static let indexings = [HeaderBlock.Indexing.indexed, .notIndexed, .notIndexed, .neverIndexed]

        private(set) var all: [Field] = []
        private(set) var random: SeededRandom
        private let alphabets: ArraySlice<[UInt8]>
        private let names: ArraySlice<String>

        /// - Parameter areValid: as fields of a response.
        init(seed: UInt64, areValid: Bool = false) {
            random = SeededRandom(seed: seed)
            alphabets = Self.alphabets.dropLast(areValid ? 2 : 0)
            names = Self.names.dropLast(areValid ? 2 : 0)
        }

        mutating func change() {
            if all.isEmpty || chance(20) { all = (0..<Int.random(in: 1...8, using: &random)).map { _ in field() } }
            let index = Int.random(in: all.indices, using: &random)
            all[index].value = value()
            if chance(4) { all[index] = field() }
        }

        mutating func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }

        mutating func pick<Element>(_ elements: some RandomAccessCollection<Element>) -> Element {
            elements[elements.index(elements.startIndex, offsetBy: Int.random(in: 0..<elements.count, using: &random))]
        }

        private mutating func field() -> Field {
            Field(name: pick(names), value: value(), indexing: pick(Self.indexings))
        }

        private mutating func value() -> [UInt8] {
            let characters = pick(alphabets)
            return (0..<pick(Self.lengths)).map { _ in pick(characters) }
        }

        func write(to block: inout HeaderBlock) {
            block.removeAll()
            for field in all { block.append(Array(field.name.utf8), field.value, indexing: field.indexing) }
        }
    }

    @Test func `each block is nghttp2's, byte for byte, whatever the last one was`() throws {
        let seed = RunSeed.here()
        var fields = Fields(seed: seed)
        var encoder = try HTTP2HeaderEncoder(.client)
        var library = try HTTP2HeaderEncoder(.client)
        for number in 0..<5_000 {
            fields.change()
            if fields.chance(100) {
                let byteCount = fields.pick([0, 100, 4_096, 10_000])
                encoder.setTableByteCount(byteCount)
                library.setTableByteCount(byteCount)
            }
            library.forgetLast()
            let (own, expected) = (try encoder.encode(fields.write), try library.encode(fields.write))
            try #require(own == expected, "seed \(seed), block \(number)")
        }
    }

    @Test func `a client reads each of a server's fields, whatever the last ones were`() throws {
        let seed = RunSeed.here()
        var fields = Fields(seed: seed, areValid: true)
        let pair = try SessionPair()
        for number in 0..<1_000 {
            fields.change()
            let slot = try pair.client.submitRequest(HTTP2Request.post("/").headers, body: [])
            try pair.exchange()
            var headers = HeaderBlock()
            fields.write(to: &headers)
            try pair.server.submitResponse(0, status: 200, headers: headers, body: .bytes([]))
            var received: HeaderBlock?
            try pair.exchange { session, event in
                if event == .message(slot: slot) { received = session.takeMessage(slot).headers }
            }
            let (sent, read) = (Self.pairs(headers), received.map(Self.pairs))
            try #require(read?.suffix(sent.count) == sent[...], "seed \(seed), block \(number)")
        }
    }

    private static func pairs(_ block: HeaderBlock) -> [[UInt8]] {
        block.flatMap { [Array($0.name), Array($0.value)] }
    }

    @Test func `a server follows the table that its client allows, and the least that it allowed before`() throws {
        var settings = HTTP2Settings()
        settings.headerTableByteCount = 0
        let pair = try SessionPair(client: settings)
        for number in 0..<3 {
            let slot = try pair.client.submitRequest(HTTP2Request.post("/").headers, body: [])
            try pair.exchange()
            var headers = HeaderBlock()
            headers.append("x-field", Array("value \(number / 2)".utf8))
            try pair.server.submitResponse(0, status: 200, headers: headers, body: .bytes([]))
            var received: HeaderBlock?
            try pair.exchange { session, event in
                if event == .message(slot: slot) { received = session.takeMessage(slot).headers }
            }
            #expect(received?["x-field"].map { Array($0) } == Array("value \(number / 2)".utf8))
        }
    }

    @Test func `a request that is reset before it is sent changes no table`() throws {
        let pair = try SessionPair()
        try pair.exchange()
        var request = HTTP2Request.post("/")
        request.headers.append("x-field", "value")
        let first = try pair.client.submitRequest(request.headers, body: [])
        try pair.client.reset(first, code: 8)
        for _ in 0..<2 { _ = try pair.client.submitRequest(request.headers, body: []) }
        try pair.exchange()
        let slots = pair.serverEvents.compactMap { if case .message(let slot) = $0 { slot } else { nil } }
        #expect(slots.count == 2)
        for slot in slots {
            #expect(pair.server.takeMessage(slot).headers["x-field"].map { Array($0) } == Array("value".utf8))
        }
    }

    @Test(arguments: [16_000, 16_500, 40_000])
    func `a long block goes in several frames`(_ byteCount: Int) throws {
        var settings = HTTP2Settings()
        settings.headerListByteCountMax = 1 << 16
        settings.headerBlockByteCountMax = 1 << 16
        let pair = try SessionPair(server: settings)
        var request = HTTP2Request.post("/", body: [1])
        let value = [UInt8](repeating: UInt8(ascii: "~"), count: byteCount)
        request.headers.append("x-field", value, indexing: .notIndexed)
        _ = try pair.client.submitRequest(request.headers, body: request.body)
        try pair.exchange()
        let message = pair.server.takeMessage(0)
        #expect(message.headers["x-field"].map { Array($0) } == value)
        #expect(message.body == [1])
    }
}
