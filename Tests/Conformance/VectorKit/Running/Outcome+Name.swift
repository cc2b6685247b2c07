package import Envelope
package import Opening
import WebPush

extension Outcome {
    /// The name of docs/protocol.md, section 13.
    package var name: String {
        switch self {
        case .opened: "opened"
        case .notSealed: "not-sealed"
        case .malformed: "malformed"
        case .unsupported: "unsupported"
        case .unknownKey: "unknown-key"
        case .staleKey: "stale-key"
        case .locked: "locked"
        case .keysUnavailable: "keys-unavailable"
        case .unverifiedSender: "unverified-sender"
        case .expired: "expired"
        case .clockUntrusted: "clock-untrusted"
        case .tooOld: "too-old"
        case .replay: "replay"
        case .storeUnavailable: "store-unavailable"
        case .notPermitted: "not-permitted"
        case .superseded: "superseded"
        case .unauthenticated: "unauthenticated"
        }
    }

    /// JSON of the app's input, `-` where nothing opened. In one order, so that texts can be compared.
    package var shows: String {
        switch self {
        case .opened(let opened): opened.shows
        case .unauthenticated(let message):
            String(
                decoding: JSONWriter.object { writer in
                    if !message.title.isEmpty { writer.member("title", message.title) }
                    if !message.body.isEmpty { writer.member("body", message.body) }
                    if let activation = message.activation {
                        writer.member("app_id", activation.appID)
                        writer.member("ack_token", activation.token)
                    }
                },
                as: UTF8.self
            )
        default: "-"
        }
    }
}

extension OpenedMessage {
    /// The sealed body after rights, as the message's own encoder writes it, with a note if it was shortened.
    fileprivate var shows: String {
        var message = message
        message.criticalNames = []
        if message.level == .active { message.level = nil }
        guard let encoded = try? message.encoded(byteCountMax: 1 << 16, overflow: .refuse) else {
            // An opened message can always be written; a vector shows it if not.
            return "unwritable"
        }
        let text = String(decoding: encoded.json, as: UTF8.self)
        guard isTruncated else { return text }
        return text == "{}" ? #"{"truncated":true}"# : text.dropLast() + #","truncated":true}"#
    }
}

extension JSONWriter {
    package static func object(_ members: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
        writer.object(members)
        return writer.bytes
    }
}
