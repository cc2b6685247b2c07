import TestSupport
import Testing

@testable import APNS

struct CertificateTopicsTests {
    /// The extension of a certificate that Apple issued, without the OCTET STRING's own two bytes.
    static let real: [UInt8] =
        [0x30, 0x73]
        + text("com.eatthepath.pushy") + [0x30, 0x05] + text("app")
        + text("com.eatthepath.pushy.voip") + [0x30, 0x06] + text("voip")
        + text("com.eatthepath.pushy.complication") + [0x30, 0x0E] + text("complication")

    static func text(_ text: String) -> [UInt8] { [0x0C, UInt8(text.utf8.count)] + text.utf8 }

    @Test func `the list of a real certificate is read`() throws {
        #expect(Self.real.count == 0x75)
        #expect(
            try CertificateTopics.read(Self.real) == [
                .init(name: "com.eatthepath.pushy", types: ["app"]),
                .init(name: "com.eatthepath.pushy.voip", types: ["voip"]),
                .init(name: "com.eatthepath.pushy.complication", types: ["complication"]),
            ]
        )
    }

    @Test func `a list cut at any length is refused`() {
        for length in 0..<Self.real.count {
            #expect(throws: CertificateTopicsError.self) { try CertificateTopics.read(Array(Self.real[..<length])) }
        }
    }

    @Test func `a list may be empty, a topic may have several types or none`() throws {
        #expect(try CertificateTopics.read([0x30, 0]) == [])
        #expect(try CertificateTopics.read([0x30, 5, 0x0C, 1, 0x61, 0x30, 0]) == [.init(name: "a", types: [])])
        let several = [0x0C, 1, 0x61, 0x30, 6, 0x0C, 1, 0x62, 0x0C, 1, 0x63] as [UInt8]
        #expect(try CertificateTopics.read([0x30, 11] + several) == [.init(name: "a", types: ["b", "c"])])
    }

    @Test func `a long list has its length in two bytes`() throws {
        let topic = Self.text(String(repeating: "x", count: 100)) + [0x30, 0x05] + Self.text("app")
        let three = topic + topic + topic
        #expect(
            try CertificateTopics.read([0x30, 0x82, UInt8(three.count >> 8), UInt8(three.count & 255)] + three).count
                == 3
        )
        #expect(try CertificateTopics.read([0x30, 0x81, 218] + topic + topic).count == 2)
    }

    static let faulty: [([UInt8], CertificateTopicsError)] = [
        ([], .truncated(offset: 0)),
        ([0x31, 0], .unexpectedTag(offset: 0)),
        ([0x30], .truncated(offset: 1)),
        ([0x30, 1], .truncated(offset: 2)),
        ([0x30, 0, 0], .trailingBytes(offset: 2)),
        // Indefinite.
        ([0x30, 0x80, 0, 0], .lengthNotAllowed(offset: 1)),
        // Longer than needed.
        ([0x30, 0x81, 0], .lengthNotAllowed(offset: 1)),
        ([0x30, 0x81, 0x7F], .lengthNotAllowed(offset: 1)),
        ([0x30, 0x82, 0, 0xFF], .lengthNotAllowed(offset: 1)),
        // Beyond every list.
        ([0x30, 0x83, 1, 0, 0], .lengthNotAllowed(offset: 1)),
        ([0x30, 0x88, 0x7F, 255, 255, 255, 255, 255, 255, 255], .lengthNotAllowed(offset: 1)),
        ([0x30, 0xFF], .lengthNotAllowed(offset: 1)),
        // The length's own bytes are missing.
        ([0x30, 0x81], .truncated(offset: 1)),
        ([0x30, 0x82, 1], .truncated(offset: 1)),
        // A topic without its types.
        ([0x30, 3, 0x0C, 1, 0x61], .truncated(offset: 5)),
        ([0x30, 6, 0x0C, 1, 0x61, 0x0C, 1, 0x61], .unexpectedTag(offset: 5)),
        // Types without a topic.
        ([0x30, 2, 0x30, 0], .unexpectedTag(offset: 2)),
        // Other kinds of text: PrintableString, IA5String.
        ([0x30, 5, 0x13, 1, 0x61, 0x30, 0], .unexpectedTag(offset: 2)),
        ([0x30, 5, 0x16, 1, 0x61, 0x30, 0], .unexpectedTag(offset: 2)),
        ([0x30, 4, 0x0C, 0, 0x30, 0], .textMalformed(offset: 2)),
        ([0x30, 5, 0x0C, 1, 0xFF, 0x30, 0], .textMalformed(offset: 2)),
        // An inner element may not exceed the outer one.
        ([0x30, 5, 0x0C, 1, 0x61, 0x30, 1, 0x0C], .trailingBytes(offset: 7)),
        ([0x30, 5, 0x0C, 1, 0x61, 0x30, 1], .truncated(offset: 7)),
        ([0x30, 7, 0x0C, 1, 0x61, 0x30, 2, 0x0C, 1], .truncated(offset: 9)),
    ]

    @Test(arguments: faulty)
    func `what is not such a list is refused at the byte that is wrong`(
        _ bytes: [UInt8],
        _ fault: CertificateTopicsError
    ) {
        #expect(throws: fault) { try CertificateTopics.read(bytes) }
    }

    @Test func `more topics, types or bytes than any real list has are refused`() {
        let one = [0x0C, 1, 0x61, 0x30, 0] as [UInt8]
        let topics = Array(repeating: one, count: 257).flatMap { $0 }
        let header = [0x30, 0x82, UInt8(topics.count >> 8), UInt8(topics.count & 255)]
        #expect(throws: CertificateTopicsError.tooMany(offset: 4 + 256 * 5)) {
            try CertificateTopics.read(header + topics)
        }
        let types = Array(repeating: [0x0C, 1, 0x61] as [UInt8], count: 17).flatMap { $0 }
        let list = [0x0C, 1, 0x61, 0x30, UInt8(types.count)] + types
        #expect(throws: CertificateTopicsError.tooMany(offset: 7 + 16 * 3)) {
            try CertificateTopics.read([0x30, UInt8(list.count)] + list)
        }
        let long = [0x0C, 0x82, 1, 0] + [UInt8](repeating: 0x61, count: 256) + [0x30, 0]
        #expect(throws: CertificateTopicsError.textMalformed(offset: 4)) {
            try CertificateTopics.read([0x30, 0x82, 1, 6] + long)
        }
        #expect(throws: CertificateTopicsError.lengthNotAllowed(offset: 0)) {
            try CertificateTopics.read([UInt8](repeating: 0x30, count: CertificateTopics.byteCountMax + 1))
        }
    }

    @Test func `random changes to a real list never do more than fail`() {
        let seed = RunSeed.here()
        var generator = SeededRandom(seed: seed)
        for _ in 0..<20_000 {
            var changed = Self.real
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                changed[Int.random(in: 0..<changed.count, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            do throws(CertificateTopicsError) {
                // Every byte belongs to something: tags and lengths take at least as many as they name.
                #expect(try CertificateTopics.read(changed).count <= 23, "seed \(seed)")
            } catch {}
        }
    }
}
