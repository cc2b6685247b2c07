/// Why a file could not be read or written. Holds paths and system errors, never contents.
public enum FileError: Error, Equatable {
    /// There is no such file.
    case notFound(path: String)
    /// A call of the system failed, with this `errno`.
    case system(call: String, path: String, code: Int32)
    /// A folder, a link that was to be replaced, or something else than a file.
    case notARegularFile(path: String)
    /// Longer than anything that belongs there.
    case tooLarge(path: String, byteCountMax: Int)
    /// No byte in it.
    case empty(path: String)
    /// A private key is there already, and was not touched: what is written over cannot be had again.
    case exists(path: String)
    /// Others than the owner can read a private key, by this mode.
    case permissionsTooLoose(path: String, mode: UInt32)
    /// A key that everybody has, loaded without saying so.
    case exampleKey(path: String)
    /// A public key (`sender.pub`, `identity.pub`) where its private half belongs.
    case publicKey(path: String)
    /// A private key where a public one belongs. It is for its owner's eyes only.
    case privateKey(path: String)
    /// Not the format that the reader expects; what it is instead is not said.
    case malformed(path: String, expected: String)
}
