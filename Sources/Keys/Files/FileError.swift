/// Why a file could not be read or written. Holds paths and system errors, never contents.
package enum FileError: Error, Equatable {
    case notFound(path: String)
    case system(call: String, path: String, code: Int32)
    case notARegularFile(path: String)
    case tooLarge(path: String, byteCountMax: Int)
    case empty(path: String)
    /// Others than the owner can read a private key.
    case permissionsTooLoose(path: String, mode: UInt32)
    /// A key that everybody has, loaded without saying so.
    case exampleKey(path: String)
    /// Not the format that the reader expects; what it is instead is not said.
    case malformed(path: String, expected: String)
}
