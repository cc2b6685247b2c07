import APNS
import Envelope
import Primitives
import PushStore
import ServiceParts

/// Webhook bodies, which reveal nothing of a notification's content.
enum HookBody {
    static func bytes(_ hook: Hook, lastAttempt attempt: Attempt?) -> [UInt8] {
        var writer = JSONWriter()
        write(hook, lastAttempt: attempt, to: &writer)
        return writer.bytes
    }

    private static func write(_ hook: Hook, lastAttempt attempt: Attempt?, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("id", deliveryID(hook))
            writer.member("event", hook.kind.word)
            writer.member("time", text(hook.created))
            write(hook.entry, to: &writer)
            writer.member("state", hook.entry.state.word)
            if case .dead(let reason) = hook.entry.state { writer.member("reason", reason.word) }
            if let status = attempt?.status { writer.member("status", status) }
            if let reason = attempt?.reason { writer.member("apns-reason", reason) }
            writer.member("attempts", hook.entry.attemptCount)
            writer.member("accepted-at", text(hook.entry.created))
            writer.member("changed-at", text(hook.entry.changed))
            if let receipt = hook.entry.receipt { writer.member("received-at", text(receipt)) }
            if hook.kind == .resendRequested, !hook.detail.isEmpty {
                writer.member("prekey-id", Base64URL.string(hook.detail))
            }
        }
    }

    static func bytes(_ events: [(hook: Hook, attempt: Attempt?)]) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.name("events")
            writer.array { writer in
                for event in events { write(event.hook, lastAttempt: event.attempt, to: &writer) }
            }
        }
        return writer.bytes
    }

    /// Unique across databases, unlike the store's number.
    static func deliveryID(_ hook: Hook) -> String { "\(hook.entry.apnsID)_\(hook.id)" }

    /// The same for the same events.
    static func deliveryID(_ hooks: [Hook]) -> String {
        let digest = SHA256.hash(Array(hooks.map(deliveryID(_:)).joined(separator: " ").utf8))
        return "events_" + Base64URL.string(Array(digest.prefix(16)))
    }

    static func write(_ entry: OutboxEntry, to writer: inout JSONWriter) {
        writer.member("apns-id", entry.apnsID.description)
        if let trace = entry.trace { writer.member("trace", trace.text) }
        if let context = entry.traceContext { writer.member(TraceContext.fieldName, context.text) }
        writer.member("device", String(decoding: entry.device.bytes, as: UTF8.self))
        writer.member("topic", entry.topic.description)
        writer.member("push-type", entry.pushType.rawValue)
        writer.member("lane", entry.lane.word)
    }

    static func text(_ time: Timestamp) -> String {
        ISODateTime.text(milliseconds: Int64(clamping: time.milliseconds))
    }
}

/// App's constant text alone.
enum FallbackBody {
    /// For `sms`, only the members of the documented interface.
    static func bytes(_ entry: OutboxEntry, _ fallback: FallbackConfiguration, sent time: Timestamp) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("id", deliveryID(entry))
            switch fallback.kind {
            case .sms:
                writer.member("device", String(decoding: entry.device.bytes, as: UTF8.self))
            case .webhook:
                writer.member("event", "no-receipt")
                writer.member("time", HookBody.text(time))
                HookBody.write(entry, to: &writer)
            }
            writer.member("text", fallback.text)
        }
        return writer.bytes
    }

    static func deliveryID(_ entry: OutboxEntry) -> String { "\(entry.apnsID)_fallback" }
}

extension HookKind {
    var word: String {
        switch self {
        case .dead: "dead"
        case .expired: "expired"
        case .delivered: "delivered"
        case .resendRequested: "resend-requested"
        case .fallback: "fallback"
        case .fallbackUncertain: "fallback-uncertain"
        }
    }
}

extension Lane {
    fileprivate var word: String {
        switch self {
        case .urgent: "urgent"
        case .normal: "normal"
        case .background: "background"
        }
    }
}
