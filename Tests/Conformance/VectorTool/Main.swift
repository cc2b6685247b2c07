import Envelope
import Keys
import VectorKit

/// Makes the project's test vectors, and runs this implementation for comparisons with others.
///
///     sealedpush-vectors generate FOLDER     writes every vector
///     sealedpush-vectors seal-lines          one job a line on standard input, one payload a line out
///     sealedpush-vectors open-lines          one push a line on standard input, one outcome a line out
///     sealedpush-vectors seal-attachment-lines, open-attachment-lines
///                                            the same for attachments
@main
enum Main {
    static func main() throws {
        switch CommandLine.arguments.dropFirst().first {
        case "generate" where CommandLine.arguments.count == 3: try generate(into: CommandLine.arguments[2])
        case "seal-lines": try LineProtocol.seal()
        case "open-lines": try LineProtocol.open()
        case "seal-attachment-lines": try AttachmentLines.seal()
        case "open-attachment-lines": try AttachmentLines.open()
        default: preconditionFailure("usage: sealedpush-vectors generate FOLDER | [seal|open][-attachment]-lines")
        }
    }

    private static func generate(into folder: String) throws {
        for vector in try AllVectors.make() {
            try WholeFile.write(vector.file, to: "\(folder)/\(vector.name).txt", access: .everyone)
        }
    }
}
