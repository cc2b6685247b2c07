import Platform

/// Socket beside the database, by which `backup` asks a running service for a copy: a connection of its own would hold
/// SQLite's log until the copy's end. One line goes each way: the copy's path, then `ok` or a sentence.
///
/// - Source: unix(7); the modes of folder and socket decide who may connect.
struct BackupSocket {
    static let done = "ok"
    private static let lineByteCountMax = 8_192
    private let folder: String
    private let name: String

    init(beside database: String) {
        let slash = database.lastIndex(of: "/").map { database.index(after: $0) } ?? database.startIndex
        folder = slash == database.startIndex ? "." : String(database[..<slash])
        name = database[slash...] + "-backup"
    }

    /// Serves one request at a time on its own thread, until the process ends.
    ///
    /// - Parameter copy: makes a copy and returns the answer; may block.
    func serve(_ copy: @escaping @Sendable (_ path: String) -> String) -> Bool {
        guard
            let listener = unsafe open({ listener, address, byteCount in
                // A killed process may have left it; only one has the store's lock.
                remove()
                return unsafe bind(listener, address, byteCount) == 0 && listen(listener, 4) == 0
            })
        else { return false }
        return DetachedThread.start(stackByteCount: 512 << 10) {
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else {
                    // Without descriptors.
                    if errno != EINTR, errno != ECONNABORTED { sleep(1) }
                    continue
                }
                if let path = Self.line(from: connection) { Self.write(copy(path), to: connection) }
                close(connection)
            }
        }
    }

    func remove() { unsafe unlink(folder + "/" + name) }

    /// - Parameter path: Absolute.
    /// - Returns: nil without a service; empty if it ended before its answer.
    func ask(_ path: String) -> String? {
        guard let connection = unsafe open({ unsafe connect($0, $1, $2) == 0 }) else { return nil }
        defer { close(connection) }
        Self.write(path, to: connection)
        return Self.line(from: connection) ?? ""
    }

    /// A path may exceed a socket address, unlike the folder's descriptor.
    private func open(_ prepare: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Bool) -> Int32? {
        let directory = unsafe Platform.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { return nil }
        defer { close(directory) }
        let path = Array("/proc/self/fd/\(directory)/\(name)".utf8) + [0]
        var address = sockaddr_un()
        guard path.count <= MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path) }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        let isPrepared = unsafe withUnsafePointer(to: address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe prepare(descriptor, address, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard isPrepared else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    /// nil if the peer ends first.
    private static func line(from descriptor: Int32) -> String? {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1_024)
        while bytes.last != UInt8(ascii: "\n"), bytes.count < lineByteCountMax {
            let count = unsafe recv(descriptor, &chunk, chunk.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            bytes += chunk[..<count]
        }
        return String(decoding: bytes.dropLast(), as: UTF8.self)
    }

    private static func write(_ line: String, to descriptor: Int32) {
        let bytes = Array((line + "\n").utf8)
        // A line fits a socket's buffer.
        _ = unsafe send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }
}
