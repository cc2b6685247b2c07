import Envelope
public import Opening
import Primitives

/// CallKit report for a VoIP push, free of the push's own text.
public struct IncomingCall: Equatable, Sendable {
    /// Caller's name: a person's from the contact list, a service's from the message, sanitized. Else the app's name.
    public let name: String
    /// Generic handle: 22 characters, constant per caller and no key, because iOS stores it elsewhere. The app's name
    /// if nothing opened.
    public let handle: String
    /// Caller's data, opaque to all but the app.
    public let call: String?
    /// Reason to end the call right after the report; nil if it can be answered.
    ///
    /// End it only if CallKit took the report: for a refused duplicate, this would end the call that rings.
    public let ending: Ending?
    /// Outcome of the push.
    public let outcome: Outcome
    /// Trace for log lines.
    public let trace: String?

    /// Account that it was opened by; nil in an app with one.
    public internal(set) var account: AccountName?

    /// Claim to commit after the report.
    let claim: ReplayClaim?
    private let id: [UInt8]

    /// Reason in terms of CallKit's `CXCallEndedReason`.
    public enum Ending: Hashable, Sendable {
        /// Apparently a call, but too late or not openable now.
        case unanswered
        /// Repeated, or no call that a contact may make.
        case failed
    }

    /// Outcome without contents, for logs.
    public var kind: OutcomeKind { outcome.kind }

    /// Call id, for `UUID(uuid:)`: one for all copies and re-seals of a message, so that CallKit knows repetitions. For
    /// an unopened push, the push's.
    public var uuid:
        (
            UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8,
            UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8
        )
    {
        (
            id[0], id[1], id[2], id[3], id[4], id[5], id[6], id[7],
            id[8], id[9], id[10], id[11], id[12], id[13], id[14], id[15]
        )
    }

    init(_ opened: OpenedPush, push: IncomingPush, appName: String) {
        outcome = opened.outcome
        trace = push.trace?.text
        claim = opened.claim
        id = Self.id(opened, push)
        switch opened.outcome {
        case .opened(let message):
            let caller = NotificationContent.Sender(of: message, threadID: "")
            name = caller?.displayName ?? appName
            handle = caller?.handle ?? NotificationContent.Sender.handle(of: message.sender)
            call = if case .call(let call) = message.message.operation { call } else { nil }
        default:
            name = appName
            handle = appName
            call = nil
        }
        ending = call == nil ? Self.ending(opened.outcome) : nil
    }

    private static func ending(_ outcome: Outcome) -> Ending {
        switch outcome {
        case .expired, .locked, .unknownKey, .staleKey, .keysUnavailable, .storeUnavailable, .clockUntrusted,
            .unsupported:
            .unanswered
        // An opened message that is no call has no place in a VoIP push.
        case .opened, .notSealed, .malformed, .unverifiedSender, .tooOld, .replay, .notPermitted, .superseded,
            .unauthenticated:
            .failed
        }
    }

    /// Hashes a verified message's replay key, else the push's bytes; random if there are none.
    private static func id(_ opened: OpenedPush, _ push: IncomingPush) -> [UInt8] {
        let context: String
        let source: [UInt8]
        if let key = opened.claim?.key ?? opened.replayed {
            (context, source) = ("SealedPush/1 call id", key.bytes)
        } else if let field = push.sealed.text {
            (context, source) = ("SealedPush/1 push id", Array(field.utf8))
        } else {
            var random = SystemRandom()
            return random.bytes(count: 16)
        }
        var bytes: [UInt8] = []
        bytes.append(lengthPrefixed: Array(context.utf8))
        return Array(SHA256.hash(bytes + source).prefix(16))
    }
}
