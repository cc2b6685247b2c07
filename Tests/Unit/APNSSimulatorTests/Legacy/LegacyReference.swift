import APNS

/// A second, slow and independent parser of the binary interface, for whole streams.
///
/// - Source: archived "Binary Provider API", tables of the layouts, items and status codes.
enum LegacyReference {
    enum Outcome: Equatable {
        case taken(
            command: UInt8,
            token: [UInt8],
            payload: [UInt8],
            identifier: UInt32,
            expiry: UInt32,
            priority: UInt8
        )
        /// The packet's status and identifier; the connection is cut without one where it is `nil`.
        case refused(status: UInt8, identifier: UInt32)
        case cut
    }

    /// - Returns: every notification up to the first mistake, which is last; nothing for an incomplete notification.
    static func outcomes(_ stream: [UInt8]) -> [Outcome] {
        var rest = stream[...]
        var outcomes: [Outcome] = []
        while let command = rest.first {
            guard let outcome = outcome(command, &rest) else { break }
            outcomes.append(outcome)
            guard case .taken = outcome else { break }
        }
        return outcomes
    }

    private static func outcome(_ command: UInt8, _ rest: inout ArraySlice<UInt8>) -> Outcome? {
        switch command {
        case 0: plain(command, &rest, headByteCount: 1)
        case 1: plain(command, &rest, headByteCount: 9)
        case 2: frame(&rest)
        default: .refused(status: 128, identifier: 0)
        }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 { bytes.reduce(0) { $0 << 8 | UInt32($1) } }

    private static func plain(
        _ command: UInt8,
        _ rest: inout ArraySlice<UInt8>,
        headByteCount: Int
    ) -> Outcome? {
        let all = Array(rest)
        guard all.count >= headByteCount + 2 else { return nil }
        let identifier = command == 1 ? number(all[1..<5]) : 0
        let expiry = command == 1 ? number(all[5..<9]) : 0
        func refusal(_ status: UInt8) -> Outcome {
            command == 0 ? .cut : .refused(status: status, identifier: identifier)
        }
        let tokenCount = Int(number(all[headByteCount..<headByteCount + 2]))
        guard tokenCount >= 1, tokenCount <= 100 else { return refusal(5) }
        let payloadAt = headByteCount + 2 + tokenCount
        guard all.count >= payloadAt + 2 else { return nil }
        let payloadCount = Int(number(all[payloadAt..<payloadAt + 2]))
        if payloadCount == 0 { return refusal(4) }
        if payloadCount > 256 { return refusal(7) }
        let end = payloadAt + 2 + payloadCount
        guard all.count >= end else { return nil }
        rest = rest.dropFirst(end)
        return .taken(
            command: command,
            token: Array(all[headByteCount + 2..<payloadAt]),
            payload: Array(all[payloadAt + 2..<end]),
            identifier: identifier,
            expiry: expiry,
            priority: 10
        )
    }

    private static func frame(_ rest: inout ArraySlice<UInt8>) -> Outcome? {
        guard rest.count >= 5 else { return nil }
        let byteCount = Int(number(rest.dropFirst().prefix(4)))
        // Our own bound: twice five items of their greatest lengths.
        guard byteCount <= 2 * (5 * 3 + 100 + 2048 + 4 + 4 + 1) else { return .refused(status: 128, identifier: 0) }
        guard rest.count >= 5 + byteCount else { return nil }
        var items = rest.dropFirst(5).prefix(byteCount)
        rest = rest.dropFirst(5 + byteCount)
        var found: [UInt8: [UInt8]] = [:]
        func refusal(_ status: UInt8) -> Outcome {
            .refused(status: status, identifier: found[3].map { number($0[...]) } ?? 0)
        }
        while !items.isEmpty {
            guard items.count >= 3, let item = items.first else { return refusal(128) }
            let count = Int(number(items.dropFirst().prefix(2)))
            let value = Array(items.dropFirst(3).prefix(count))
            guard value.count == count, (1...5).contains(item), found[item] == nil else { return refusal(128) }
            if item == 3 || item == 4, count != 4 { return refusal(128) }
            if item == 5, value != [10], value != [5] { return refusal(128) }
            found[item] = value
            items = items.dropFirst(3 + count)
        }
        guard let token = found[1] else { return refusal(2) }
        guard let payload = found[2] else { return refusal(4) }
        if token.count > 100 { return refusal(5) }
        if payload.isEmpty { return refusal(4) }
        if payload.count > 2048 { return refusal(7) }
        if token.isEmpty { return refusal(5) }
        return .taken(
            command: 2,
            token: token,
            payload: payload,
            identifier: found[3].map { number($0[...]) } ?? 0,
            expiry: found[4].map { number($0[...]) } ?? 0,
            priority: found[5]?[0] ?? 10
        )
    }
}
