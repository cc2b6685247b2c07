import Keys
import Platform
import Primitives

/// Digest, 32 bytes, of the device token of the newest prekeys.
struct TokenRecord {
    let path: String
    private let digest: [UInt8]

    init(path: String, token: [UInt8]) {
        self.path = path
        digest = SHA256.hash(Array("SealedPush/1 device token".utf8) + token)
    }

    /// True for another token; false before the first write.
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

    /// Writes the digest if it changed.
    func write() throws(FileError) {
        if (try? WholeFile.read(path, byteCountMax: digest.count)) == digest { return }
        try WholeFile.write(digest, to: path, access: .protected(.untilFirstUnlock))
    }
}
