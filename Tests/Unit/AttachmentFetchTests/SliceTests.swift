import Envelope
import Platform
import TestSupport
import TestWebServer
import Testing

@testable import NotificationCore
@testable import Opening

/// The text is there when its slice is over, whatever the host does; no part of the attachment is then.
struct SliceTests {
    /// Real time, and short: the tested calls would wait for ever.
    private static let timing = DeliveryTiming(deadline: .seconds(25), attachmentSlice: .milliseconds(300))

    @Test func `a body that stalls at 99 in 100 costs the picture and not the text (abuse case 64)`() async throws {
        let blob = try Blob.picture()
        let device = try await FetchingExtension.start { _ in
            [
                .answer("200 OK", ["Content-Length": "\(blob.sealed.count)"]),
                .send(Array(blob.sealed.dropLast(400))), .hold,
            ]
        }
        let shown = await show(try blob.pointer(device.url()), by: device)
        #expect(shown.body == "Look at this" && shown.attachments.isEmpty && shown.kind == .openedWithoutAttachments)
        #expect(shown.missingAttachments.map(\.reason) == [.notFetched])
        #expect(try device.files() == [])
    }

    @Test func `an answer that never begins costs the picture and not the text (abuse case 64)`() async throws {
        let device = try await FetchingExtension.start { _ in [.hold] }
        let shown = await show(try Blob.picture().pointer(device.url()), by: device)
        #expect(shown.body == "Look at this" && shown.attachments.isEmpty)
        #expect(try device.files() == [])
    }

    @Test func `a handshake that stalls costs the picture and not the text (abuse case 64)`() async throws {
        let port = try HeldPort.silent()
        let device = try await FetchingExtension.start {
            $0.sources = [.init(host: "127.0.0.1", port: port.number, pathPrefix: "/")]
        } script: { _ in
            []
        }
        let shown = await show(try Blob.picture().pointer("https://127.0.0.1:\(port.number)/a"), by: device)
        #expect(shown.body == "Look at this" && shown.attachments.isEmpty)
        #expect(try device.files() == [])
    }

    @Test func `a thumbnail is shown when its picture stalls`() async throws {
        let (thumbnail, picture) = (try Blob.picture(byteCount: 500, seed: 1), try Blob.picture(seed: 2))
        let isAskedForPicture = AsyncStream<Void>.makeStream()
        let device = try await FetchingExtension.start { request in
            if request.number == 0 { return [.answer(body: thumbnail.sealed), .close] }
            isAskedForPicture.continuation.finish()
            return [.hold]
        }
        let pointers = [try thumbnail.pointer(device.url(), isThumbnail: true), try picture.pointer(device.url())]
        // The end comes with the request for the picture, and not by a clock: a starved machine needs all of the time.
        let shown = await show(
            pointers,
            by: device,
            slice: .seconds(20),
            clock: StoppedClock(),
            end: isAskedForPicture
        )
        #expect(shown.attachments.map(\.id) == [thumbnail.id.text])
        #expect(shown.missingAttachments.map(\.id) == [picture.id])
        #expect(try device.files() == ["png"])
    }

    @Test(arguments: [PreviewLevel.nameOnly, .nothing])
    func `a preview level without text asks no host for a picture`(_ level: PreviewLevel) async throws {
        let blob = try Blob.picture()
        let requests = Guarded(0)
        let device = try await FetchingExtension.start { _ in
            requests.withLock { $0 += 1 }
            return [.answer(body: blob.sealed), .close]
        }
        let pointer = try blob.pointer(device.url())
        for (level, count) in [(level, 0), (.nameAndText, 1)] {
            let shown = await show([pointer], by: device, slice: .seconds(20), clock: StoppedClock(), preview: level)
            #expect(shown.attachments.count == count && requests.withLock { $0 } == count)
        }
    }

    @Test func `a picture that is there is shown, and the outcome says so`() async throws {
        let blob = try Blob.picture()
        let device = try await FetchingExtension.start { _ in [.answer(body: blob.sealed), .close] }
        // No clock ends it: a starved machine needs all of the time.
        let shown = await show([try blob.pointer(device.url())], by: device, slice: .seconds(20), clock: StoppedClock())
        #expect(shown.attachments.count == 1 && shown.missingAttachments.isEmpty && shown.kind == .opened)
    }
}

