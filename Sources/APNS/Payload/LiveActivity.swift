/// Builds the three pushes of a Live Activity, with the members that Apple requires.
///
/// - Source: "Starting and updating Live Activities with ActivityKit push notifications".
public enum LiveActivity {
    /// Source of the new activity's updates.
    public enum Input: Sendable, Equatable {
        /// Update token from APNs, which the app sends to you.
        case pushToken
        /// Broadcast channel.
        case channel(ChannelID)
    }

    /// Starts an activity on the device whose push-to-start token the push goes to.
    ///
    /// - Parameters:
    ///   - attributesType: app's `ActivityAttributes` type.
    ///   - attributes: decodable by this type.
    ///   - contentState: decodable by its `ContentState`.
    ///   - alert: Apple requires one.
    ///   - timestamp: now, in seconds since 1970.
    ///   - input: source of the new activity's updates; `nil` names none.
    ///   - staleDate: seconds since 1970.
    ///   - relevanceScore: order among several activities.
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

    /// Updates an activity, for a push of type `liveactivity` or a broadcast.
    ///
    /// - Parameters:
    ///   - contentState: object that the activity's `ContentState` can decode.
    ///   - timestamp: now, in seconds since 1970.
    ///   - alert: `nil` for a silent update.
    ///   - staleDate: seconds since 1970.
    ///   - relevanceScore: order among several activities.
    public static func update(
        contentState: PayloadValue,
        timestamp: Int64,
        alert: Alert? = nil,
        staleDate: Int64? = nil,
        relevanceScore: Double? = nil
    ) -> APS {
        aps(.update, contentState, timestamp, alert, staleDate, relevanceScore)
    }

    /// Ends an activity with a last state, for a push of type `liveactivity` or a broadcast.
    ///
    /// - Parameters:
    ///   - contentState: object that the activity's `ContentState` can decode.
    ///   - timestamp: now, in seconds since 1970.
    ///   - dismissalDate: seconds since 1970; the past removes it at once, `nil` within four hours.
    ///   - alert: `nil` for a silent end.
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
