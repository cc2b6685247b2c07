internal import ExtensionHarness

/// Checks our extension over one schedule. A value: shown notifications in, mistakes out.
struct ScheduleVerifier {
    enum Outcome: String, CaseIterable {
        case message
        /// A message without its picture, or with its thumbnail only.
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

    package enum Mistake: Hashable, Sendable {
        case finding(ScheduleReport.Finding)
        /// The extension ran, and the push's own text was shown.
        case relaysWords
        /// A message could be opened in time, and was not shown.
        case messageLost
        /// A message was shown again, other than silently in its own place.
        case messageRepeated
        /// An attachment is not the message's, or does not match the text about it.
        case wrongAttachments
    }

    private let pushes: [ScheduledPush]
    /// Pushes already delivered to the extension.
    private var seen: Set<Int> = []
    /// Messages already shown, under conditions that let the extension record it.
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
        // A silent repetition under its own identifier replaces itself, and is not shown again.
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

extension ScheduleVerifier {
    /// True for the picture if the message claims one, and at most its thumbnail if the message says that it is
    /// missing.
    private func hasRightAttachments(_ shown: ShownNotification, of push: ScheduledPush) -> Bool {
        let ids = shown.attachments.map(\.identifier)
        return switch Outcome.of(shown) {
        case .message: ids == Array(push.attachmentIDs.suffix(1))
        case .messageWithoutPicture:
            !push.attachmentIDs.isEmpty && (ids.isEmpty || ids == Array(push.attachmentIDs.prefix(1)))
        case .appsWords, .original: ids.isEmpty
        // Its attachments are not visible.
        case .nothing: true
        }
    }
}

extension Device.Conditions {
    /// True if a message can be opened and recorded as shown.
    fileprivate var allowMessages: Bool {
        lock != .beforeFirstUnlock && storage == .writable && changes.allSatisfy { $0.after > .zero }
    }
}
