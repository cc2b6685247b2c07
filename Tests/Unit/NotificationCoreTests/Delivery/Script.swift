import Envelope
import Opening
import Platform
import TestSupport

@testable import NotificationCore

/// Records what happens to pushes, and holds a real message for them.
final class Script: Sendable {
    enum Entry: Equatable {
        case opened
        case answered(String, attachments: [String])
        case remembered(String)
        case kept
        case counted(OutcomeKind)
    }

    let text: NotificationContent
    let neutral: NotificationContent
    private let log = Guarded<[Entry]>([])

    init(_ message: Message = Message(body: "text")) throws {
        let phone = try Phone(seed: 1)
        text = phone.pipeline.content(userInfo: try phone.push(message), now: Phone.start)
        neutral = phone.pipeline.neutralContent
    }

    /// Starts anew with the same message.
    init(like other: Script) {
        text = other.text
        neutral = other.neutral
    }

    var entries: [Entry] { log.withLock { $0 } }
    var answers: [Entry] { entries.filter { if case .answered = $0 { true } else { false } } }

    func note(_ entry: Entry) { log.withLock { $0.append(entry) } }

    func answer(_ content: NotificationContent) {
        note(.answered(content.body, attachments: content.attachments.map(\.id)))
    }

    /// Opens every push as `text`; the closures run in the middle of opening it and of remembering it.
    func steps(
        opening: @escaping @Sendable () -> Void = {},
        remembering: @escaping @Sendable () -> Void = {}
    ) -> DeliverySteps {
        DeliverySteps(
            neutralContent: neutral,
            open: { [self] _ in
                opening()
                note(.opened)
                return text
            },
            remember: { [self] content in
                remembering()
                note(.remembered(content.body))
            },
            keep: { [self] _ in note(.kept) },
            count: { [self] in note(.counted($0)) }
        )
    }
}

/// Delivers so many attachments, one after the other, and sleeps before each.
struct ScriptedFetcher: AttachmentFetcher {
    var count = 1
    var pause: Duration = .zero
    var clock: (any Clock<Duration>)?
    var isStubborn = false

    func hasAttachments(_ message: OpenedMessage) -> Bool { count > 0 }

    func fetch(
        for message: OpenedMessage,
        within budget: Duration,
        deliver: @escaping @Sendable (FetchedAttachments) -> Bool
    ) async {
        var attachments: [NotificationContent.Attachment] = []
        for number in 1...count {
            if pause > .zero, let clock {
                do { try await clock.sleep(for: pause) } catch { if !isStubborn { return } }
            }
            attachments.append(
                NotificationContent.Attachment(id: "\(number)", path: "/tmp/\(number)", type: "public.png")
            )
            // Also after the end: a late delivery must change nothing.
            _ = deliver(FetchedAttachments(ready: attachments))
        }
    }
}
