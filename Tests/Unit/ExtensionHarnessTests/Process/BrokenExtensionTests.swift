import Testing
import UserNotifications

@testable import ExtensionHarness

/// Extensions that break one of iOS's rules each, in their own processes, and the device's reaction.
struct BrokenExtensionTests {
    private let place = SharedPlace()

    @Test func `one without a fault is shown`() async throws {
        let shown = try await shown("none")
        #expect(shown.title == "answered" && shown.why == .answered && shown.ending == .returned)
        #expect(shown.time == .real)
    }

    @Test(arguments: ["handlerTwice", "handlerTwiceFromTwoThreads"])
    func `a second call of the handler ends the process, and the first answer stands`(_ fault: String) async throws {
        let shown = try await shown(fault)
        #expect(shown.ending == .terminatedForSecondAnswer && shown.terminatesExtension)
        #expect(shown.why == .answered && ["first", "either"].contains(shown.title))
    }

    @Test(arguments: ["handlerNever", "handlerTooLate", "blocksForever"])
    func `one that does not answer in time is ended, and the original shown`(_ fault: String) async throws {
        let shown = try await shown(fault) { $0.limits = Device.Limits(time: .milliseconds(200), grace: .zero) }
        #expect(shown.why == .timedOut && shown.ending == .timedOut && shown.title == "T")
    }

    @Test func `one that answers and then keeps its thread is suspended all the same`() async throws {
        let shown = try await shown("blocksAfterAnswering")
        #expect(shown.why == .answered && shown.ending == .returned)
    }

    @Test(.disabled(if: Sanitizer.isPresent, "no limit then"), arguments: ["memoryBurst", "memoryLeak"])
    func `one that takes too much memory is ended without a word`(_ fault: String) async throws {
        let shown = try await shown(fault)
        guard case .killedForMemory(let peakByteCount) = shown.ending else {
            Issue.record("\(shown)")
            return
        }
        #expect(shown.why == .ended(.killedForMemory(peakByteCount: peakByteCount)) && shown.title == "T")
        #expect(peakByteCount >= Device.MemoryLimit.current.byteCount && shown.handlerCallCount == 0)
    }

    @Test(arguments: ["flockHeld", "recordLockHeld"])
    func `one that keeps a lock on a shared file is ended when it is suspended`(_ fault: String) async throws {
        let shown = try await shown(fault)
        #expect(shown.ending == .killedHoldingLock && shown.why == .answered && shown.title == "answered")
    }

    @Test func `one that gives the placeholder back is shown for what it is`() async throws {
        let shown = try await shown("placeholderKept")
        #expect(shown.why == .answered && shown.keepsPlaceholder)
        #expect(try await self.shown("none").keepsPlaceholder == false)
    }

    @Test func `one that answers without text does not change the original`() async throws {
        #expect(try await shown("emptyContent").why == .emptyAnswer)
    }

    @Test(arguments: [("trap", [SIGILL, SIGTRAP]), ("badAddress", [SIGSEGV])])
    func `a crash ends the extension and not the test`(_ fault: String, _ signals: [Int32]) async throws {
        let shown = try await shown(fault)
        #expect(signals.map { .ended(.crashed(signal: $0)) }.contains(shown.why), "\(shown)")
        #expect(shown.title == "T")
    }

    @Test func `one that leaves by itself has not answered`() async throws {
        #expect(try await shown("exit").why == .ended(.exited(status: 0)))
    }

    @Test func `a file that it leaves in the shared container is there to be found`() async throws {
        _ = try await shown("filesLeft")
        #expect(try place.names() == ["left"])
    }

    @Test(arguments: ["garbageReported", "lineWithoutEnd", "strangeNumbersReported", "channelClosed"])
    func `one that speaks for its host is ended`(_ fault: String) async throws {
        let shown = try await shown(fault)
        #expect(shown.why == .ended(.hostFailed) && shown.title == "T")
    }

    @Test func `a program that is not there shows the original`() async throws {
        let device = Device(process: .built("no-such-program"))
        #expect(try await device.deliver(mutablePush).why == .ended(.hostFailed))
    }

    @Test func `a program that is no host shows the original`() async throws {
        let shown = try await Device(process: ExtensionProgram(path: "/bin/true")).deliver(mutablePush)
        #expect([.ended(.exited(status: 0)), .ended(.hostFailed)].contains(shown.why), "\(shown)")
    }

    private func shown(
        _ fault: String,
        _ change: (inout Device.Conditions) -> Void = { _ in }
    ) async throws -> ShownNotification {
        var conditions = Device.Conditions()
        conditions.appGroups = place.url
        // Longer than any machine stands still.
        conditions.limits.time = .seconds(600)
        change(&conditions)
        return try await Device(process: .broken(fault), conditions).deliver(mutablePush)
    }
}
