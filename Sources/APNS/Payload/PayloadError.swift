/// Payload member, by Apple's name.
public enum PayloadMember: String, Sendable, CaseIterable {
    case aps
    case alert = "aps.alert"
    case alertTitle = "aps.alert.title"
    case alertSubtitle = "aps.alert.subtitle"
    case alertBody = "aps.alert.body"
    case alertAction = "aps.alert.action"
    case alertLaunchImage = "aps.alert.launch-image"
    case alertSound = "aps.alert.sound"
    case badge = "aps.badge"
    case sound = "aps.sound"
    case soundName = "aps.sound.name"
    case soundVolume = "aps.sound.volume"
    case threadID = "aps.thread-id"
    case category = "aps.category"
    case contentAvailable = "aps.content-available"
    case mutableContent = "aps.mutable-content"
    case targetContentID = "aps.target-content-id"
    case interruptionLevel = "aps.interruption-level"
    case relevanceScore = "aps.relevance-score"
    case filterCriteria = "aps.filter-criteria"
    case staleDate = "aps.stale-date"
    case contentState = "aps.content-state"
    case timestamp = "aps.timestamp"
    case event = "aps.event"
    case dismissalDate = "aps.dismissal-date"
    case attributesType = "aps.attributes-type"
    case attributes = "aps.attributes"
    case inputPushChannel = "aps.input-push-channel"
    case inputPushToken = "aps.input-push-token"
    case contentChanged = "aps.content-changed"
    case urlArguments = "aps.url-args"
    /// Member beside `aps`, unnamed because the name may be the user's data.
    case custom = "a member beside aps"
    /// Content of a device management push.
    case mdm
}

/// Rule that a payload breaks for its push type. Names the member, never its value.
public enum PayloadError: Error, Equatable {
    /// Required by Apple in this push type.
    case missing(PayloadMember, for: PushType)
    /// Without meaning in this push type, or of another one.
    case outOfPlace(PayloadMember, for: PushType)
    case outOfRange(PayloadMember)
    case empty(PayloadMember)
    case notAnObject(PayloadMember)
    /// Number that is not finite, a duplicate name in one object, or too many levels.
    case notWritable(PayloadMember)
    /// Duplicate name beside `aps`, or a member there called `aps`.
    case nameTaken
    case nothingToShow
    /// Malformed JSON; `offset` in bytes.
    case notJSON(offset: Int)
    case notJSONObject
    case tooLarge(byteCount: Int, byteCountMax: Int)
    case broadcastCannotStart
}

extension PayloadError: CustomStringConvertible {
    /// Sentence with member and rule.
    public var description: String {
        switch self {
        case .missing(let member, let pushType): "\(member.rawValue) is missing in a \(pushType.rawValue) push."
        case .outOfPlace(let member, let pushType): "\(member.rawValue) has no place in this \(pushType.rawValue) push."
        case .outOfRange(let member): "\(member.rawValue) is out of Apple's range."
        case .empty(let member): "\(member.rawValue) is empty."
        case .notAnObject(let member): "\(member.rawValue) is not an object."
        case .notWritable(let member):
            "\(member.rawValue) has a number that is not finite, two equal names in one object, or too many levels."
        case .nameTaken: "Two members of the payload have the same name."
        case .nothingToShow: "An alert push needs an alert, a badge or a sound."
        case .notJSON(let offset): "The payload is not JSON, from byte \(offset) on."
        case .notJSONObject: "The payload is not a JSON object."
        case .tooLarge(let byteCount, let byteCountMax):
            "The payload has \(byteCount) bytes, \(byteCount - byteCountMax) more than the \(byteCountMax) that Apple"
                + " allows."
        case .broadcastCannotStart: "A broadcast can update a Live Activity or end it, not start one."
        }
    }
}
