import Glibc
import Platform
import TestSupport

/// One process of the stage, which writes its events as lines of JSON on its standard output.
public final class Station: Sendable {
    /// Its events so far.
    public let events = EventLog()
    private let id: pid_t
    private let complaints = Guarded<[UInt8]>([])
    private let isReaped = Guarded(false)

    /// Starts a program of this package.
    ///
    /// - Parameters:
    ///   - program: its name; it lies beside the test bundle.
    ///   - arguments: the words behind it.
    ///   - environment: more variables, as `NAME=value`.
    public init(_ program: String, _ arguments: [String], environment: [String] = []) throws {
        let (output, outputWriter) = try Spawn.pipe()
        let (errors, errorWriter) = try Spawn.pipe()
        defer {
            close(outputWriter)
            close(errorWriter)
        }
        // SEALEDPUSH_SEEDS and its like are for tests. The relay refuses to start with an unknown variable.
        let variables = try Spawn.inherited().filter { !$0.hasPrefix("SEALEDPUSH_") }
        id = try Spawn.start(
            [LineProcess.path(of: program)] + arguments,
            environment: variables + environment,
            descriptors: [nil, outputWriter, errorWriter]
        )
        let (events, complaints) = (events, complaints)
        _ = DetachedThread.start(stackByteCount: 1 << 20) {
            Self.read(output) { line in
                // A line that is no JSON is for people.
                if let event = try? JSON(Array(line)) { events.add(event) }
            }
            events.end()
        }
        _ = DetachedThread.start(stackByteCount: 1 << 20) {
            Self.read(errors) { line in complaints.withLock { $0 += Array(line) + [UInt8(ascii: "\n")] } }
        }
    }

    deinit { kill() }

    /// Process id, for /proc.
    public var processID: Int32 { id }

    /// Its standard error so far.
    public var errors: String { complaints.withLock { String(decoding: $0, as: UTF8.self) } }

    /// Sends SIGTERM, and waits for the end.
    public func stop() {
        signal(SIGTERM)
        reap()
    }

    /// Ends it as a crash would.
    public func kill() {
        signal(SIGKILL)
        reap()
    }

    private func signal(_ number: Int32) {
        isReaped.withLock { isReaped in
            if !isReaped { _ = Glibc.kill(id, number) }
        }
    }

    private func reap() {
        isReaped.withLock { isReaped in
            guard !isReaped else { return }
            while waitpid(id, nil, 0) < 0, errno == EINTR {}
            isReaped = true
        }
    }

    private static func read(_ descriptor: Int32, _ take: (ArraySlice<UInt8>) -> Void) {
        defer { close(descriptor) }
        var unread: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            unread += chunk[..<count]
            while let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                take(unread[..<end])
                unread.removeSubrange(...end)
            }
        }
    }
}
