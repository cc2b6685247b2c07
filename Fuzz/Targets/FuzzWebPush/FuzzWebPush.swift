import Envelope
import FuzzSupport
import Primitives
import WebPush

/// Web Push records: as they are, behind a good header, around any padded text, and the text inside alone.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzWebPush(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = unsafe FuzzInput(start, count)
    switch input.selector & 7 {
    case 0: subscription.check(record: input.rest)
    case 1: subscription.check(record: subscription.header + input.rest)
    case 2: subscription.check(field: String(decoding: input.rest, as: UTF8.self))
    case 3, 4: subscription.check(padded: input.rest)
    default: subscription.check(plaintext: input.rest)
    }
    return 0
}

private let subscription = Subscription()

/// A receiver and a sender with fixed keys. A class only because keys cannot be copied.
private final class Subscription: Sendable {
    private let opener: WebPushOpener
    private let sender: P256PrivateKey
    private let contentKey: SecretBytes
    private let nonce: [UInt8]

    /// salt ‖ rs ‖ idlen ‖ keyid
    let header: [UInt8]

    init() {
        var random = FixedRandom(seed: 1)
        do {
            let keys = try WebPushKeys(random: &random)
            sender = try P256PrivateKey(random: &random)
            let salt = random.bytes(count: 16)
            var header = salt
            header.append(bigEndian: UInt32(4_096))
            header.append(lengthPrefixed: sender.publicKey.x963Representation)
            self.header = header
            // RFC 8291 section 3.4 and RFC 8188 section 2, a second time beside the product.
            let sharedSecret = try sender.sharedSecret(with: keys.publicKey)
            let first = keys.withAuthenticationSecret { Self.extract(salt: $0, sharedSecret) }
            let info = Array("WebPush: info\0".utf8) + keys.publicKey.x963Representation
            let keyingMaterial = try HKDFSHA256.expand(
                pseudorandomKey: first,
                info: info + sender.publicKey.x963Representation,
                byteCount: 32
            )
            let second = unsafe Self.extract(salt: salt.span.bytes, keyingMaterial)
            contentKey = try Self.expand(second, "Content-Encoding: aes128gcm\0", 16)
            nonce = try Self.expand(second, "Content-Encoding: nonce\0", 12).withBytes { [UInt8](copying: $0) }
            opener = WebPushOpener(keys: keys)
        } catch {
            fatalError("fixed keys can be made")
        }
    }

    func check(record: [UInt8]) {
        do {
            let plaintext = try opener.open(record: record)
            require(plaintext.count <= 3_993, "the longest text has 3,993 bytes")
            require(plaintext.count + 103 <= record.count, "a text is shorter than its record")
        } catch {
            switch error {
            case .record, .notOpened: break
            default: require(false, "a record says nothing of fields and texts")
            }
        }
        require(WebPushOpener.replayKey(ofRecord: record).count == 16, "every record has a replay key")
    }

    func check(field: String) {
        do {
            let message = try opener.open(field: field)
            require(!message.title.isEmpty || !message.body.isEmpty, "what is shown has a text")
        } catch {
            if case .notBase64URL = error {
                require(Base64URL.decode(Array(field.utf8)) == nil, "base64url is not refused as such")
            }
        }
    }

    /// Checks delimiter and padding in another way than the product.
    func check(padded: [UInt8]) {
        guard header.count + padded.count + 16 <= WebPushCoding.aes128gcm.recordByteCountMax else { return }
        let record = header + AESGCM.seal(padded, key: contentKey, nonce: nonce, aad: [])
        var expected = padded
        while expected.last == 0 { expected.removeLast() }
        let isGood = expected.popLast() == 2
        do {
            let plaintext = try opener.open(record: record)
            require(isGood && plaintext == expected, "what opens is the text before the delimiter")
            check(plaintext: plaintext)
        } catch {
            require(!isGood || padded.isEmpty, "a good record opens")
            require(error == .notOpened || padded.isEmpty, "a bad delimiter is one case with all that depends on keys")
        }
    }

    func check(plaintext: [UInt8]) {
        do {
            let message = try UnauthenticatedMessage(plaintext: plaintext)
            require(!message.title.isEmpty || !message.body.isEmpty, "what is shown has a text")
            require(!message.title.utf8.contains(0) && !message.body.utf8.contains(0), "no text holds NUL")
            require(message.title.utf8.count + message.body.utf8.count <= plaintext.count, "no text is made up")
        } catch {
            // Any proper refusal is right.
        }
    }

    private static func extract(salt: RawSpan, _ secret: borrowing SecretBytes) -> SecretBytes {
        HKDFSHA256.extract(salt: salt) { code in secret.withBytes { code.update($0) } }
    }

    private static func expand(
        _ key: borrowing SecretBytes,
        _ info: StaticString,
        _ byteCount: Int
    ) throws(PrimitiveError) -> SecretBytes {
        try HKDFSHA256.expand(pseudorandomKey: key, info: Array("\(info)".utf8), byteCount: byteCount)
    }
}
