public import Envelope
public import Keys
private import Primitives

/// Key of a pin: one device in one app.
public struct BundlePinSlot: Hashable, Sendable {
    /// The device.
    public let identity: IdentityKey
    /// The app.
    public let topic: BundleID

    /// Creates a slot.
    public init(identity: IdentityKey, topic: BundleID) {
        self.identity = identity
        self.topic = topic
    }

    /// 64 hexadecimal digits that do not reveal the identity.
    public var name: String {
        let digits = Array("0123456789abcdef".utf8)
        var name: [UInt8] = []
        name.reserveCapacity(2 * SHA256.byteCount)
        for byte in SHA256.hash(identity.rawRepresentation, topic.bytes) {
            name.append(digits[Int(byte >> 4)])
            name.append(digits[Int(byte & 0xF)])
        }
        return String(decoding: name, as: UTF8.self)
    }
}
