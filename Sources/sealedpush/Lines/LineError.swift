import CommandLineTool
import Envelope
import Keys
import Sealing

/// Fault of a line or one of its recipients. Repeats only a file's path.
struct LineError: Error, Equatable {
    /// For programs: a refusal of docs/protocol.md, section 3, or a word of `seal --lines --help`.
    let code: String
    /// For people: what to do.
    let detail: String

    static func json(_ detail: String) -> LineError { LineError(code: "json", detail: detail) }
    static func field(_ detail: String) -> LineError { LineError(code: "field", detail: detail) }

    init(code: String, detail: String) {
        self.code = code
        self.detail = detail
    }

    init(_ error: RecipientError) {
        let code =
            switch error {
            case .bundle(let error): error.name
            case .noPrekey: "no-such-class"
            case .pins: "pins"
            }
        self.init(code: code, detail: error.sentence)
    }

    init(_ error: SealingError) {
        let code =
            switch error {
            case .message(.tooLong), .message(.noRoomForAttachments): "too-long"
            case .message: "message"
            case .lifetime, .callLifetime, .lifetimeMax, .sentAt: "lifetime"
            case .prekeyExpired, .expired: "expired"
            case .otherSuite, .unusablePrekey, .randomSourceFailed: "failed"
            }
        self.init(code: code, detail: error.sentence)
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("code", code)
            writer.member("detail", detail)
        }
    }
}
