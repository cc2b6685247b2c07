import AttachmentStream
import Envelope
import Keys
import TestSupport
import VectorKit

/// Attachments as lines of JSON (Tests/Conformance/Interop/README.md).
enum AttachmentLines {
    private static let limits = JSONParser.Limits(byteCountMax: 1 << 20, depthMax: 2, allowsFractions: false)

    /// A file → its stored bytes.
    static func seal() throws {
        while let line = readLine() {
            let job = try Job(line)
            let folder = try TemporaryFolder()
            let (file, stored) = (folder.path("file"), folder.path("stored"))
            try WholeFile.write(try job.bytes("file"), to: file, access: .ownerOnly)
            _ = try AttachmentFile.seal(from: file, to: stored, key: try job.bytes("key"), context: try job.context)
            print(#"{"stored":"\#(Base64URL.string(try WholeFile.read(stored, byteCountMax: limits.byteCountMax)))"}"#)
        }
    }

    /// Stored bytes → the file, or the error.
    static func open() throws {
        while let line = readLine() {
            let job = try Job(line)
            let folder = try TemporaryFolder()
            let (file, stored) = (folder.path("file"), folder.path("stored"))
            try WholeFile.write(try job.bytes("stored"), to: stored, access: .ownerOnly)
            let (key, context, byteCount) = (try job.bytes("key"), try job.context, try job.byteCount)
            do {
                try AttachmentFile.open(from: stored, to: file, key: key, context: context, byteCount: byteCount)
                let bytes = Base64URL.string(try WholeFile.read(file, byteCountMax: limits.byteCountMax))
                print(#"{"expect":"opened","file":"\#(bytes)"}"#)
            } catch let error as AttachmentError {
                print(#"{"expect":"\#(error.name)","file":null}"#)
            }
        }
    }

    private struct Job {
        private let members: JSONValue

        init(_ line: String) throws { members = try JSONParser.parse(Array(line.utf8), limits: limits) }

        func bytes(_ name: String) throws -> [UInt8] {
            guard let bytes = members[name]?.string.flatMap({ Base64URL.decode(Array($0.utf8)) }) else {
                throw MissingMember(name: name)
            }
            return bytes
        }

        var context: [UInt8] { get throws { AttachmentRun.context(id: try bytes("id")) } }

        var byteCount: UInt64 {
            get throws {
                guard case .integer(let number) = members["size"]?.content, number >= 0 else {
                    throw MissingMember(name: "size")
                }
                return UInt64(number)
            }
        }
    }

    private struct MissingMember: Error {
        let name: String
    }
}
