import Keys
import Platform

/// Pictures of senders, a file per handle, written by the app. The extension passes the path on: decoding takes more
/// memory than it has.
struct AvatarFolder: Sendable {
    /// Small: iOS shows it in a circle of about 40 points.
    static let byteCountMax = 256 * 1024
    private static let fileCountMax = 8_192

    let path: String

    init(path: String) { self.path = path }

    /// - Returns: nil without a file of the right size.
    func picture(_ handle: String) -> String? {
        let path = path + "/" + handle
        var status = stat()
        guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            (1...off_t(Self.byteCountMax)).contains(status.st_size)
        else { return nil }
        return path
    }

    /// - Parameter picture: 1 to `byteCountMax` bytes; nil removes it.
    func set(_ picture: [UInt8]?, for handle: String) throws(FileError) {
        try PrivateFolder.make(path, protection: .untilFirstUnlock)
        guard let picture else { return try PrivateFolder.remove(path + "/" + handle) }
        try WholeFile.write(picture, to: path + "/" + handle, access: .protected(.untilFirstUnlock))
    }

    func removeAll() throws(ContainerError) {
        do throws(FileError) {
            for name in try PrivateFolder.names(path, countMax: Self.fileCountMax) {
                try PrivateFolder.remove(path + "/" + name)
            }
        } catch {
            throw ContainerError(error)
        }
    }
}
