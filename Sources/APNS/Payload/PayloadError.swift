/// A member of a payload, by Apple's name for it.
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
    /// A member beside `aps`. Its name is not told: it may come from whom the push is about.
    case custom = "a member beside aps"
    /// What a device management push consists of.
    case mdm
}

/// Why a payload cannot be sent as this type of push. Names the member, never what is in it.
public enum PayloadError: Error, Equatable {
    /// Apple asks for it in this type of push.
    case missing(PayloadMember, for: PushType)
    /// It has no meaning in this type of push, or makes it another one.
    case outOfPlace(PayloadMember, for: PushType)
    /// A number beyond Apple's range.
    case outOfRange(PayloadMember)
    /// A text or a list with nothing in it.
    case empty(PayloadMember)
    /// Something other than an object in braces.
    case notAnObject(PayloadMember)
    /// A number that is not finite, two equal names in one object, or nested too deep.
    case notWritable(PayloadMember)
    /// Two members beside `aps` have one name, or one of them is called `aps`.
    case nameTaken
    /// An alert push has an alert, a badge or a sound.
    case nothingToShow
    /// The JSON that was given is none; bytes before the fault.
    case notJSON(offset: Int)
    /// The JSON that was given is not an object.
    case notJSONObject
    /// More than Apple allows for this type of push.
    case tooLarge(byteCount: Int, byteCountMax: Int)
    /// A broadcast can update a Live Activity or end it, not start one.
    case broadcastCannotStart
}

extension PayloadError: CustomStringConvertible {
    /// One sentence that names the member and the rule.
    public var description: String {
        switch self {
        case .missing(let member, let pushType): "\(member.rawValue) is missing in a \(pushType.rawValue) push."
        case .outOfPlace(let member, let pushType): "\(member.rawValue) has no place in this \(pushType.rawValue) push."
        case .outOfRange(let member): "\(member.rawValue) is out of Apple's range."
        case .empty(let member): "\(member.rawValue) is empty."
        case .notAnObject(let member): "\(member.rawValue) is not an object."
        case .notWritable(let member):
            "\(member.rawValue) has a number that is not finite, two equal names in one object, or too many levels."
        case .nameTaken: "Two members of the payload have one name."
        case .nothingToShow: "An alert push has an alert, a badge or a sound."
        case .notJSON(let offset): "The payload is not JSON, from byte \(offset) on."
        case .notJSONObject: "The payload is not a JSON object."
        case .tooLarge(let byteCount, let byteCountMax):
            "The payload has \(byteCount) bytes, \(byteCount - byteCountMax) more than the \(byteCountMax) that Apple"
                + " allows."
        case .broadcastCannotStart: "A broadcast can update a Live Activity or end it, not start one."
        }
    }
}
