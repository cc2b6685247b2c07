import APNS
import HTTP
import Networking
import TestSupport
import Testing

@testable import APNSProvider

/// Apple's rules of header compression, read from the bytes on the wire.
struct HPACKWireTests {
    /// One connection's first three pushes, a representation for each field.
    private static func fields() throws -> [[(name: String, representation: Representation)]] {
        let now = MonotonicTime.now()
        let client = try HTTP2Session(role: .client, settings: HTTP2Settings(), now: now)
        let server = try HTTP2Session(role: .server, settings: HTTP2Settings(), now: now)
        let token = try ProviderToken(
            signedWith: ThrowawayKeys.first(),
            keyID: KeyID("ABC123DEFG"),
            teamID: TeamID("DEF123GHIJ"),
            issuedAt: 7
        )
        var encoder = RequestEncoder(authority: APNSEndpoint.production.authority)
        var pushes: [[(name: String, representation: Representation)]] = []
        for number in 0..<3 {
            var notification = try APNSStandIn.notification(number)
            notification.priority = .powerAware
            notification.expiration = Expiration(unixSeconds: 2_000_000_000 + UInt64(number))
            notification.collapseID = try CollapseID("news \(number)")
            encoder.encode(notification, token)
            _ = try client.submitRequest(encoder.headers, body: notification.payload)
            var bytes = try Self.sent(client)
            try server.receive(bytes.span, now: now)
            if number == 0 { bytes.removeFirst("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8.count) }
            let block = try #require(RawFrame.parse(bytes).first { $0.type == 1 })
            // Only the fields: no padding, no priority.
            #expect(block.flags & 0x28 == 0)
            let names = try Self.names(server)
            let representations = try Representation.all(in: block.payload[...])
            try #require(names.count == representations.count)
            pushes.append(Array(zip(names, representations)))
        }
        return pushes
    }

    private static func sent(_ session: HTTP2Session) throws -> [UInt8] {
        var queue = ByteQueue()
        try session.send(into: &queue, byteCountMax: 1 << 20)
        return queue.withBytes { bytes in Array(copying: bytes) }
    }

    private static func names(_ server: HTTP2Session) throws -> [String] {
        while let event = server.nextEvent() {
            if case .message(let slot) = event {
                return server.takeMessage(slot).headers.map { String(decoding: $0.name, as: UTF8.self) }
            }
        }
        throw Malformed(what: "no request came")
    }

    private func representations(of name: String) throws -> [Representation] {
        try Self.fields().map { fields in try #require(fields.first { $0.name == name }).representation }
    }

    @Test(arguments: [":path", "authorization"])
    func `path and authorization never enter the table`(_ name: String) throws {
        #expect(try representations(of: name).allSatisfy { $0.isLiteralOutsideTable })
    }

    @Test(arguments: ["apns-id", "apns-expiration", "apns-collapse-id"])
    func `what differs in each push enters the table once, which leaves its name there`(_ name: String) throws {
        let all = try representations(of: name)
        #expect(all[0] == .indexing(hasLiteralName: true))
        #expect(all[1].isLiteralOutsideTable && all[2].isLiteralOutsideTable)
        #expect(!all[1].hasLiteralName && !all[2].hasLiteralName)
    }

    @Test(arguments: ["apns-topic", "apns-push-type", "apns-priority", ":authority"])
    func `what stays the same is sent once, and from then on as its place in the table`(_ name: String) throws {
        let all = try representations(of: name)
        #expect(all[0].isIndexing)
        #expect(all[1] == .place && all[2] == .place)
    }

    @Test(arguments: [":method", ":scheme"])
    func `what every push has in common is in the static table`(_ name: String) throws {
        #expect(try representations(of: name) == [.place, .place, .place])
    }
}

/// Encoding of one field (RFC 7541 section 6).
private enum Representation: Equatable {
    case place
    case indexing(hasLiteralName: Bool)
    case withoutIndexing(hasLiteralName: Bool)
    case neverIndexed(hasLiteralName: Bool)

    var isIndexing: Bool {
        if case .indexing = self { true } else { false }
    }

    var isLiteralOutsideTable: Bool {
        switch self {
        case .withoutIndexing, .neverIndexed: true
        case .place, .indexing: false
        }
    }

    var hasLiteralName: Bool {
        switch self {
        case .place: false
        case .indexing(let has), .withoutIndexing(let has), .neverIndexed(let has): has
        }
    }

    /// Every field of a header block; changes of the table's size are skipped.
    static func all(in block: ArraySlice<UInt8>) throws -> [Representation] {
        var rest = block
        var all: [Representation] = []
        while let first = rest.first {
            switch first {
            case 0x80...:
                _ = try integer(&rest, prefix: 7)
                all.append(.place)
            case 0x40...: all.append(.indexing(hasLiteralName: try literal(&rest, prefix: 6)))
            case 0x20...: _ = try integer(&rest, prefix: 5)
            case 0x10...: all.append(.neverIndexed(hasLiteralName: try literal(&rest, prefix: 4)))
            default: all.append(.withoutIndexing(hasLiteralName: try literal(&rest, prefix: 4)))
            }
        }
        return all
    }

    private static func literal(_ rest: inout ArraySlice<UInt8>, prefix: Int) throws -> Bool {
        let hasLiteralName = try integer(&rest, prefix: prefix) == 0
        if hasLiteralName { try skipString(&rest) }
        try skipString(&rest)
        return hasLiteralName
    }

    private static func skipString(_ rest: inout ArraySlice<UInt8>) throws {
        let byteCount = try integer(&rest, prefix: 7)
        guard rest.count >= byteCount else { throw Malformed(what: "a string ends too late") }
        rest = rest.dropFirst(byteCount)
    }

    /// RFC 7541 section 5.1.
    private static func integer(_ rest: inout ArraySlice<UInt8>, prefix: Int) throws -> Int {
        guard let first = rest.popFirst() else { throw Malformed(what: "an integer is missing") }
        let mask = 1 << prefix - 1
        var value = Int(first) & mask
        guard value == mask else { return value }
        var shift = 0
        while let next = rest.popFirst(), shift < 28 {
            value += Int(next & 0x7F) << shift
            shift += 7
            if next & 0x80 == 0 { return value }
        }
        throw Malformed(what: "an integer does not end")
    }
}

private struct Malformed: Error {
    let what: String
}
