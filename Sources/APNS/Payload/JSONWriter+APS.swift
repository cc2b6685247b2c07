import Envelope

extension JSONWriter {
    /// In a Live Activity, a localized text is a dictionary in place of the text.
    mutating func aps(_ aps: APS, isLiveActivity: Bool) {
        object { writer in
            if let alert = aps.alert { writer.alert(alert, isLiveActivity: isLiveActivity) }
            if let badge = aps.badge { writer.member("badge", badge) }
            if let sound = aps.sound { writer.sound(sound) }
            writer.text("thread-id", aps.threadID)
            writer.text("category", aps.category)
            if aps.contentAvailable { writer.member("content-available", 1) }
            if aps.mutableContent { writer.member("mutable-content", 1) }
            writer.text("target-content-id", aps.targetContentID)
            writer.text("interruption-level", aps.interruptionLevel?.rawValue)
            if let score = aps.relevanceScore { writer.number("relevance-score", score) }
            writer.text("filter-criteria", aps.filterCriteria)
            writer.liveActivity(aps)
            if aps.contentChanged { writer.member("content-changed", true) }
            if let arguments = aps.urlArguments { writer.texts("url-args", arguments) }
        }
    }

    private mutating func liveActivity(_ aps: APS) {
        text("event", aps.event?.rawValue)
        if let seconds = aps.timestamp { member("timestamp", seconds) }
        if let state = aps.contentState { value("content-state", state) }
        if let seconds = aps.staleDate { member("stale-date", seconds) }
        if let seconds = aps.dismissalDate { member("dismissal-date", seconds) }
        text("attributes-type", aps.attributesType)
        if let attributes = aps.attributes { value("attributes", attributes) }
        text("input-push-channel", aps.inputPushChannel?.description)
        if aps.inputPushToken { member("input-push-token", 1) }
    }

    private mutating func alert(_ alert: Alert, isLiveActivity: Bool) {
        name("alert")
        if let short = alert.shortForm { return string(short) }
        object { writer in
            for (text, names) in [
                (alert.title, ("title", "title-loc-key", "title-loc-args")),
                (alert.subtitle, ("subtitle", "subtitle-loc-key", "subtitle-loc-args")),
                (alert.body, ("body", "loc-key", "loc-args")),
            ] {
                switch text {
                case nil: break
                case .plain(let text): writer.member(names.0, text)
                case .localized(let key, let arguments):
                    guard isLiveActivity else {
                        writer.localized(names.1, key, names.2, arguments)
                        continue
                    }
                    writer.name(names.0)
                    writer.object { $0.localized("loc-key", key, "loc-args", arguments) }
                }
            }
            writer.text("launch-image", alert.launchImage)
            writer.text("action", alert.action)
            writer.text("sound", alert.sound)
        }
    }

    private mutating func localized(_ keyName: String, _ key: String, _ listName: String, _ arguments: [String]) {
        member(keyName, key)
        if !arguments.isEmpty { texts(listName, arguments) }
    }

    private mutating func sound(_ sound: Sound) {
        switch sound {
        case .named(let name): member("sound", name)
        case .critical(let name, let volume):
            self.name("sound")
            object { writer in
                writer.member("critical", 1)
                writer.member("name", name)
                writer.number("volume", volume)
            }
        }
    }

    private mutating func text(_ name: String, _ text: String?) {
        if let text { member(name, text) }
    }

    private mutating func texts(_ name: String, _ texts: [String]) {
        self.name(name)
        array { writer in for text in texts { writer.string(text) } }
    }

    private mutating func number(_ name: String, _ number: Double) {
        self.name(name)
        self.number(number)
    }

    /// Writes a finite number: Swift's spelling is valid JSON. Drops the ".0" of a whole one.
    private mutating func number(_ number: Double) {
        let text = Array(number.description.utf8)
        raw(text.suffix(2).elementsEqual(".0".utf8) ? text.dropLast(2) : text)
    }

    mutating func value(_ name: String, _ value: PayloadValue) {
        self.name(name)
        self.value(value)
    }

    private mutating func value(_ value: PayloadValue) {
        switch value.content {
        case .null: raw(Array("null".utf8))
        case .bool(let flag): raw(Array((flag ? "true" : "false").utf8))
        case .integer(let number): integer(number)
        case .number(let number): self.number(number)
        case .spelled(let text): raw(Array(text.utf8))
        case .string(let text): string(text)
        case .array(let elements): array { writer in for element in elements { writer.value(element) } }
        case .object(let members):
            object { writer in for member in members { writer.value(member.name, member.value) } }
        }
    }
}

extension Alert {
    fileprivate var shortForm: String? {
        guard isString, title == nil, subtitle == nil, launchImage == nil, action == nil, sound == nil,
            case .plain(let text) = body
        else { return nil }
        return text
    }
}
