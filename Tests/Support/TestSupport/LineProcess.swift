#if os(Linux)
import Platform

package final class LineProcess {
    private let id: pid_t
    private let output: Int32
    private var unread: [UInt8] = []
    private var status: Int32?

    /// Path of a program of this package: beside the test bundle.
    package static func path(of program: String) -> String {
        var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink("/proc/self/exe", &bytes, bytes.count)
        let bundle = bytes[..<max(count, 0)]
        return String(decoding: bundle[..<(bundle.lastIndex(of: UInt8(ascii: "/")) ?? 0)], as: UTF8.self) + "/"
            + program
    }

    /// Starts it.
    ///
    /// - Parameters:
    ///   - path: of the program.
    ///   - arguments: The words after its name.
    ///   - speaksOfErrors: True if its lines are those of its standard error.
    package init(_ path: String, _ arguments: [String], speaksOfErrors: Bool = false) throws(SystemFailure) {
        let (reader, writer) = try Spawn.pipe()
        defer { close(writer) }
        do {
            let descriptors = speaksOfErrors ? [nil, nil, writer] : [nil, writer]
            id = try Spawn.start([path] + arguments, descriptors: descriptors)
        } catch {
            close(reader)
            throw error
        }
        output = reader
    }

    deinit {
        kill()
        close(output)
    }

    package func line() -> String? {
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                defer { unread.removeFirst(end + 1) }
                return String(decoding: unread[..<end], as: UTF8.self)
            }
            guard readMore() else { return nil }
        }
    }

    package func rest() -> String {
        while readMore() {}
        defer { unread = [] }
        return String(decoding: unread, as: UTF8.self)
    }

    /// Waits until it has ended by itself.
    ///
    /// - Returns: its exit code; nil if a signal ended it.
    @discardableResult
    package func wait() -> Int32? {
        while status == nil {
            var status: Int32 = 0
            let ended = unsafe waitpid(id, &status, 0)
            if ended == id || errno != EINTR { self.status = status }
        }
        return status.flatMap { $0 & 0x7F == 0 ? $0 >> 8 & 0xFF : nil }
    }

    package func kill() {
        if status == nil { _ = Platform.kill(id, SIGKILL) }
        wait()
    }

    private func readMore() -> Bool {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe read(output, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            unread += chunk[..<count]
            return true
        }
    }
}
#endif
