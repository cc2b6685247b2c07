import CommandLineTool
import Envelope

enum PayloadFile {
    /// Above Apple's limit, so that the excess can be reported.
    private static let byteCountMax = 64 * 1024

    static func read(_ path: String) throws(CommandError) -> [UInt8] {
        try readInput(path, byteCountMax: byteCountMax)
    }

    static func report(_ path: String) throws(CommandError) -> PayloadReport {
        try report(try read(path), from: path)
    }

    static func report(_ bytes: [UInt8], from path: String) throws(CommandError) -> PayloadReport {
        do {
            return try PayloadReport(payload: bytes)
        } catch {
            let (line, column) = JSONError.position(of: error.offset, in: bytes)
            throw .failed("\(TerminalText.safe(path)):\(line):\(column): not a push payload: \(error.reason)")
        }
    }
}
