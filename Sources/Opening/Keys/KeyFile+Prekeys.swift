import Envelope
import Keys
import Primitives

// The lines of a device's key file:
//
//     topic com.example.chat
//     prekey x25519 after-first-unlock <43 characters of base64url>
extension KeyFile {
    func topic() throws(FileError) -> BundleID {
        let topics = values("topic")
        guard topics.count == 1, topics[0].count == 1 else { throw malformed }
        do {
            return try BundleID(text(topics[0][0]))
        } catch {
            throw malformed
        }
    }

    /// Far more than are kept at once; a ring that was read can be written again.
    private static var prekeyCountMax: Int { 64 }

    /// Reads 1 to 64 prekeys with distinct ids.
    func prekeys(identity: IdentityKey) throws(FileError) -> [PrivatePrekey] {
        var prekeys: [PrivatePrekey] = []
        let lines = values("prekey")
        guard (1...Self.prekeyCountMax).contains(lines.count) else { throw malformed }
        for words in lines {
            guard words.count == 3, let suite = Suite(fileWord: text(words[0])),
                let protectionClass = ProtectionClass(fileWord: text(words[1]))
            else { throw malformed }
            let key: X25519PrivateKey
            do {
                key = try X25519PrivateKey(rawRepresentation: try secret(words[2], storage: .guarded))
            } catch {
                throw malformed
            }
            prekeys.append(
                PrivatePrekey(key: key, suite: suite, protectionClass: protectionClass, identity: identity)
            )
        }
        guard Set(prekeys.map(\.id)).count == prekeys.count else { throw malformed }
        return prekeys
    }
}

extension KeyFileWriter {
    mutating func line(_ prekey: PrivatePrekey) {
        let (suite, protectionClass) = (prekey.publicPrekey.suite, prekey.publicPrekey.protectionClass)
        prekey.key.withRawRepresentation {
            line("prekey", suite.fileWord, protectionClass.fileWord, secret: $0)
        }
    }
}

extension Suite {
    fileprivate var fileWord: String {
        switch self {
        case .x25519: "x25519"
        }
    }

    fileprivate init?(fileWord: String) {
        guard fileWord == Suite.x25519.fileWord else { return nil }
        self = .x25519
    }
}

extension ProtectionClass {
    fileprivate var fileWord: String {
        switch self {
        case .afterFirstUnlock: "after-first-unlock"
        case .unlocked: "unlocked"
        }
    }

    fileprivate init?(fileWord: String) {
        switch fileWord {
        case ProtectionClass.afterFirstUnlock.fileWord: self = .afterFirstUnlock
        case ProtectionClass.unlocked.fileWord: self = .unlocked
        default: return nil
        }
    }
}
