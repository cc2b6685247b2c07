/// Strength of a flush.
package enum FileSync: Sendable {
    /// Before every later write: enough for a file that is then renamed in a folder made durable.
    case ordered
    /// On the medium itself: survives a loss of power.
    case durable
    /// As durable, of bytes that a file had room for: on Linux without its times, which would cost a commit of the file
    /// system.
    case inPlace

    /// - Parameter descriptor: File or a folder.
    /// - Returns: Nil, or the error code.
    package func force(_ descriptor: Int32) -> Int32? {
        #if canImport(Darwin) || SEALEDPUSH_APPLE_STANDINS
        // On Apple's platforms `fsync` ends in the drive's own cache.
        let command = self == .ordered ? F_BARRIERFSYNC : F_FULLFSYNC
        guard fcntl(descriptor, command) != 0 else { return nil }
        // A file system that supports neither, such as one on a network.
        guard errno == ENOTSUP || errno == EINVAL || errno == ENOTTY else { return errno }
        #else
        if self == .inPlace { return fdatasync(descriptor) == 0 ? nil : errno }
        #endif
        return fsync(descriptor) == 0 ? nil : errno
    }
}
