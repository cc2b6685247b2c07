import Envelope
import Keys
import Platform

/// Path of a unix socket, with a lock beside it: removes a killed process's socket, and none in use.
package final class SocketFile: Sendable {
    package struct Place: Equatable, Sendable {
        package let path: String
        /// Users that may connect.
        package let mode: UInt32
    }

    private let path: String
    private let lock: Int32

    /// Locks `PATH.lock`.
    package init(_ place: Place) throws(SocketFileError) {
        path = place.path
        let lock = unsafe open(path + ".lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw .folder(path: path, code: errno) }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            close(lock)
            throw .inUse(path: path)
        }
        self.lock = lock
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(path: path) }
        remove()
    }

    deinit { close(lock) }

    package func remove() { unsafe unlink(path) }
}

extension SocketFile.Place {
    package static let names = ["path", "mode"]

    private enum Mode: String, CaseIterable {
        case owner = "0600"
        case group = "0660"
    }

    package init?(_ reader: ObjectReader) {
        let mode: Mode? = reader.choice("mode")
        // An address has 108 bytes with its NUL.
        guard let path = reader.file("path", isRequired: true) else { return nil }
        guard path.utf8.count <= 107 else {
            reader.wrong("path", reader.object["path"] ?? reader.object, "107 bytes at most, as sockets have them")
            return nil
        }
        self.path = path
        self.mode = mode == .group ? 0o660 : 0o600
    }
}

package enum SocketFileError: Error, Equatable, Sendable {
    case inUse(path: String)
    case notASocket(path: String)
    /// No file can be made there.
    case folder(path: String, code: Int32)

    /// True if an unchanged start would fail again.
    package var isLasting: Bool {
        switch self {
        case .notASocket, .folder(_, ENOENT), .folder(_, ENOTDIR), .folder(_, EACCES), .folder(_, EROFS): true
        case .inUse, .folder: false
        }
    }
}

extension SocketFileError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .inUse(let path): "\(path): another process listens on this socket; stop that one first"
        case .notASocket(let path): "\(path): there is a file that is no socket; give another path"
        case .folder(let path, let code):
            "\(path): no file can be made in its folder (\(FileError.systemText(code))); is it there, and this user's?"
        }
    }
}
