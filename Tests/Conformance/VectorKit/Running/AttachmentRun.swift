package import AttachmentStream
import Envelope
import Keys
import Primitives
import TestSupport

/// Runs vectors of the kind `attachment`: into a file, as a device does it. An opened file is sealed once more, with
/// the same salt, to the same bytes.
package enum AttachmentRun {
    static func run(_ vector: Vector) throws -> VectorRun.Result {
        guard let sealed = HexRuns.bytes(String(decoding: vector.input, as: UTF8.self)) else {
            throw VectorError.malformed(vector: vector.name, field: "input")
        }
        let folder = try TemporaryFolder()
        let key = try vector.bytes("key")
        let context = context(id: try vector.bytes("id"))
        let opened = folder.path("opened")
        var actual: [String] = []
        do throws(AttachmentError) {
            var opener = try AttachmentFileOpener.create(
                at: opened,
                key: key,
                context: context,
                byteCount: UInt64(vector.value("size") ?? "") ?? .max
            )
            try unsafe opener.update(sealed.span.bytes)
            try opener.finish()
            actual.append("opened")
        } catch {
            actual.append(error.name)
        }
        if actual == ["opened"] {
            let file = try WholeFile.read(opened, byteCountMax: 1 << 20)
            actual.append(Base64URL.string(SHA256.hash(file)))
            var salt = FixedRandom(bytes: Array(sealed[..<24]))
            let again = folder.path("again")
            _ = try AttachmentFile.seal(from: opened, to: again, key: key, context: context, random: &salt)
            actual.append("\(try WholeFile.read(again, byteCountMax: 1 << 20) == sealed)")
        } else {
            actual.append("\(try folder.names().count) files")
        }
        let expect = try vector.required("expect")
        let rest = expect == "opened" ? [try vector.required("file-sha256"), "true"] : ["0 files"]
        return VectorRun.Result(expected: [expect] + rest, actual: actual)
    }

    /// LP("SealedPush/1 attachment") ‖ id.
    package static func context(id: [UInt8]) -> [UInt8] {
        Binding.context(Binding.attachmentContext) + id
    }
}

extension AttachmentError {
    /// The name of docs/protocol.md.
    package var name: String {
        switch self {
        case .truncated: "truncated"
        case .tooLong: "too-long"
        case .wrongKey: "wrong-key"
        case .damaged: "damaged"
        case .wrongPadding: "wrong-padding"
        case .sourceChanged, .notARegularFile, .file: "file"
        }
    }
}
