import CommandLineTool
import Envelope

/// A push payload as a file.
enum PayloadFile {
    /// More than Apple takes, so that the excess can be named.
    private static let byteCountMax = 64 * 1024

    static func read(_ path: String) throws(CommandFailure) -> [UInt8] {
        try readInput(path, byteCountMax: byteCountMax)
    }

    static func report(_ path: String) throws(CommandFailure) -> PayloadReport {
        try report(try read(path), from: path)
    }

    /// The report of bytes that were read; `path` is for an error's sentence only.
    static func report(_ bytes: [UInt8], from path: String) throws(CommandFailure) -> PayloadReport {
        do {
            return try PayloadReport(payload: bytes)
        } catch {
            let (line, column) = JSONError.position(of: error.offset, in: bytes)
            throw .failed("\(TerminalText.safe(path)):\(line):\(column): not a push payload: \(error.reason)")
        }
    }
}
