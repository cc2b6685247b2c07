/// How far a write is forced out of the system's memory. On Linux both are `fsync`.
package enum FileSync: Sendable {
    /// Before whatever is written later: enough for a file that is then renamed, where the folder is made durable.
    case ordered
    /// On the medium itself: a loss of power takes nothing back.
    case durable

    /// - Parameter descriptor: of a file or a folder.
    /// - Returns: nil, or the error code.
    package func force(_ descriptor: Int32) -> Int32? {
        #if canImport(Darwin)
        // There `fsync` ends in the drive's own cache.
        let command = self == .ordered ? F_BARRIERFSYNC : F_FULLFSYNC
        guard fcntl(descriptor, command) != 0 else { return nil }
        // A file system that knows neither, on a network for instance.
        guard errno == ENOTSUP || errno == EINVAL || errno == ENOTTY else { return errno }
        #endif
        return fsync(descriptor) == 0 ? nil : errno
    }
}
