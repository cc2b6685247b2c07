import AttachmentStream
import CommandLineTool
import Envelope
import Glibc
import Keys
import Primitives

struct AttachmentCommand: Command {
    static let name = "attachment"
    static let summary = "seals a file for a blob host and prints its pointer, or opens a stored one"
    static let operands = "seal FILE OUT | attachment open STORED OUT"
    private static let thumbnail = Option(
        flag: "--thumbnail",
        "seal: marks FILE as a thumbnail of the attachment that follows it"
    )
    static let options = [
        Option("--type", "TYPE", "seal: the media type, such as image/jpeg"),
        Option("--url", "URL", "seal: its URL at the host; without it, add \"url\" once you know"),
        Option("--name", "TEXT", "seal: for display, 64 bytes at most"),
        thumbnail,
        Option("--pointer", "FILE", "open: the output of 'seal'; - for standard input"),
    ]
    static let example = """
        Example:
          sealedpush attachment seal keys-example/README.md stored \\
              --type text/markdown > pointer.json
          sealedpush attachment open stored opened.md --pointer pointer.json

        'seal' prints one JSON object, the message's pointer to the file. It is secret: the key in it opens the file. Upload
        OUT, which reveals only a padded length, and send the pointer in a sealed message ('attachments'). Both files
        are made with mode 0600 and never overwritten; after an error there is none.
        """

    private struct Description {
        let type: MediaType
        let url: AttachmentURL?
        let name: String?
        let isThumbnail: Bool
    }

    private enum Task {
        case seal(Description)
        case open(pointerPath: String)
    }

    private let task: Task
    private let source: String
    private let out: String

    init(_ arguments: Arguments) throws(CommandError) {
        guard arguments.operands.count == 3 else {
            throw arguments.wrong("the operands must be 'seal FILE OUT' or 'open STORED OUT'")
        }
        (source, out) = (arguments.operands[1], arguments.operands[2])
        switch arguments.operands[0] {
        case "seal": task = .seal(try Self.description(arguments))
        case "open":
            for name in ["--type", "--url", "--name"] where arguments.value(name) != nil {
                throw arguments.wrong("\(name) goes only with 'seal'")
            }
            if arguments.flag(Self.thumbnail) { throw arguments.wrong("--thumbnail goes only with 'seal'") }
            task = .open(pointerPath: try arguments.required("--pointer"))
        default: throw arguments.wrong("an attachment can be sealed or opened: 'seal' or 'open'")
        }
    }

    private static func description(_ arguments: Arguments) throws(CommandError) -> Description {
        if arguments.value("--pointer") != nil { throw arguments.wrong("--pointer goes only with 'open'") }
        guard let type = MediaType(try arguments.required("--type")) else {
            throw arguments.wrong("--type must be a media type in lower case, such as image/jpeg")
        }
        let url = arguments.value("--url").map { AttachmentURL($0) }
        if case .some(nil) = url {
            throw arguments.wrong("--url must be a plain https URL of \(AttachmentURL.byteCountMax) bytes at most")
        }
        let name = arguments.value("--name")
        guard name.map({ $0.utf8.count <= AttachmentPointer.nameByteCountMax }) ?? true else {
            throw arguments.wrong("--name is \(AttachmentPointer.nameByteCountMax) bytes at most")
        }
        return Description(type: type, url: url ?? nil, name: name, isThumbnail: arguments.flag(thumbnail))
    }

    func run() throws(CommandError) {
        switch task {
        case .seal(let description): try seal(description)
        case .open(let path): try open(try PointerFile(path))
        }
    }

    private func seal(_ description: Description) throws(CommandError) {
        let sealed: SealedAttachment
        do {
            let progress = ProgressLine("sealing \(source)", from: source, to: out)
            defer { progress.end() }
            sealed = try AttachmentFile.seal(from: source, to: out)
        } catch {
            throw failure(error)
        }
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("id", sealed.id.text)
            if let url = description.url { writer.member("url", url.text) }
            sealed.key.withBytes { writer.member("key", Base64URL.string($0)) }
            writer.member("size", sealed.byteCount)
            writer.member("stored", AttachmentLength.stored(sealed.byteCount))
            writer.member("type", description.type.text)
            if let name = description.name { writer.member("name", name) }
            if description.isThumbnail { writer.member("thumbnail", true) }
        }
        do throws(CommandError) {
            try Output.print(String(decoding: writer.bytes, as: UTF8.self))
        } catch {
            // Its key is lost.
            unsafe unlink(out)
            throw error
        }
    }

    private func open(_ pointer: PointerFile) throws(CommandError) {
        let progress = ProgressLine("opening \(source)", from: source, to: out)
        defer { progress.end() }
        do {
            try AttachmentFile.open(
                from: source,
                to: out,
                key: pointer.key,
                context: pointer.context,
                byteCount: pointer.byteCount
            )
        } catch {
            throw failure(error)
        }
    }

    private func failure(_ error: AttachmentError) -> CommandError {
        let source = TerminalText.safe(source)
        switch error {
        case .truncated: return .failed("\(source) ends too early; check that all of it was stored")
        case .tooLong: return .failed("\(source) is longer than the pointer says, or than an attachment may be")
        case .wrongKey: return .failed("\(source) is not the attachment that the pointer is for")
        case .damaged(let chunk): return .failed("\(source) is damaged in chunk \(chunk)")
        case .wrongPadding: return .failed("\(source) holds a file of another length than the pointer says")
        case .sourceChanged: return .failed("\(source) changed while it was read; try again")
        case .notARegularFile: return .file(.notARegularFile(path: self.source))
        case .file(.create, EEXIST): return .file(.exists(path: self.out))
        case .file(let operation, let code):
            let path = [.open, .read].contains(operation) ? self.source : self.out
            return .file(.system(call: operation.rawValue, path: path, code: code))
        }
    }
}

private struct PointerFile {
    private static let byteCountMax = 4_096

    let key: [UInt8]
    let byteCount: UInt64
    private let id: [UInt8]

    var context: [UInt8] { Binding.context(Binding.attachmentContext) + id }

    init(_ path: String) throws(CommandError) {
        let text = try readInput(path, byteCountMax: Self.byteCountMax)
        let limits = JSONParser.Limits(byteCountMax: Self.byteCountMax, depthMax: 2, allowsFractions: false)
        let members: JSONValue
        do {
            members = try JSONParser.parse(text, limits: limits)
        } catch {
            throw Self.malformed(path)
        }
        guard let id = Self.bytes(members["id"], byteCount: AttachmentID.byteCount),
            let key = Self.bytes(members["key"], byteCount: AttachmentKey.byteCount),
            case .integer(let size) = members["size"]?.content,
            let byteCount = UInt64(exactly: size)
        else { throw Self.malformed(path) }
        self.id = id
        self.key = key
        self.byteCount = byteCount
    }

    private static func bytes(_ member: JSONValue?, byteCount: Int) -> [UInt8]? {
        guard let text = member?.string, let bytes = Base64URL.decode(Array(text.utf8)) else { return nil }
        return bytes.count == byteCount ? bytes : nil
    }

    private static func malformed(_ path: String) -> CommandError {
        .file(.malformed(path: path, expected: "{\"id\":…,\"key\":…,\"size\":…}"))
    }
}
