package import CommandLineTool
import Glibc

package enum AbsolutePath {
    /// - Parameter path: of an existing file.
    /// - Returns: its path without symbolic links.
    package static func of(_ path: String) throws(CommandError) -> String {
        guard let whole = unsafe realpath(path, nil) else {
            throw .failed("\(TerminalText.safe(path)): \(Output.systemText(errno))")
        }
        defer { unsafe free(whole) }
        return unsafe String(cString: whole)
    }
}
