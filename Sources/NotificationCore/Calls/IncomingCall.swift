import Envelope
public import Opening
import Primitives

/// What to report to CallKit for one VoIP push. No word of the push itself is in it.
public struct IncomingCall: Equatable, Sendable {
    /// Who calls: a person's name from the contact list, a service's from the message, made safe to look at; the app's own
    /// name where nothing opened, or nobody has a name.
    public let name: String
    /// The same for every call of this caller, and no key: 22 characters, for a generic handle. iOS keeps it in places of
    /// its own. The app's own name where nothing opened.
    public let handle: String
    /// What the caller handed over, opaque to all but the app; nil where there is nothing to answer.
    public let call: String?
    /// Why the call has to be ended as soon as it was reported; nil for one that can be answered.
    ///
    /// Only if CallKit took the report: one that it refused because the call is there already is a repetition, and ending
    /// it would end the call that rings.
    public let ending: Ending?
    /// What became of the push.
    public let outcome: Outcome
    /// It follows the push through logs.
    public let trace: String?

    /// To be given back to the replay window once the call was reported.
    let claim: ReplayClaim?
    /// 16 bytes.
    private let id: [UInt8]

    /// Why there is nothing to answer, in the words of CallKit's `CXCallEndedReason`.
    public enum Ending: Hashable, Sendable {
        /// A call, as far as anybody can tell, and too late or not to be opened now: a missed one.
        case unanswered
        /// Nothing that a contact could call with, or a call that came before.
        case failed
    }

    /// The outcome without its contents; the word for the app's logs.
    public var kind: OutcomeKind { outcome.kind }

    /// The call's id, for `UUID(uuid:)`. It is the same whenever the same message comes, also sealed anew; so CallKit knows a
    /// repetition of a call that rings. For a push that did not open it is that of the push.
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
            let caller = NotificationContent.Sender(of: message, threadID: "") { _ in nil }
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
        // A message that opened and is no call has no business in a VoIP push.
        case .opened, .notSealed, .malformed, .unverifiedSender, .tooOld, .replay, .notPermitted, .superseded,
            .unauthenticated:
            .failed
        }
    }

    /// Of a verified message what the replay window knows it by, of another push its bytes. A push without any has an id of
    /// its own: two of them are two calls that came to nothing.
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
