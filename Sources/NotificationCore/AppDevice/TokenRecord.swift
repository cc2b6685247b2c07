import Keys
import Platform
import Primitives

/// A digest of the device token that the newest prekeys belong to: 32 bytes in a file of the app's own.
struct TokenRecord {
    let path: String
    private let digest: [UInt8]

    init(path: String, token: [UInt8]) {
        self.path = path
        digest = SHA256.hash(Array("SealedPush/1 device token".utf8) + token)
    }

    /// Whether the newest prekeys belong to another token; not before a token was written.
    func isOther() throws(FileError) -> Bool {
        do throws(FileError) {
            return try WholeFile.read(path, byteCountMax: digest.count) != digest
        } catch {
            switch error {
            case .notFound: return false
            case .tooLarge: return true
            default: throw error
            }
        }
    }

    /// Writes this token's digest, unless it is there.
    func write() throws(FileError) {
        if (try? WholeFile.read(path, byteCountMax: digest.count)) == digest { return }
        try WholeFile.write(digest, to: path, access: .protected(.untilFirstUnlock))
    }
}
