import TestSupport
import Testing
import UserNotifications

@testable import ExtensionHarness

/// A sound extension, in processes of its own.
struct ProcessHostTests {
    private let place = SharedPlace()

    @Test func `a fresh process serves each push, and a reused one serves them all`() async throws {
        let device = device()
        let fresh = try await [device.deliver(mutablePush), device.deliver(mutablePush)]
        #expect(fresh[0].userInfo["process"] != fresh[1].userInfo["process"])
        #expect(fresh.allSatisfy { $0.userInfo["push"] == .integer(1) })

        device.conditions.process = .reused
        let reused = try await [device.deliver(mutablePush), device.deliver(mutablePush)]
        #expect(reused[0].userInfo["process"] == reused[1].userInfo["process"])
        #expect(reused[0].userInfo["object"] == reused[1].userInfo["object"])
        #expect(reused.map { $0.userInfo["push"] } == [.integer(1), .integer(2)])
    }

    @Test func `pushes at the same time go into one process`() async throws {
        let device = device()
        device.conditions.process = .reused
        let pushes = try (0..<20).map { _ in try SimulatedPush(payload: mutablePush) }
        let shown = await device.deliver(atOnce: pushes)
        #expect(shown.allSatisfy { $0.why == .answered && $0.ending == .returned })
        #expect(Set(shown.compactMap { $0.userInfo["push"]?.number }) == Set((1...20).map(Double.init)))
        #expect(Set(shown.compactMap { $0.userInfo["process"]?.number }).count == 1)
    }

    @Test func `a process that crashed is followed by a new one`() async throws {
        let device = Device(process: .broken("trap"))
        device.conditions.process = .reused
        for _ in 0..<2 { #expect(try await device.deliver(mutablePush).ending?.isTermination == true) }
    }

    @Test(arguments: Device.Lock.allCases)
    func `the process finds the device as it is`(_ lock: Device.Lock) async throws {
        let device = device()
        device.conditions.lock = lock
        device.conditions.storage = .full
        device.conditions.date = Date(timeIntervalSince1970: 1_000_000)
        let shown = try await device.deliver(mutablePush)
        #expect(shown.userInfo["lock"] == .string("\(lock)") && shown.userInfo["storage"] == .string("full"))
        #expect((1_000_000_000..<1_000_600_000).contains(shown.userInfo["date"]?.number ?? 0))
    }

    @Test func `the process has a folder of its own, and no descriptor of the test's`() async throws {
        let device = device()
        let shown = try await device.deliver(mutablePush)
        let folder = try #require(shown.userInfo["folder"]?.string)
        #expect(shown.userInfo["temporary"]?.string == folder && folder != FileManager.default.currentDirectoryPath)
        #expect(shown.userInfo["descriptors"] == .array([0, 1, 2, 3].map { .integer($0) }))
    }

    @Test func `the process finds what the screen lists, and takes from it`() async throws {
        let device = device()
        for identifier in ["to be removed", "to stay"] {
            let json = #"{"aps":{"alert":"\#(identifier)"}}"#
            _ = await device.deliver(try SimulatedPush(payload: json.utf8, identifier: identifier))
        }
        let shown = await device.deliver(try SimulatedPush(payload: mutablePush, identifier: "new"))
        #expect(shown.userInfo["listed"] == .array([.string(""), .string("")]))
        #expect(device.screen.map(\.identifier) == ["new", "to stay"])
    }

    @Test func `the peak of its memory is told`() async throws {
        let shown = try await device().deliver(mutablePush)
        #expect(shown.peakMemoryByteCount ?? 0 > 100_000)
        #expect(Sanitizer.isPresent == (shown.memory == .none))
    }

    @Test(.disabled(if: Sanitizer.isPresent, "no limit then"))
    func `the kernel limits the memory where a control group was delegated, and else it is looked at`() async throws {
        let isDelegated = MemoryGroup(byteCountMax: 24 << 20) != nil
        let shown = try await device().deliver(mutablePush)
        #expect(shown.memory == (isDelegated ? .controlGroup : .polled(every: .milliseconds(5))))
    }

    @Test func `a scaled device ends an extension sooner`() async throws {
        let device = Device(process: .broken("handlerNever"))
        device.conditions.timekeeping = .scaled(by: 100)
        let shown = try await device.deliver(mutablePush)
        #expect(shown.why == .timedOut && shown.time == .scaled(by: 100))
    }

    @Test func `a device in a hurry ends an extension that does not answer`() async throws {
        let device = Device(process: .broken("handlerNever"))
        device.conditions.limits.grace = .zero
        let delivery = Task { try await device.deliver(mutablePush) }
        delivery.cancel()
        #expect(try await delivery.value.why == .timedOut)
    }

    @Test func `a program started by hand says what it is`() async throws {
        let program = ExtensionProgram.broken("none").path
        let process = try LineProcess(program, ["none"], speaksOfErrors: true)
        let text = process.rest()
        #expect(process.wait() == 2 && text.contains("a Device of ExtensionHarness starts it"))
    }

    private func device() -> Device {
        let device = Device(process: .broken("none"))
        device.conditions.appGroups = place.url
        // Longer than any machine stands still.
        device.conditions.limits.time = .seconds(600)
        return device
    }
}
