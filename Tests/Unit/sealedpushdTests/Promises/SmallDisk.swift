import Glibc
import TestSupport

/// A file system of a few megabytes that one process and its children see, where the system lets its users make one.
final class SmallDisk {
    /// Its mount point inside; elsewhere an empty folder.
    let path: String
    /// Arguments that start a program inside.
    let wrapper: [String]
    private let helperFile: String
    private let folder: TemporaryFolder
    private var lifeline: Int32 = -1

    static let isPossible: Bool = {
        let words = ["-c", "exec unshare -rm mount -t tmpfs -o size=1m tmpfs /tmp 2>/dev/null"]
        guard let process = try? LineProcess("/bin/sh", words) else { return false }
        return process.wait() == 0
    }()

    /// - Parameters:
    ///   - megabytes: its size.
    ///   - isFull: true to fill it from the start, until `free()`.
    init(megabytes: Int, isFull: Bool = false) throws {
        folder = try TemporaryFolder()
        path = folder.path("disk")
        helperFile = folder.path("helper")
        let line = folder.path("line")
        guard unsafe mkdir(path, 0o700) == 0, unsafe mkfifo(line, 0o600) == 0 else {
            throw SystemFailure(call: "mkdir", code: errno)
        }
        // Open on both sides, so that neither open blocks.
        lifeline = unsafe open(line, O_RDWR | O_CLOEXEC)
        // A process beside the service keeps the disk reachable: the service's own `/proc` entries are closed to
        // others.
        let script = """
            mount -t tmpfs -o size=\(megabytes)m,mode=700 tmpfs "$0" || exit 1
            ( read -r word ) <"\(line)" >/dev/null 2>&1 &
            echo $! >"\(helperFile)"
            \(isFull ? #"cat /dev/zero >"$0/filler" 2>/dev/null"# : "")
            exec "$@"
            """
        wrapper = ["/usr/bin/unshare", "-rm", "sh", "-c", script, path]
    }

    deinit {
        _ = unsafe write(lifeline, "end\n", 4)
        close(lifeline)
    }

    func fill() throws {
        let file = try unsafe open(reachablePath() + "/filler", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw SystemFailure(call: "open filler", code: errno) }
        defer { close(file) }
        let zeros = [UInt8](repeating: 0, count: 4_096)
        while unsafe write(file, zeros, zeros.count) > 0 {}
        guard errno == ENOSPC else { throw SystemFailure(call: "write filler", code: errno) }
    }

    /// Text of a file on it; nil where there is none.
    func text(of name: String) throws -> String? {
        let file = try unsafe open(reachablePath() + "/" + name, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while case let count = unsafe read(file, &chunk, chunk.count), count > 0 { bytes += chunk[..<count] }
        return String(decoding: bytes, as: UTF8.self)
    }

    func free() throws {
        guard try unsafe unlink(reachablePath() + "/filler") == 0 else {
            throw SystemFailure(call: "unlink filler", code: errno)
        }
    }

    /// Path by which this process reaches the disk.
    private func reachablePath() throws -> String {
        let file = unsafe open(helperFile, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw SystemFailure(call: "open helper", code: errno) }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 32)
        let count = unsafe read(file, &bytes, bytes.count)
        let number = String(decoding: bytes.prefix(max(0, count)).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        return "/proc/\(number)/root\(path)"
    }
}
