import Envelope
import Primitives

/// Secret of 32 random bytes in base64url, of which the relay keeps a hash: 256 random bits need no slow one.
enum EndpointSecret {
    /// `spd_…`: with it a device makes, lists and revokes its endpoints.
    case key
    /// Last part of an endpoint's URL: with it a server pushes.
    case url

    var prefix: String {
        switch self {
        case .key: "spd_"
        case .url: ""
        }
    }

    private static let keyContext = Array("SealedPush/1 endpoint key".utf8)
    private static let urlContext = Array("SealedPush/1 endpoint".utf8)

    private var context: [UInt8] {
        switch self {
        case .key: Self.keyContext
        case .url: Self.urlContext
        }
    }

    /// - Returns: nil for another form.
    func hash(of text: [UInt8]) -> [UInt8]? {
        guard text.count == prefix.utf8.count + 43, text.starts(with: prefix.utf8),
            Base64URL.decode(text.dropFirst(prefix.utf8.count)) != nil
        else { return nil }
        return hash(text)
    }

    private func hash(_ text: [UInt8]) -> [UInt8] { SHA256.hash(context, text) }

    func make(random: inout some RandomSource) -> (text: String, hash: [UInt8]) {
        let text = prefix + Base64URL.string(random.bytes(count: 32))
        return (text, hash(Array(text.utf8)))
    }
}

extension EndpointID {
    /// - Parameter hash: the endpoint's; its first half is the id.
    init(_ hash: [UInt8]) { self.init(bytes: Array(hash.prefix(Self.byteCount))) }
}
