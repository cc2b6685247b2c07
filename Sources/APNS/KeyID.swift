/// True for ten ASCII letters and digits, the form of Apple's ids.
private func isAccountID(_ bytes: [UInt8]) -> Bool {
    bytes.count == 10
        && bytes.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: false
            }
        }
}

/// Id of a signing key: `kid` of a provider token, and part of the `.p8` file's name.
///
/// - Source: "Establishing a token-based connection to APNs".
public struct KeyID: Hashable, Sendable, CustomStringConvertible {
    /// 10 ASCII letters and digits, which need no escaping.
    public let bytes: [UInt8]

    /// - Throws: `.keyIDMalformed`.
    public init(_ text: String) throws(APNSError) {
        bytes = Array(text.utf8)
        guard isAccountID(bytes) else { throw .keyIDMalformed }
    }

    /// Ten characters.
    public var description: String { String(decoding: bytes, as: UTF8.self) }
}

/// Id of a developer team: `iss` of a provider token.
///
/// - Source: "Establishing a token-based connection to APNs".
public struct TeamID: Hashable, Sendable, CustomStringConvertible {
    /// 10 ASCII letters and digits, which need no escaping.
    public let bytes: [UInt8]

    /// - Throws: `.teamIDMalformed`.
    public init(_ text: String) throws(APNSError) {
        bytes = Array(text.utf8)
        guard isAccountID(bytes) else { throw .teamIDMalformed }
    }

    /// Ten characters.
    public var description: String { String(decoding: bytes, as: UTF8.self) }
}
