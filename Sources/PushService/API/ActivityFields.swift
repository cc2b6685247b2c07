package import APNS
import Envelope
import PushStore
import ServiceParts

/// Member `aps` of a Live Activity's submission. Its alert is the app's placeholder.
package struct ActivityFields: Equatable, Sendable {
    /// Without alert and sealed content state.
    package let aps: APS
    /// Apple requires one at a start.
    package let hasAlert: Bool

    private static let names = [
        "event", "timestamp", "content-state", "stale-date", "dismissal-date", "relevance-score", "attributes-type",
        "attributes", "input-push-channel", "input-push-token",
    ]
    /// The year 9999, in seconds.
    private static let seconds: ClosedRange<Int64> = 0...253_402_300_799

    /// - Parameter allowsClearText: of attributes and content state, to relay and Apple.
    /// - Returns: nil with faults, such as Apple's rule.
    init?(_ reader: ObjectReader, allowsClearText: Bool) {
        let alerts = reader.flag("alerts") ?? false
        let countBefore = reader.faults.all.count
        guard let own = reader.object("aps", names: Self.names, isRequired: true) else { return nil }
        var aps = APS()
        aps.event = own.choice("event")
        aps.timestamp = own.integer("timestamp", in: Self.seconds)
        aps.staleDate = own.integer("stale-date", in: Self.seconds)
        aps.dismissalDate = own.integer("dismissal-date", in: Self.seconds)
        aps.relevanceScore = Self.relevanceScore(own)
        // Names the token too. Apple's rule refuses an empty one.
        aps.attributesType = own.text("attributes-type", 0...64, TokenFields.nameForm) { text in
            text.isEmpty || TokenPurpose(.liveActivityStart, name: text) != nil
        }
        aps.attributes = own.object["attributes"].map { PayloadValue($0) }
        aps.contentState = own.object["content-state"].map { PayloadValue($0) }
        let channel = own.text("input-push-channel", 1...ChannelID.byteCountMax, "a channel's id, in base64") {
            (try? ChannelID($0)) != nil
        }
        aps.inputPushChannel = channel.flatMap { try? ChannelID($0) }
        aps.inputPushToken = own.integer("input-push-token", in: 1...1) == 1
        if !allowsClearText { Self.refuseClearText(own) }
        hasAlert = alerts || aps.event == .start
        self.aps = aps
        guard reader.faults.all.count == countBefore else { return nil }
        do throws(PayloadError) {
            _ = try payload(sealed: .object([]), alert: Alert(body: "…"))
        } catch .tooLarge {
            // Its size depends on the device's placeholder.
        } catch {
            reader.faults.add(.wrong, own.path, at: own.object.offset, "Apple's rule: \(error)")
            return nil
        }
    }

    /// - Parameter sealed: content state, unless clear.
    /// - Throws: Apple's rule.
    func payload(sealed: JSONValue?, alert: Alert) throws(PayloadError) -> [UInt8] {
        var aps = aps
        if aps.contentState == nil { aps.contentState = sealed.map { PayloadValue($0) } }
        if hasAlert { aps.alert = alert }
        return try PushPayload(aps).bytes(for: .liveactivity)
    }

    private static func relevanceScore(_ reader: ObjectReader) -> Double? {
        guard let value = reader.object["relevance-score"] else { return nil }
        switch value.content {
        case .integer(let number): return Double(number)
        case .fraction(let text):
            if text.utf8.count <= 32, let number = Double(text), number.isFinite { return number }
        default: break
        }
        reader.wrong("relevance-score", value, "a number")
        return nil
    }

    private static func refuseClearText(_ reader: ObjectReader) {
        for name in ["attributes", "content-state"] {
            guard let value = reader.object[name], value.members?.isEmpty != true else { continue }
            let problem = "clear text is not accepted; seal it, or set the tenant's 'allows-clear-text'"
            reader.faults.add(.plainText, reader.place(name), at: value.offset, problem)
        }
    }
}

extension Alert {
    /// A Live Activity has its localization key in the body.
    init(_ placeholder: Placeholder) {
        let limits = JSONParser.Limits(byteCountMax: Placeholder.byteCountMax, depthMax: 2, allowsFractions: false)
        // Our own JSON.
        let value = try? JSONParser.parse(placeholder.alertJSON, limits: limits)
        let body = value?["loc-key"]?.string.map { Text.localized(key: $0) }
        self.init(
            title: value?["title"]?.string.map { .plain($0) },
            body: body ?? value?["body"]?.string.map { .plain($0) }
        )
    }
}
