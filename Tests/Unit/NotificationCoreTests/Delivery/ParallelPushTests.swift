import Envelope
import Foundation
import Opening
import Platform
import TestSupport
import Testing

@testable import NotificationCore

/// Abuse case 107: one process, many pushes at once, one container.
struct ParallelPushTests {
    @Test func `of 100 pushes at once each handler gets the text of its own, once`() async throws {
        // Again where this machine took longer than a push may: its deadline is real time.
        while try await !run() {}
    }

    /// - Returns: false if it was late; nothing was expected then.
    private func run() async throws -> Bool {
        let phone = try Phone(seed: 107)
        let count = 100
        let pushes = try (0..<count).map { IncomingPush(userInfo: try phone.push(Message(body: "text \($0)"))) }
        var steps = DeliverySteps(pipeline: phone.pipeline, foreground: .show)
        let pipeline = phone.pipeline
        steps.open = { pipeline.content(of: $0, now: Phone.start) }
        let countedCount = Guarded(0)
        let writeCount = steps.count
        steps.count = { kind in
            writeCount(kind)
            countedCount.withLock { $0 += 1 }
        }
        let core = ExtensionCore(
            steps: steps,
            reports: [],
            settings: ExtensionCore.Settings(),
            surroundings: .ofThisDevice
        )
        let shown = Guarded<[Int: [String]]>([:])
        let start = ContinuousClock.now
        await withTaskGroup { group in
            for (number, push) in pushes.enumerated() {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        core.receive(userInfo: push.userInfo, requestID: "\(number)") { content in
                            shown.withLock { $0[number, default: []].append(content.body) }
                            continuation.resume()
                        }
                    }
                }
            }
        }
        guard ContinuousClock.now - start < DeliveryTiming().deadline else { return false }
        let texts = shown.withLock { $0 }
        #expect(texts == Dictionary(uniqueKeysWithValues: (0..<count).map { ($0, ["text \($0)"]) }))
        // All of them are remembered, and counted, as shown.
        let counters = SharedContainer(path: phone.folder.path).outcomeCounters
        while countedCount.withLock({ $0 }) < count { await Task.yield() }
        #expect(try counters.read()[.opened] == count)
        for push in pushes {
            #expect(pipeline.content(of: push, now: Phone.start).outcome == .replay)
        }
        return true
    }
}

extension IncomingPush {
    fileprivate var userInfo: [AnyHashable: Any] {
        var userInfo: [AnyHashable: Any] = [:]
        userInfo[Payload.sealedName] = sealed.text
        userInfo[Payload.traceName] = trace?.text
        return userInfo
    }
}
