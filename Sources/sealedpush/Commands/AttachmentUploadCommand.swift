import AttachmentUpload
import CommandLineTool
import Envelope
import Foundation
import Platform

struct AttachmentUploadCommand: Command {
    static let name = "attachment upload"
    static let summary = "uploads a sealed attachment and prints the URL where devices fetch it"
    static let operands = "FILE"
    static let options = [
        Option("--to", "URL", "the host, which runs 'sealedpush-blobs serve': https://host:port"),
        Option("--token-file", "FILE", "the token for it, of 'sealedpush-blobs token'"),
        Option(
            "--lifetime",
            "TIME",
            "its lifetime there: 90s, 15m, 12h, 7d; the host's default without it"
        ),
        Option(
            "--pointer",
            "FILE",
            "the output of 'attachment seal', printed again with the URL; - for standard input"
        ),
        Option("--public-url", "URL", "the host's address for devices, https://host:port; --to without it"),
        Option("--put", "URL", "instead: a pre-signed URL of S3 or a similar store"),
        Option("--ca", "FILE", "the authorities to trust (PEM); the system's without it"),
    ]
    static let example = """
        Example:
          sealedpush attachment upload stored --to https://localhost:8443 \\
              --token-file acme.token --ca keys-example/ca.pem \\
              --pointer sealed.json > pointer.json

        A connection that breaks costs at most one MiB: the upload goes on where it was. --put prints the URL without its
        query, which holds the signature.
        """

    private static let pointerByteCountMax = 4_096

    private enum Destination {
        case host(BlobHost)
        case presigned(String)
    }

    private let path: String
    private let destination: Destination
    private let lifetime: Duration?
    private let trust: AttachmentUploader.Trust
    private let pointer: [UInt8]?
    private let publicHost: AttachmentURL?

    init(_ arguments: Arguments) throws(CommandError) {
        path = try arguments.operand("FILE")
        lifetime = try arguments.duration("--lifetime")
        // Otherwise its faults look like the host's.
        if let path = arguments.value("--ca") { _ = try readInput(path, byteCountMax: 1 << 20) }
        trust = arguments.value("--ca").map { .file(path: $0) } ?? .system
        pointer = try arguments.value("--pointer").map { path throws(CommandError) in
            try readInput(path, byteCountMax: Self.pointerByteCountMax)
        }
        publicHost = try Self.publicHost(arguments)
        if let url = arguments.value("--put") {
            for name in ["--to", "--token-file", "--lifetime", "--public-url"] where arguments.value(name) != nil {
                throw arguments.wrong("--put replaces \(name); give one of them")
            }
            destination = .presigned(url)
            return
        }
        let url = try arguments.required("--to")
        let tokenPath = try arguments.required("--token-file")
        let token = String(decoding: try readInput(tokenPath, byteCountMax: 4_096), as: UTF8.self)
        guard let host = BlobHost(url: url, token: token.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw arguments.wrong("--to must be https://host:port without a path, and the token one line")
        }
        destination = .host(host)
    }

    private static func publicHost(_ arguments: Arguments) throws(CommandError) -> AttachmentURL? {
        guard let text = arguments.value("--public-url") else { return nil }
        guard let url = AttachmentURL(text + "/"), url.path == "/" else {
            throw arguments.wrong("--public-url must be https://host:port without a path")
        }
        return url
    }

    func run() async throws(CommandError) {
        try await StopSignal.cancels { [self] in
            do throws(CommandError) {
                return .success(try await upload())
            } catch {
                return .failure(error)
            }
        }
    }

    private func upload() async throws(CommandError) {
        let uploader = AttachmentUploader(trust: trust)
        let sent = Guarded<UInt64>(0)
        let name = TerminalText.safe(path)
        let progress = ProgressLine { "uploading \(name): \(sent.withLock { $0 } >> 20) MiB" }
        defer { progress.end() }
        let url: String
        do throws(UploadError) {
            switch destination {
            case .host(let host):
                let uploaded = try await uploader.upload(path, to: host, lifetime: lifetime) { offset in
                    sent.withLock { $0 = offset }
                }
                url = publicHost.map { $0.text.dropLast() + uploaded.path } ?? uploaded.text
            case .presigned(let signed):
                try await uploader.put(path, to: signed)
                url = String(signed.prefix { $0 != "?" })
            }
        } catch {
            throw .failed("\(TerminalText.safe(path)): \(error.sentence)")
        }
        guard let pointer else { return try Output.print(url) }
        try Output.print(String(decoding: try pointing(pointer, to: url).json, as: UTF8.self))
    }
}

extension AttachmentUploadCommand {
    private func pointing(_ pointer: [UInt8], to url: String) throws(CommandError) -> AttachmentPointer {
        guard let parsed = AttachmentURL(url) else {
            throw .failed(
                "\(TerminalText.safe(url)) is too long for an attachment's URL, or has characters that it may not have"
            )
        }
        do throws(MessageDocumentError) {
            return try MessageDocument.parseAttachment(pointer, at: parsed)
        } catch {
            throw .failed(
                "--pointer is not what 'attachment seal' printed: \(error.line):\(error.column): \(error.reason)"
            )
        }
    }
}

extension UploadError {
    var sentence: String {
        switch self {
        case .cancelled: "cancelled; the unfinished upload is deleted after a day"
        case .connectionLost: "the host was not reached, or the connection broke too often; try again"
        case .notTrusted: "the host's certificate is not trusted; pass its CA with --ca if you trust it"
        case .unauthorized: "the host refuses the token, or the pre-signed URL has expired"
        case .tooLarge: "the file is larger than the host allows"
        case .noSpace: "the tenant's quota is used up, or the host's disk is full"
        case .tooManyUploads: "too many uploads of this tenant are under way; try again later"
        case .gone: "the host has no such upload any more; try again"
        case .refused(let status): "the host refused it (status \(status))"
        case .malformedURL: "the URL is not one of https"
        case .malformedAnswer: "the host does not answer as 'sealedpush-blobs' does; check --to"
        case .system: "out of threads, memory or file descriptors"
        case .file(EISDIR): "it is a folder; give the path of a file"
        case .file(let code): Output.systemText(code)
        }
    }
}
