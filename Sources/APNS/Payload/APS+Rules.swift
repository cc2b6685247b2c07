/// Apple's rules for `aps` in each push type.
///
/// - Source: "Generating a remote notification", "Pushing background updates to your App", "Starting and updating Live
///   Activities with ActivityKit push notifications", "Updating widgets with WidgetKit push notifications".
extension APS {
    /// - Throws: the first rule that is broken.
    func check(for pushType: PushType) throws(PayloadError) {
        try checkTexts()
        try checkNumbers(for: pushType)
        try checkValues()
        switch pushType {
        case .alert: try checkAlert()
        case .background: try checkBackground()
        case .liveactivity: try checkLiveActivity()
        case .controls, .widgets: guard contentChanged else { throw .missing(.contentChanged, for: pushType) }
        // The app defines the content of these.
        case .complication, .fileprovider, .location, .mdm, .pushtotalk, .voip: break
        }
    }

    private func checkTexts() throws(PayloadError) {
        for (text, member) in [
            (threadID, PayloadMember.threadID), (category, .category), (targetContentID, .targetContentID),
            (filterCriteria, .filterCriteria), (attributesType, .attributesType),
            (alert?.launchImage, .alertLaunchImage), (alert?.action, .alertAction), (alert?.sound, .alertSound),
        ] where text?.isEmpty == true {
            throw .empty(member)
        }
        if let urlArguments, urlArguments.isEmpty { throw .empty(.urlArguments) }
        if let alert, alert == Alert() { throw .empty(.alert) }
        for (text, member) in [
            (alert?.title, PayloadMember.alertTitle), (alert?.subtitle, .alertSubtitle), (alert?.body, .alertBody),
        ] {
            if case .localized(let key, _) = text, key.isEmpty { throw .empty(member) }
        }
        switch sound {
        case .named(let name), .critical(let name, _): guard !name.isEmpty else { throw .empty(.soundName) }
        case nil: break
        }
    }

    private func checkNumbers(for pushType: PushType) throws(PayloadError) {
        if let badge, badge < 0 { throw .outOfRange(.badge) }
        if case .critical(_, let volume) = sound, !(0...1).contains(volume) { throw .outOfRange(.soundVolume) }
        if let score = relevanceScore {
            let isInRange = pushType == .liveactivity ? score.isFinite : (0...1).contains(score)
            guard isInRange else { throw .outOfRange(.relevanceScore) }
        }
        for (seconds, member) in [
            (timestamp, PayloadMember.timestamp), (staleDate, .staleDate), (dismissalDate, .dismissalDate),
        ] {
            if let seconds, seconds < 0 { throw .outOfRange(member) }
        }
    }

    private func checkValues() throws(PayloadError) {
        for (value, member) in [(contentState, PayloadMember.contentState), (attributes, .attributes)] {
            guard let value else { continue }
            guard value.isObject else { throw .notAnObject(member) }
            guard value.isWritable else { throw .notWritable(member) }
        }
    }

    private func checkAlert() throws(PayloadError) {
        if let member = liveActivityMember { throw .outOfPlace(member, for: .alert) }
        if alert?.sound != nil { throw .outOfPlace(.alertSound, for: .alert) }
        try APSOutline(self).check(for: .alert)
    }

    private func checkBackground() throws(PayloadError) {
        if let member = liveActivityMember { throw .outOfPlace(member, for: .background) }
        try APSOutline(self).check(for: .background)
    }

    private func checkLiveActivity() throws(PayloadError) {
        guard let event else { throw .missing(.event, for: .liveactivity) }
        guard timestamp != nil else { throw .missing(.timestamp, for: .liveactivity) }
        guard contentState != nil else { throw .missing(.contentState, for: .liveactivity) }
        if let member = notificationMember { throw .outOfPlace(member, for: .liveactivity) }
        if event == .start {
            guard attributesType != nil else { throw .missing(.attributesType, for: .liveactivity) }
            guard attributes != nil else { throw .missing(.attributes, for: .liveactivity) }
            guard alert != nil else { throw .missing(.alert, for: .liveactivity) }
        } else if let member = startMember {
            throw .outOfPlace(member, for: .liveactivity)
        }
        if event != .end, dismissalDate != nil { throw .outOfPlace(.dismissalDate, for: .liveactivity) }
    }

    /// First member that only a notification has.
    private var notificationMember: PayloadMember? {
        let present: [(Bool, PayloadMember)] = [
            (badge != nil, .badge), (sound != nil, .sound), (threadID != nil, .threadID), (category != nil, .category),
            (contentAvailable, .contentAvailable), (mutableContent, .mutableContent),
            (targetContentID != nil, .targetContentID), (interruptionLevel != nil, .interruptionLevel),
            (filterCriteria != nil, .filterCriteria), (contentChanged, .contentChanged),
            (urlArguments != nil, .urlArguments),
        ]
        return present.first { $0.0 }?.1
    }

    private var liveActivityMember: PayloadMember? {
        let present: [(Bool, PayloadMember)] = [
            (event != nil, .event), (timestamp != nil, .timestamp), (contentState != nil, .contentState),
            (staleDate != nil, .staleDate), (dismissalDate != nil, .dismissalDate),
        ]
        return present.first { $0.0 }?.1 ?? startMember
    }

    private var startMember: PayloadMember? {
        let present: [(Bool, PayloadMember)] = [
            (attributesType != nil, .attributesType), (attributes != nil, .attributes),
            (inputPushChannel != nil, .inputPushChannel), (inputPushToken, .inputPushToken),
        ]
        return present.first { $0.0 }?.1
    }
}
