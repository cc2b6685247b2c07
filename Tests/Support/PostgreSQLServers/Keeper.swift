internal import Platform
internal import TestSupport

/// A shell that starts a server, and ends it once its own standard input does: when this process lets it go, or dies.
final class Keeper: Sendable {
    static let script = """
        "$1/pg_ctl" -D "$2" -l "$3" -w -t 60 start >/dev/null 2>&1 || { tail -n 5 "$3"; exit 1; }
        echo ready
        cat >/dev/null
        "$1/pg_ctl" -D "$2" -m immediate -w stop >/dev/null 2>&1
        """

    private let id: pid_t
    private let input: Int32

    /// Returns once the server takes connections.
    init(_ words: [String]) throws {
        let (inputReader, inputWriter) = try Spawn.pipe()
        let (outputReader, outputWriter) = try Spawn.pipe()
        defer { close(outputReader) }
        id = try Spawn.start(words, descriptors: [inputReader, outputWriter])
        close(inputReader)
        close(outputWriter)
        input = inputWriter
        var output: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4_096)
        while !output.contains(UInt8(ascii: "\n")) || !output.starts(with: "ready".utf8) {
            let count = unsafe read(outputReader, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                throw TestServer.SetupError(step: "start", output: String(decoding: output, as: UTF8.self))
            }
            output += chunk[..<count]
        }
    }

    deinit {
        close(input)
        var status: Int32 = 0
        while unsafe waitpid(id, &status, 0) < 0, errno == EINTR {}
    }
}
