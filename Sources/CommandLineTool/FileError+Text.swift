import Glibc
package import Keys
private import ServiceParts

extension CommandError {
    package static func file(_ error: FileError) -> CommandError { .failed(error.sentence) }
}

extension FileError {
    package var sentence: String {
        switch self {
        case .notFound(let path):
            "\(safe(path)): no such file; check the path"
        case .system(_, let path, _) where isAboutFolder, .notARegularFile(let path) where isAboutFolder,
            .exists(let path) where isAboutFolder:
            "\(safe(path)) is a folder; give the path of a file"
        case .system(let call, let path, let code):
            "\(safe(path)): \(Output.systemText(code)) (\(call))"
        case .notARegularFile(let path):
            "\(safe(path)) is not a regular file"
        case .tooLarge(let path, let byteCountMax):
            "\(safe(path)) is larger than \(byteCountMax) bytes; is it the right file?"
        case .empty(let path):
            "\(safe(path)) is empty"
        case .exists(let path):
            "\(safe(path)) exists already and was not changed; move it away first"
        case .permissionsTooLoose(let path, let mode):
            "\(safe(path)) holds a private key and has mode 0\(String(mode, radix: 8)), so others may read it; "
                + "run: chmod 600 \(safe(path))"
        case .exampleKey(let path):
            "\(safe(path)) is a published example key; "
                + "pass --allow-example-keys to use it, or make your own with 'sealedpush keygen'"
        case .publicKey(let path):
            "\(safe(path)) is a public key; give the private one, the .key file that 'sealedpush keygen' "
                + "wrote beside it"
        case .privateKey(let path):
            "\(safe(path)) is a private key, for its owner alone; give the public one, the .pub file that "
                + "'sealedpush keygen' wrote beside it"
        case .malformed(let path, let expected):
            "\(safe(path)) does not hold '\(expected)'; check the path"
        }
    }

    private func safe(_ path: String) -> String { TerminalText.safe(path) }
}

/// Reads a file, or standard input for "-".
package func readInput(_ path: String, byteCountMax: Int) throws(CommandError) -> [UInt8] {
    do {
        return path == "-"
            ? try StandardInput.read(byteCountMax: byteCountMax)
            : try WholeFile.read(path, byteCountMax: byteCountMax)
    } catch {
        throw .file(error)
    }
}

/// Writes a public result, to standard output without a path.
package func writeOutput(_ bytes: [UInt8], to path: String?) throws(CommandError) {
    guard let path else { return try Output.write(bytes) }
    do {
        try WholeFile.write(bytes, to: path, access: .everyone)
    } catch {
        throw .file(error)
    }
}
