import Envelope
import Foundation
import Primitives
import TestSupport

@testable import WebPush

/// RFC 8291 section 5 with appendix A, as the file names the values.
struct RFC8291Example: Decodable {
    let plaintext, as_public, as_private, ua_public, ua_private, salt, auth_secret: String
    let ecdh_secret, prk_key, key_info, ikm, prk, cek_info, cek, nonce_info, nonce: String
    let padded_plaintext, ciphertext, body: String
    let record_size: Int

    static func load() throws -> RFC8291Example { try RFCFile.load().rfc8291 }

    func keys() throws -> WebPushKeys { try WebPushKeys(privateKey: ua_private, authenticationSecret: auth_secret) }
}

/// RFC 8188 section 3.
struct RFC8188Example: Decodable {
    let key, body, plaintext: String

    static func load() throws -> (oneRecord: RFC8188Example, twoRecords: RFC8188Example) {
        let file = try RFCFile.load()
        return (file.rfc8188_3_1, file.rfc8188_3_2)
    }
}

private struct RFCFile: Decodable {
    let rfc8291: RFC8291Example
    let rfc8188_3_1, rfc8188_3_2: RFC8188Example

    static func load() throws -> RFCFile {
        try JSONDecoder().decode(RFCFile.self, from: VectorFile("rfc8291-rfc8188.json", in: .module).data)
    }
}

/// Records by other programs.
struct OtherRecords: Decodable {
    struct Receiver: Decodable {
        let `private`, `public`, auth: String
    }
    struct Opened: Decodable {
        let name, plaintext, record: String
    }
    struct Refused: Decodable {
        let name, error, record: String
    }
    let receiver: Receiver
    let opened: [Opened]
    let refused: [Refused]

    static func load() throws -> OtherRecords {
        try JSONDecoder().decode(OtherRecords.self, from: VectorFile("records.json", in: .module).data)
    }

    func opener() throws -> WebPushOpener {
        WebPushOpener(keys: try WebPushKeys(privateKey: receiver.private, authenticationSecret: receiver.auth))
    }
}

struct BadVector: Error {}

extension String {
    func bytes() throws -> [UInt8] {
        guard let bytes = Base64URL.decode(Array(utf8)) else { throw BadVector() }
        return bytes
    }

    func secret() throws -> SecretBytes {
        let bytes = try bytes()
        return unsafe SecretBytes(copying: bytes.span.bytes)
    }
}

extension SecretBytes {
    var revealed: String { withBytes { Base64URL.string([UInt8](copying: $0)) } }
}

extension WebPushKeys {
    convenience init(privateKey: String, authenticationSecret: String) throws {
        self.init(
            privateKey: try P256PrivateKey(rawRepresentation: privateKey.secret()),
            authenticationSecret: try authenticationSecret.secret()
        )
    }
}
