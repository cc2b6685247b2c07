package import APNS
internal import Envelope

/// Device token for one purpose. Ends with its device, and alone if only it is bad or gone.
package struct ExtraToken: Hashable, Sendable {
    /// In a device.
    package static let counts = 0...16

    package let purpose: TokenPurpose
    package let token: DeviceToken

    package init(_ purpose: TokenPurpose, _ token: DeviceToken) {
        self.purpose = purpose
        self.token = token
    }

    /// Each: purpose, two bytes of length, token.
    static func encode(_ tokens: [ExtraToken]) -> [UInt8] {
        var bytes: [UInt8] = []
        for token in tokens {
            token.purpose.append(to: &bytes)
            bytes.append(bigEndian: UInt16(token.token.bytes.count))
            bytes += token.token.bytes
        }
        return bytes
    }

    /// - Returns: nil for malformed bytes.
    static func decode(_ bytes: [UInt8]) -> [ExtraToken]? {
        var reader = ByteReader(bytes[...])
        var tokens: [ExtraToken] = []
        while reader.remainingByteCount > 0 {
            guard tokens.count < counts.upperBound, let purpose = TokenPurpose(&reader),
                let count = reader.take(UInt16.self), let own = reader.take(Int(count)),
                let token = try? DeviceToken(bytes: own)
            else { return nil }
            tokens.append(ExtraToken(purpose, token))
        }
        return tokens
    }
}
