internal import ExtensionHarness

/// Holds our extension to its promises over one schedule. A value: what was shown in, mistakes out.
struct ScheduleJudge {
    /// What can come of a push.
    enum Outcome: String, CaseIterable {
        case message
        /// A message without the picture that it points to, or with its thumbnail alone.
        case messageWithoutPicture = "message, no picture"
        case appsWords = "app's words"
        case original
        case nothing

        static func of(_ shown: ShownNotification) -> Outcome {
            switch shown.presentation.place {
            case .nowhere, .inApp(banner: false, list: false): .nothing
            case .banner, .list, .inApp:
                if shown.isOriginal {
                    .original
                } else if shown.title == ScheduledPush.title {
                    shown.userInfo["sealedpush"]?.members?["outcome"]?.string == "opened-without-attachments"
                        ? .messageWithoutPicture : .message
                } else {
                    .appsWords
                }
            }
        }
    }

    /// What must not happen.
    package enum Mistake: Hashable, Sendable {
        /// What no extension may do.
        case finding(ScheduleReport.Finding)
        /// The extension ran, and words that came with the push were shown.
        case relaysWords
        /// A message could be opened in time, and was not shown.
        case messageLost
        /// A message was shown again, and not in silence in its own place.
        case messageRepeated
        /// Something is attached that is not the message's, or it is said to be there and is not.
        case wrongAttachments
    }

    private let pushes: [ScheduledPush]
    /// Pushes that the extension has had before.
    private var seen: Set<Int> = []
    /// Messages that were shown, all under conditions that let that be remembered.
    private var shown: Set<Int> = []

    init(_ pushes: [ScheduledPush]) {
        self.pushes = pushes
    }

    mutating func mistakes(in report: ScheduleReport, of schedule: DeviceSchedule) -> Set<Mistake> {
        var mistakes = Set(report.findings.map(Mistake.finding))
        var rest = report.deliveries[...]
        for step in schedule.steps {
            let deliveries = rest.prefix(step.pushIndices.count)
            rest = rest.dropFirst(deliveries.count)
            for index in Set(step.pushIndices) {
                let runs = deliveries.filter { $0.pushIndex == index }.flatMap { [$0.shown] + $0.shown.repeated }
                    .filter { if case .notRun = $0.why { false } else { true } }
                mistakes.formUnion(self.mistakes(in: runs, of: index, under: step.conditions))
            }
        }
        return mistakes
    }

    private mutating func mistakes(
        in runs: [ShownNotification],
        of index: Int,
        under conditions: Device.Conditions
    ) -> Set<Mistake> {
        guard !runs.isEmpty, pushes.indices.contains(index) else { return [] }
        let isFirst = seen.insert(index).inserted
        var mistakes: Set<Mistake> = []
        if runs.contains(where: { $0.title == ScheduledPush.relaysTitle }) { mistakes.insert(.relaysWords) }
        guard let text = pushes[index].text else { return mistakes }
        if runs.contains(where: { !hasRightAttachments($0, of: pushes[index]) }) { mistakes.insert(.wrongAttachments) }
        // What came again under its own identifier, and stays where it is without a word, is not shown again.
        let shownCount = runs.count { $0.body == text && !$0.isSilent }
        if isFirst, conditions.allowMessages, shownCount == 0 { mistakes.insert(.messageLost) }
        if shownCount > 1 && conditions.allowMessages || shownCount > 0 && shown.contains(index) {
            mistakes.insert(.messageRepeated)
        }
        if shownCount > 0, conditions.allowMessages { shown.insert(index) }
        return mistakes
    }
}

extension ShownNotification {
    fileprivate var isSilent: Bool { content.interruptionLevel == .passive && content.sound == nil }
}

extension ScheduleJudge {
    /// The picture where the message has one and says that it is there; its thumbnail at the most where it says that it is
    /// not.
    private func hasRightAttachments(_ shown: ShownNotification, of push: ScheduledPush) -> Bool {
        let ids = shown.attachments.map(\.identifier)
        return switch Outcome.of(shown) {
        case .message: ids == Array(push.attachmentIDs.suffix(1))
        case .messageWithoutPicture:
            !push.attachmentIDs.isEmpty && (ids.isEmpty || ids == Array(push.attachmentIDs.prefix(1)))
        case .appsWords, .original: ids.isEmpty
        // Nobody sees what it has.
        case .nothing: true
        }
    }
}

extension Device.Conditions {
    /// Whether a message can be opened, and that it was shown remembered.
    fileprivate var allowMessages: Bool {
        lock != .beforeFirstUnlock && storage == .writable && changes.allSatisfy { $0.after > .zero }
    }
}
