import Platform
import Testing
import UserNotifications

@testable import ExtensionHarness

struct DeviceStateTests {
    @Test(arguments: Device.Lock.allCases)
    func `the extension finds the device's lock`(_ lock: Device.Lock) async throws {
        let found = try await found(on: .init().with { $0.lock = lock }) { "\($0.conditions.lock)" }
        #expect(found == "\(lock)")
    }

    @Test(arguments: Device.Storage.allCases)
    func `the extension finds the device's storage`(_ storage: Device.Storage) async throws {
        let found = try await found(on: .init().with { $0.storage = storage }) { "\($0.conditions.storage)" }
        #expect(found == "\(storage)")
    }

    @Test(arguments: [(1_700_000_000.25, "1700000000250"), (-1, "0"), (1e300, "\(UInt64.max)")])
    func `the extension finds the device's date`(_ seconds: Double, _ milliseconds: String) async throws {
        let conditions = Device.Conditions().with { $0.date = Date(timeIntervalSince1970: seconds) }
        #expect(try await found(on: conditions) { "\($0.millisecondsSince1970)" } == milliseconds)
    }

    @Test func `the extension finds the device's app groups`() async throws {
        let conditions = Device.Conditions().with { $0.appGroups = URL(fileURLWithPath: "/", isDirectory: true) }
        let shown = try await Device(conditions) {
            ScriptedExtension { _, handler in
                let url = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: "usr")
                handler(content(body: url?.path ?? "none"))
            }
        }.deliver(mutablePush)
        #expect(shown.body == "/usr")
    }

    @Test func `the device's date goes on with its clock, and jumps without it`() async throws {
        let conditions = Device.Conditions().with {
            $0.date = Date(timeIntervalSince1970: 1_000)
            $0.changes = [
                .init(after: .seconds(5), .dateJumps(by: .seconds(-100))), .init(after: .seconds(2), .lock(.locked)),
            ]
        }
        let device = Device(conditions) {
            ScriptedExtension { _, handler in
                let handler = Handler(call: handler)
                Task {
                    let clock = DeviceRules.clock
                    try? await clock.sleep(for: .seconds(10))
                    let device = SimulatedDevice.current
                    handler.call(
                        content(
                            title: device.map { "\($0.millisecondsSince1970)" } ?? "",
                            body: device.map { "\($0.conditions.lock)" } ?? ""
                        )
                    )
                }
            }
        }
        let shown = try await device.deliver(mutablePush)
        #expect(shown.title == "910000" && shown.body == "locked")
    }

    @Test func `a fresh process has a new object for each push, a reused one the same`() async throws {
        for (use, count) in [(Device.ProcessUse.fresh, 3), (.reused, 1)] {
            let madeCount = Guarded(0)
            let device = Device(.init().with { $0.process = use }) {
                madeCount.withLock { $0 += 1 }
                return ScriptedExtension { $1($0.content) }
            }
            for _ in 0..<3 { #expect(try await device.deliver(mutablePush).why == .answered) }
            #expect(madeCount.withLock { $0 } == count)
        }
    }

    @Test(arguments: [Device.Repetition.twice, .twiceAtOnce])
    func `a push that reaches the extension twice is listed once`(_ repetition: Device.Repetition) async throws {
        let callCount = Guarded(0)
        let device = Device(.init().with { $0.repetition = repetition }) {
            ScriptedExtension { request, handler in
                callCount.withLock { $0 += 1 }
                handler(request.content)
            }
        }
        let shown = try await device.deliver(mutablePush)
        #expect(callCount.withLock { $0 } == 2 && shown.repeated.count == 1 && device.screen.count == 1)
        #expect(shown.repeated.first?.identifier == shown.identifier)
    }

    private func found(
        on conditions: Device.Conditions,
        _ find: @escaping @Sendable (SimulatedDevice) -> String
    ) async throws -> String {
        let device = Device(conditions) {
            ScriptedExtension { _, handler in
                handler(content(body: SimulatedDevice.current.map(find) ?? "no device"))
            }
        }
        return try await device.deliver(mutablePush).body
    }
}
