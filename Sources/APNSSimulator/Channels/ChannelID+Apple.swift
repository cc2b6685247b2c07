import APNS

/// Channel ids in Apple's form: 16 bytes in base64 (RFC 4648 section 4), 24 characters.
///
/// - Source: the examples of "Sending channel management requests to APNs"; no client may rely on it.
extension ChannelID {
    static let appleByteCount = 16
    private static let appleCharacterCount = 24
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    init(appleBytes: [UInt8]) {
        precondition(appleBytes.count == Self.appleByteCount)
        var text: [UInt8] = []
        text.reserveCapacity(Self.appleCharacterCount)
        for start in stride(from: 0, to: appleBytes.count, by: 3) {
            let group = appleBytes[start..<min(start + 3, appleBytes.count)]
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for place in 0...group.count { text.append(Self.alphabet[bits >> (18 - 6 * place) & 0x3F]) }
            for _ in group.count..<3 { text.append(UInt8(ascii: "=")) }
        }
        do throws(APNSError) {
            self = try ChannelID(bytes: text)
        } catch {
            preconditionFailure("24 characters of base64 are a channel's id")
        }
    }

    /// The last character before `==` carries two bits only (RFC 4648 section 3.5).
    var isApples: Bool {
        guard bytes.count == Self.appleCharacterCount, bytes.suffix(2).elementsEqual("==".utf8) else { return false }
        let digits = bytes.dropLast(2).map { Self.alphabet.firstIndex(of: $0) }
        guard digits.allSatisfy({ $0 != nil }), let last = digits.last, let last else { return false }
        return last & 0x0F == 0
    }
}
