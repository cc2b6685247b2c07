package import CommandLineTool
import Glibc

/// Paths for programs that take absolute ones only.
package enum AbsolutePath {
    /// - Parameter path: of something that is there.
    /// - Returns: where it is, without symbolic links.
    /// - Throws: what the system says.
    package static func of(_ path: String) throws(CommandFailure) -> String {
        guard let whole = unsafe realpath(path, nil) else {
            throw .failed("\(TerminalText.safe(path)): \(Output.systemText(errno))")
        }
        defer { unsafe free(whole) }
        return unsafe String(cString: whole)
    }
}
