/// The three pushes of a Live Activity. Each function asks for what Apple asks for.
///
/// - Source: "Starting and updating Live Activities with ActivityKit push notifications".
public enum LiveActivity {
    /// How the new activity will be updated.
    public enum Input: Sendable, Equatable {
        /// It asks APNs for a token, which the app sends to you.
        case pushToken
        /// It listens to a broadcast channel.
        case channel(ChannelID)
    }

    /// Starts one on a device whose push-to-start token this goes to.
    ///
    /// - Parameters:
    ///   - attributesType: the name of the app's `ActivityAttributes` type.
    ///   - attributes: an object that this type can decode.
    ///   - contentState: an object that its `ContentState` can decode.
    ///   - alert: Apple starts none without saying so.
    ///   - timestamp: seconds since 1970, now.
    ///   - input: how it will be updated.
    ///   - staleDate: seconds since 1970.
    ///   - relevanceScore: which of several is shown first.
    /// - Returns: the dictionary for a push of type `liveactivity`.
    public static func start(
        attributesType: String,
        attributes: PayloadValue,
        contentState: PayloadValue,
        alert: Alert,
        timestamp: Int64,
        input: Input? = nil,
        staleDate: Int64? = nil,
        relevanceScore: Double? = nil
    ) -> APS {
        var aps = aps(.start, contentState, timestamp, alert, staleDate, relevanceScore)
        aps.attributesType = attributesType
        aps.attributes = attributes
        switch input {
        case .pushToken: aps.inputPushToken = true
        case .channel(let channel): aps.inputPushChannel = channel
        case nil: break
        }
        return aps
    }

    /// Shows a new state.
    ///
    /// - Parameters:
    ///   - contentState: an object that the app's `ContentState` can decode.
    ///   - timestamp: seconds since 1970, now.
    ///   - alert: `nil` changes it quietly.
    ///   - staleDate: seconds since 1970.
    ///   - relevanceScore: which of several is shown first.
    /// - Returns: the dictionary for a push of type `liveactivity`, or for a broadcast.
    public static func update(
        contentState: PayloadValue,
        timestamp: Int64,
        alert: Alert? = nil,
        staleDate: Int64? = nil,
        relevanceScore: Double? = nil
    ) -> APS {
        aps(.update, contentState, timestamp, alert, staleDate, relevanceScore)
    }

    /// Ends it with a last state.
    ///
    /// - Parameters:
    ///   - contentState: an object that the app's `ContentState` can decode.
    ///   - timestamp: seconds since 1970, now.
    ///   - dismissalDate: seconds since 1970; in the past removes it at once, and none keeps it for four hours at most.
    ///   - alert: `nil` ends it quietly.
    /// - Returns: the dictionary for a push of type `liveactivity`, or for a broadcast.
    public static func end(
        contentState: PayloadValue,
        timestamp: Int64,
        dismissalDate: Int64? = nil,
        alert: Alert? = nil
    ) -> APS {
        var aps = aps(.end, contentState, timestamp, alert, nil, nil)
        aps.dismissalDate = dismissalDate
        return aps
    }

    private static func aps(
        _ event: APS.Event,
        _ contentState: PayloadValue,
        _ timestamp: Int64,
        _ alert: Alert?,
        _ staleDate: Int64?,
        _ relevanceScore: Double?
    ) -> APS {
        var aps = APS()
        aps.event = event
        aps.contentState = contentState
        aps.timestamp = timestamp
        aps.alert = alert
        aps.staleDate = staleDate
        aps.relevanceScore = relevanceScore
        return aps
    }
}
