import APNS
import APNSSimulator
import DeviceLink
import Envelope
import ExtensionHarness
import HTTP
import Platform
import Primitives

/// Events of the page, each a JSON object with `at`, milliseconds since 1970.
struct PlaygroundReport: Sendable {
    let feed: EventFeed

    private func append(_ name: String, _ id: String?, _ members: (inout JSONWriter) -> Void) {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("at", SystemClock.millisecondsSince1970)
            if let id { writer.member("apns-id", id.lowercased()) }
            members(&writer)
        }
        feed.append(name, writer.bytes)
    }

    func fired(_ id: APNSID) { append("fired", "\(id)") { _ in } }

    /// - Parameter problem: sentence, for a push without an answer.
    func notAnswered(_ id: APNSID, _ problem: String) {
        append("not-answered", "\(id)") { $0.member("problem", problem) }
    }

    /// Events of the simulator, from any back end.
    func report(_ event: SimulatorEvent) {
        let summary = EventSummary(event)
        switch event {
        case .accepted(let push, _), .rejected(_, let push), .injected(_, let push, _):
            append("apple", summary.id) { writer in
                write(summary, to: &writer)
                writer.member("bytes", push.payloadByteCount)
                writer.member("payload", String(decoding: push.payload, as: UTF8.self))
                writer.name("headers")
                writer.array { writer in
                    for index in 0..<push.headers.count { writer.header(push.headers[index]) }
                }
            }
        case .lint(let lint, _): append("remark", nil) { $0.member("detail", lint.description) }
        case .delivery: append("way", summary.id) { write(summary, to: &$0) }
        case .appIsGone, .deviceFailed: append("way", nil) { write(summary, to: &$0) }
        case .connection, .channel, .legacy: break
        }
    }

    private func write(_ summary: EventSummary, to writer: inout JSONWriter) {
        writer.member("event", summary.name)
        if let device = summary.device { writer.member("device", device) }
        if let reason = summary.reason {
            writer.member("status", reason.status)
            writer.member("reason", reason.rawValue)
            writer.member("advice", reason.advice)
        }
        if let detail = summary.detail { writer.member("detail", detail) }
    }

    func arrived(_ push: DevicePush) {
        append("arrived", "\(push.id)") { $0.member("push-type", push.pushType.rawValue) }
    }

    /// - Parameter hasWarning: False: the extension's time ends without a warning.
    func shown(_ shown: ShownNotification, _ push: DevicePush, appName: String, hasWarning: Bool) {
        if hasWarning, shown.why == .expired || shown.why == .timedOut { append("will-expire", "\(push.id)") { _ in } }
        let picture = LockScreenPicture(of: shown, appName: appName)
        append("shown", "\(push.id)") { writer in
            writer.member("why", shown.why.name)
            writer.member("explanation", shown.explanation)
            writer.member("title", shown.title)
            writer.member("subtitle", shown.subtitle)
            writer.member("body", shown.body)
            writer.member("place", shown.presentation.place.name)
            if let peak = shown.peakMemoryByteCount { writer.member("memory-peak", peak) }
            writer.member("svg", picture.svg)
        }
    }

    /// - Parameter what: `woken`, `call`, `other`, `not-shown` or `opened`.
    func happened(_ what: String, _ detail: String, _ push: DevicePush? = nil) {
        append("phone", push.map { "\($0.id)" }) { writer in
            writer.member("event", what)
            writer.member("detail", detail)
        }
    }

    func replayed(line: Int, recorded: String, answered: String) {
        append("replayed", nil) { writer in
            writer.member("line", line)
            writer.member("recorded", recorded)
            writer.member("answered", answered)
        }
    }

    func replayEnded(_ sentence: String) { append("replay-ended", nil) { $0.member("detail", sentence) } }
}
