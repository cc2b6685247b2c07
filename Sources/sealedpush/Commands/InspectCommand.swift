import CommandLineTool
import Envelope

/// Reads no key.
struct InspectCommand: Command {
    static let name = "inspect"
    static let summary = "shows what Apple, the relay or a stolen database can learn from a payload"
    static let operands = "PUSH.json"
    static let options: [Option] = [.json]
    static let example = """
        Example:
          sealedpush inspect push.json
        """

    private let payloadPath: String
    private let printsJSON: Bool

    init(_ arguments: Arguments) throws(CommandError) {
        payloadPath = try arguments.operand("PUSH.json")
        printsJSON = arguments.flag(.json)
    }

    func run() throws(CommandError) {
        let report = try PayloadFile.report(payloadPath)
        try Output.print(printsJSON ? String(decoding: report.json, as: UTF8.self) : report.rows)
        switch report.sealed {
        case .envelope: break
        case .absent:
            throw .failed("\(TerminalText.safe(payloadPath)) has no \"sealed\" field: nothing in it is secret")
        case .notAString, .unreadable:
            throw .failed(
                "\(TerminalText.safe(payloadPath)): the \"sealed\" field is not an envelope; no device opens it"
            )
        }
    }
}

extension PayloadReport {
    fileprivate var rows: String {
        var rows: [(String, String)] = [
            ("payload", "\(byteCount) bytes; the same for every \(isCall ? "call" : "message") of the app"),
            ("aps", TerminalText.safe(aps ?? "missing")),
            isCall
                ? ("class", "call: a VoIP push, which wakes the app itself; no extension runs")
                : ("extension runs", isMutable ? "yes (mutable-content 1)" : "no: iOS shows the placeholder as it is"),
            ("trace", trace.map { "\(TerminalText.safe($0)) (random, follows this push through logs)" } ?? "missing"),
        ]
        for name in otherNames { rows.append(("also in clear", TerminalText.safe(name))) }
        switch sealed {
        case .absent: rows.append(("sealed", "missing"))
        case .notAString: rows.append(("sealed", "not a string"))
        case .unreadable(let error): rows.append(("sealed", error.clause))
        case .envelope(let envelope): rows += envelope.rows
        }
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { $0 + String(repeating: " ", count: width - $0.count + 2) + $1 }.joined(separator: "\n")
    }

    private var isCall: Bool { if case .envelope(let envelope) = sealed { envelope.pushClass == .voip } else { false } }

    fileprivate var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("bytes", byteCount)
            if let aps { writer.member("aps", aps) }
            writer.member("mutable-content", isMutable)
            if let trace { writer.member("trace", trace) }
            writer.name("also-in-clear")
            writer.array { writer in
                for name in otherNames { writer.string(name) }
            }
            guard case .envelope(let envelope) = sealed else { return }
            writer.member("class", isCall ? "call" : "alert")
            writer.member("version", EnvelopeHeader.version)
            writer.member("suite", envelope.header.suite.rawValue)
            writer.member("prekey-id", Base64URL.string(envelope.header.prekeyID))
            writer.member("encapsulated-key", Base64URL.string(envelope.encapsulatedKey))
            writer.member("ciphertext-bytes", envelope.ciphertext.count)
        }
        return writer.bytes
    }
}

extension Envelope {
    fileprivate var rows: [(String, String)] {
        [
            ("version", "\(EnvelopeHeader.version)"),
            ("suite", "\(header.suite.rawValue) (X25519, HKDF-SHA256, ChaCha20-Poly1305)"),
            ("prekey id", "\(Base64URL.string(header.prekeyID)) (the same until the device rotates its prekey)"),
            ("encapsulated key", "\(Base64URL.string(encapsulatedKey)) (fresh for every message)"),
            ("ciphertext", "\(ciphertext.count) bytes, unreadable without the device's key"),
            ("not in it", "sender, message id, times, length of the text"),
        ]
    }
}

extension EnvelopeError {
    fileprivate var clause: String {
        switch self {
        case .wrongLength(let count): "\(count) characters; envelopes have 3,840 or 4,864"
        case .notBase64URL: "not base64url"
        case .unsupportedVersion(let version): "version \(version), newer than this program"
        case .unsupportedSuite(let suite): "suite \(suite), newer than this program"
        }
    }
}
