import Glibc
import Keys

/// Standard input, read whole from its descriptor: /dev/stdin cannot be opened if it is a socket, as under some
/// runtimes.
enum StandardInput {
    /// - Returns: more than `byteCountMax` bytes are an error, even of endless input.
    static func read(byteCountMax: Int) throws(FileError) -> [UInt8] {
        let name = "standard input"
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe Glibc.read(STDIN_FILENO, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .system(call: "read", path: name, code: errno) }
            guard count > 0 else { return bytes }
            bytes += chunk[..<count]
            guard bytes.count <= byteCountMax else { throw .tooLarge(path: name, byteCountMax: byteCountMax) }
        }
    }
}
