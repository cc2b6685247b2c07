package import Envelope

/// A push that starts, updates or ends a Live Activity.
///
/// - Source: https://developer.apple.com/documentation/activitykit/starting-and-updating-live-activities-with-activitykit-push-notifications
public struct LiveActivityUpdate: Sendable, Equatable {
    /// "start", "update" or "end"; other values are kept as they came.
    public let event: String
    /// Name of the app's attributes type; with "start" only.
    public let attributesType: String?
    /// Send time in seconds since 1970: an older update does not replace a newer one.
    public let timestamp: Int64?
    /// Time from which the system calls the activity outdated, in seconds since 1970.
    public let staleDate: Int64?
    /// Time at which an ended activity leaves the lock screen, in seconds since 1970.
    public let dismissalDate: Int64?

    package let contentState: JSONValue?
    package let attributes: JSONValue?
    package let alert: JSONValue?

    /// Dynamic content as indented JSON, its members and numbers as they came; `nil` without one.
    public var contentStateText: String? { contentState.map { JSONWriter.indentedText(of: $0) } }

    /// Fixed attributes as indented JSON; `nil` without any.
    public var attributesText: String? { attributes.map { JSONWriter.indentedText(of: $0) } }

    /// Alert that lights the screen, as indented JSON; `nil` for a silent update.
    public var alertText: String? { alert.map { JSONWriter.indentedText(of: $0) } }

    /// - Returns: `nil` for a push without a Live Activity's members.
    init?(_ document: JSONValue, in bytes: [UInt8]) throws(CapturedPushError) {
        guard let aps = document["aps"], aps["event"] != nil || aps["content-state"] != nil else { return nil }
        let members = Members(aps: aps, bytes: bytes)
        guard let event = try members.string("event") else {
            throw CapturedPushError("a Live Activity's push needs an \"event\" in \"aps\"", at: aps.offset, in: bytes)
        }
        self.event = event
        attributesType = try members.string("attributes-type")
        timestamp = try members.seconds("timestamp")
        staleDate = try members.seconds("stale-date")
        dismissalDate = try members.seconds("dismissal-date")
        contentState = try members.object("content-state")
        attributes = try members.object("attributes")
        alert = try members.object("alert")
    }

    /// Members of `aps`; each one present must have the type that Apple documents.
    private struct Members {
        let aps: JSONValue
        let bytes: [UInt8]

        func string(_ name: String) throws(CapturedPushError) -> String? {
            guard let value = aps[name] else { return nil }
            guard let string = value.string else { throw wrong(name, "a string", value) }
            return string
        }

        func seconds(_ name: String) throws(CapturedPushError) -> Int64? {
            guard let value = aps[name] else { return nil }
            guard case .integer(let seconds) = value.content else {
                throw wrong(name, "seconds since 1970, a whole number", value)
            }
            return seconds
        }

        func object(_ name: String) throws(CapturedPushError) -> JSONValue? {
            guard let value = aps[name] else { return nil }
            guard value.members != nil else { throw wrong(name, "an object", value) }
            return value
        }

        private func wrong(_ name: String, _ kind: String, _ value: JSONValue) -> CapturedPushError {
            CapturedPushError("\"\(name)\" is not \(kind)", at: value.offset, in: bytes)
        }
    }
}