extension SliceTests {
    private func show(_ pointer: AttachmentPointer, by device: FetchingExtension) async -> NotificationContent {
        await show([pointer], by: device, slice: Self.timing.attachmentSlice)
    }

    /// The content handler's argument, returned after the fetching has ended too, if it ever began.
    private func show(
        _ pointers: [AttachmentPointer],
        by device: FetchingExtension,
        slice: Duration,
        clock: any Clock<Duration> = ContinuousClock(),
        preview: PreviewLevel = .nameAndText,
        end: (stream: AsyncStream<Void>, continuation: AsyncStream<Void>.Continuation)? = nil
    ) async -> NotificationContent {
        let (released, continuation) = AsyncStream<Void>.makeStream()
        let shown = await answer(
            pointers,
            fetcher: AwaitedFetcher(device.fetcher, end: continuation),
            slice: slice,
            clock: clock,
            preview: preview,
            end: end
        )
        for await _ in released {}
        return shown
    }

    private func answer(
        _ pointers: [AttachmentPointer],
        fetcher: AwaitedFetcher,
        slice: Duration,
        clock: any Clock<Duration>,
        preview: PreviewLevel,
        end: (stream: AsyncStream<Void>, continuation: AsyncStream<Void>.Continuation)?
    ) async -> NotificationContent {
        let texts = FailureTexts(title: "Acme Chat", newMessage: "You have a new message")
        let content = NotificationContent(
            OpenedPush(outcome: .opened(FetchingExtension.message(pointers)), claim: nil),
            display: DisplayPolicy(texts: texts),
            trace: nil,
            sources: ContentSources(preview: preview)
        )
        var settings = ExtensionCore.Settings(attachments: fetcher)
        settings.timing = DeliveryTiming(deadline: .seconds(25), attachmentSlice: slice)
        var surroundings = DeliverySurroundings.ofThisDevice
        surroundings.clock = clock
        // The process's own threads may be held by a test whose disk hangs, until this one's time is over.
        let threads = WorkerThreads()
        surroundings.runOnThread = { threads.run($0) }
        let core = ExtensionCore(
            steps: DeliverySteps(neutralContent: content, open: { _ in content }, remember: { _ in }, count: { _ in }),
            reports: [],
            settings: settings,
            surroundings: surroundings
        )
        async let expiry: Void = {
            guard let end else { return }
            for await _ in end.stream {}
            core.timeWillExpire()
        }()
        let shown = await withCheckedContinuation { continuation in
            let answer = OneAnswer(continuation)
            core.receive(userInfo: [:], requestID: "1") { answer.give($0) }
        }
        // The expiry must not wait for an event that may not come.
        end?.continuation.finish()
        await expiry
        return shown
    }
}

/// A clock that stands still: only cancellation wakes a sleeper.
private struct StoppedClock: Clock {
    struct Instant: InstantProtocol {
        private var offset = Duration.zero

        func advanced(by duration: Duration) -> Instant {
            var later = self
            later.offset += duration
            return later
        }

        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (first: Instant, second: Instant) -> Bool { first.offset < second.offset }
    }

    var now: Instant { Instant() }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let never = AsyncStream<Void>.makeStream()
        for await _ in never.stream {}
        never.continuation.finish()
        throw CancellationError()
    }
}

/// A fetcher whose end can be awaited: that of its fetching, or of every caller that could begin it.
private final class AwaitedFetcher: AttachmentFetcher {
    private let fetcher: EncryptedAttachmentFetcher
    private let end: AsyncStream<Void>.Continuation

    init(_ fetcher: EncryptedAttachmentFetcher, end: AsyncStream<Void>.Continuation) {
        self.fetcher = fetcher
        self.end = end
    }

    deinit { end.finish() }

    func hasAttachments(_ message: OpenedMessage) -> Bool { fetcher.hasAttachments(message) }

    func fetch(
        for message: OpenedMessage,
        within budget: Duration,
        deliver: @escaping @Sendable (FetchedAttachments) -> Bool
    ) async {
        await fetcher.fetch(for: message, within: budget, deliver: deliver)
        end.finish()
    }
}

/// The handler is called once, or the continuation traps.
private struct OneAnswer: Sendable {
    private let continuation: CheckedContinuation<NotificationContent, Never>
    init(_ continuation: CheckedContinuation<NotificationContent, Never>) { self.continuation = continuation }
    func give(_ content: NotificationContent) { continuation.resume(returning: content) }
}
