import BlobStore
import CommandLineTool
import Envelope
import HTTP
import Keys
import Networking
import Primitives

struct ServeCommand: Command {
    static let name = "serve"
    static let summary = "keeps sealed attachments for devices to fetch"
    static let operands = ""
    static let options = [
        Option("--folder", "DIR", "the folder of the attachments; made if missing", isRequired: true),
        Option("--tenants", "FILE", "the tenants that may upload: lines of 'sealedpush-blobs token'", isRequired: true),
        Option("--certificate", "FILE", "the host's certificate chain (PEM)", isRequired: true),
        Option("--certificate-key", "FILE", "its private key (PEM)", isRequired: true),
        Option("--address", "ADDRESS", "the address to listen on; 127.0.0.1 without it, 0.0.0.0: all"),
        Option("--port", "PORT", "8443 without it, 0: any"),
        Option("--lifetime", "DAYS", "the lifetime of an attachment whose upload names none; 1 to 30, 14 without it"),
        .json, .allowExampleKeys,
    ]
    static let example = """
        Example:
          sealedpush-blobs serve --folder blobs --tenants tenants.txt \\
              --certificate keys-example/simulator.pem \\
              --certificate-key keys-example/simulator.key --allow-example-keys

        The first line on standard output names the port. No client's address, id or token is written anywhere. Ctrl-C
        or SIGTERM stops it; uploads go on where they were after the next start.
        """

    /// Interval of deleting expired blobs, which are hidden from their expiry on.
    private static let collectionInterval: Duration = .seconds(600)

    private let arguments: Arguments

    init(_ arguments: Arguments) throws(CommandError) {
        try arguments.noOperands()
        self.arguments = arguments
    }

    func run() async throws(CommandError) {
        let path = try arguments.required("--folder")
        let tenantsPath = try arguments.required("--tenants")
        let address = arguments.value("--address") ?? "127.0.0.1"
        let port = try arguments.port("--port", default: 8_443)
        var limits = BlobLimits()
        if let days = try arguments.number("--lifetime", 1...30) { limits.lifetime = UInt64(days) * 86_400 }
        let context = try context()
        let tenants = try tenants(tenantsPath)
        let folder: BlobFolder
        do {
            folder = try BlobFolder.open(path, limits: limits, now: BlobService.systemTime())
        } catch {
            throw .failed("\(TerminalText.safe(path)): \(error.sentence)")
        }
        let service = BlobService(folder: folder, tenants: tenants)
        let server: HTTPFront
        do throws(TransportError) {
            server = try await .start(
                listens: [.init(address: address, port: port)],
                context: context,
                loop: try EventLoop(),
                limits: Self.limits,
                application: service.application
            )
        } catch {
            throw .failed(error.sentence)
        }
        try printReady(address, server.ports.first ?? port)
        try await StopSignal.cancels { await Self.collect(folder) }
        await server.close()
    }

    /// Deadlines for requests and each piece of a file, enough for slow phones.
    private static var limits: HTTPLimits {
        var limits = HTTPLimits()
        limits.requestDeadline = .seconds(60)
        limits.responseDeadline = .seconds(60)
        return limits
    }

    private static func collect(_ folder: BlobFolder) async -> Result<Void, CommandError> {
        while !Task.isCancelled {
            // Only cancellation ends the sleep early.
            try? await Task.sleep(for: collectionInterval)
            do throws(BlobError) {
                try folder.collect(now: BlobService.systemTime())
            } catch {
                Output.complain("sealedpush-blobs: expired attachments could not be deleted: \(error.sentence)")
            }
        }
        return .success(())
    }

    private func context() throws(CommandError) -> TLSContext {
        let chainPath = try arguments.required("--certificate")
        let key = try arguments.privatePEM("--certificate-key")
        let chain = try readInput(chainPath, byteCountMax: 1 << 20)
        do {
            return try key.withBytes { span throws(TLSError) in
                try TLSContext.server(
                    certificateChainPEM: chain,
                    privateKeyPEM: span,
                    alpn: ["h2", "http/1.1"],
                    requiresALPN: false
                )
            }
        } catch {
            throw .failed("\(TerminalText.safe(chainPath)): \(error.sentence)")
        }
    }

    private func tenants(_ path: String) throws(CommandError) -> TenantList {
        let text = String(decoding: try readInput(path, byteCountMax: 1 << 20), as: UTF8.self)
        do {
            return try TenantList(text)
        } catch {
            throw .failed(
                "\(TerminalText.safe(path)):\(error.line): not a line of 'sealedpush-blobs token', or a tenant twice"
            )
        }
    }

    private func printReady(_ address: String, _ port: UInt16) throws(CommandError) {
        guard arguments.flag(.json) else {
            let host = address.contains(":") ? "[\(address)]" : address
            return try Output.print("ready: https://\(host):\(port)/v1/blobs")
        }
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("event", "ready")
            writer.member("port", port)
        }
        try Output.print(String(decoding: writer.bytes, as: UTF8.self))
    }
}

extension BlobError {
    var sentence: String {
        switch self {
        case .folderInUse: "another process uses this folder; run one 'sealedpush-blobs serve' for each folder"
        case .diskFull: "no space is left on the device"
        case .notFound: "no such folder; make the one above it first"
        case .file(let operation, let code): "\(Output.systemText(code)) (\(operation))"
        default: "it could not be used"
        }
    }
}
