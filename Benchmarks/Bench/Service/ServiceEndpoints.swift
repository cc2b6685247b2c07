import Envelope
import HTTP
import Primitives
import PushStore

/// Endpoints of a load's devices, one each, and the pushes of strangers' servers to them.
enum ServiceEndpoints {
    /// Record bytes with which a payload has 1,024, as `ServiceBodies` has it.
    private static let recordByteCount = 658

    static func endpoint(_ number: Int, of device: DeviceKey, created: Timestamp) -> PushEndpoint {
        let hash = SHA256.hash(Array("SealedPush/1 endpoint".utf8), secret(number))
        return PushEndpoint(hash: hash, device: device, created: created)
    }

    static func head(_ number: Int, port: UInt16) -> HeaderBlock {
        var headers = HeaderBlock()
        headers.append(":method", "POST")
        headers.append(":scheme", "https")
        headers.append(":authority", Array("localhost:\(port)".utf8))
        headers.append(":path", Array("/wp/".utf8) + secret(number))
        headers.append("ttl", "86400")
        headers.append("content-encoding", "aes128gcm")
        return headers
    }

    /// - Parameter number: the notification's, in the place of the salt; nil for none that is counted.
    static func record(_ number: Int?) -> [UInt8] {
        let salt = number.map(ServiceBodies.trace) ?? [UInt8](repeating: 0, count: 16)
        return salt + [UInt8](repeating: 0, count: recordByteCount - salt.count)
    }

    /// - Returns: the notification's number in a payload; nil for another's.
    static func number(payload: [UInt8]) -> Int? {
        let name = Array(#""webpush":""#.utf8)
        for start in payload.indices.dropLast(name.count + 22) where payload[start...].starts(with: name) {
            let text = payload[(start + name.count)..<(start + name.count + 22)]
            // 22 characters of base64url hold 16 bytes and a part of the next, which is 0.
            guard let salt = Base64URL.decode(text), salt[..<8].allSatisfy({ $0 == 0x5A }) else { return nil }
            return salt[8...].reduce(0) { $0 << 8 | Int($1) }
        }
        return nil
    }

    private static func secret(_ number: Int) -> [UInt8] {
        let bytes =
            [UInt8](repeating: 0x5A, count: 24) + (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
        return Base64URL.encode(bytes)
    }
}
