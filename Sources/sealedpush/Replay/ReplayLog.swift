import CommandLineTool
import Envelope
import ExtensionHarness

struct ReplayLog {
    let printsJSON: Bool

    func print(_ shown: ShownNotification) throws(CommandError) {
        guard printsJSON else { return try Output.print(text(of: shown)) }
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("event", "shown")
            writer.member("why", shown.why.name)
            writer.member("place", shown.presentation.place.name)
            writer.member("explanation", shown.explanation)
            write(shown.content, &writer)
            writer.name("on-the-way")
            writer.object { write(shown.original, &$0) }
        }
        try Output.print(String(decoding: writer.bytes, as: UTF8.self))
    }

    func print(_ update: LiveActivityUpdate) throws(CommandError) {
        guard printsJSON else { return try Output.print(text(of: update)) }
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("event", "live-activity")
            writer.member("activity-event", update.event)
            if let type = update.attributesType { writer.member("attributes-type", type) }
            for (name, seconds) in times(of: update) { writer.member(name, seconds) }
            for (name, value) in values(of: update) {
                writer.name(name)
                writer.raw(JSONWriter.bytes(of: value))
            }
        }
        try Output.print(String(decoding: writer.bytes, as: UTF8.self))
    }

    private func text(of shown: ShownNotification) -> String {
        let texts = [shown.title, shown.subtitle, shown.body].filter { !$0.isEmpty }.map(TerminalText.safe)
        let files = shown.attachments.map { "attached: \(TerminalText.safe($0.type))" }
        let original = [shown.original.title, shown.original.subtitle, shown.original.body].filter { !$0.isEmpty }
        let onTheWay = "on the way: \(original.map(TerminalText.safe).joined(separator: " / "))"
        return (texts + files + ["(\(shown.explanation))", onTheWay]).joined(separator: "\n")
    }

    private func write(_ content: ShownContent, _ writer: inout JSONWriter) {
        writer.member("title", content.title)
        writer.member("subtitle", content.subtitle)
        writer.member("body", content.body)
        if !content.threadIdentifier.isEmpty { writer.member("thread-id", content.threadIdentifier) }
        if !content.categoryIdentifier.isEmpty { writer.member("category", content.categoryIdentifier) }
        if let badge = content.badge { writer.member("badge", badge) }
        if let sound = content.sound { writer.member("sound", sound.name ?? "default") }
        guard !content.attachments.isEmpty else { return }
        writer.name("attachments")
        writer.array { writer in
            for attachment in content.attachments { writer.string(attachment.type) }
        }
    }

    private func text(of update: LiveActivityUpdate) -> String {
        var lines = ["Live Activity: \(TerminalText.safe(update.event))"]
        if let type = update.attributesType { lines.append("attributes-type: \(TerminalText.safe(type))") }
        lines += times(of: update).map { "\($0): \($1)" }
        for (name, value) in values(of: update) {
            lines.append("\(name):")
            lines += JSONWriter.indentedText(of: value).split(separator: "\n").map { TerminalText.safe(String($0)) }
        }
        return lines.joined(separator: "\n")
    }

    private func times(of update: LiveActivityUpdate) -> [(String, Int64)] {
        [("timestamp", update.timestamp), ("stale-date", update.staleDate), ("dismissal-date", update.dismissalDate)]
            .compactMap { name, seconds in seconds.map { (name, $0) } }
    }

    private func values(of update: LiveActivityUpdate) -> [(String, JSONValue)] {
        [("attributes", update.attributes), ("content-state", update.contentState), ("alert", update.alert)]
            .compactMap { name, value in value.map { (name, $0) } }
    }
}

// For programs: they stay when sentences change.
extension ShownNotification.Why {
    var name: String {
        switch self {
        case .answered: "answered"
        case .expired: "expired"
        case .timedOut: "timed-out"
        case .emptyAnswer: "empty-answer"
        case .suppressed: "suppressed"
        case .invalidAttachment: "invalid-attachment"
        case .ended: "ended"
        case .notRun: "not-run"
        case .posted: "posted"
        }
    }
}

extension Presentation.Place {
    var name: String {
        switch self {
        case .banner: "banner"
        case .list: "list"
        case .inApp: "in-app"
        case .nowhere: "nowhere"
        }
    }
}
