import Foundation
import Platform
import TestSupport
import Testing

@testable import Bench
@testable import ExtensionHarness
@testable import NotificationServiceExtension

/// The harness's own timekeeping on a machine whose processors are taken.
struct BusyMachineTests {
    @Test(arguments: [20_000, 8_000_000])
    func `a machine with other work drops no attachment`(_ byteCount: Int) async throws {
        let folder = try TemporaryFolder()
        let phone = try ScheduledPhone(folder: folder.path("phone"), pictureByteCount: byteCount)
        let load = Load(threadCount: 8)
        defer { load.end() }
        for number in 0..<UInt64(4) {
            let device = Device(phone.conditions) { PrincipalClass.make() }
            let push = try phone.pushes(number: number)[0]
            let shown = await device.deliver(push.push)
            #expect(shown.body == push.text, "\(shown)")
            // The thumbnail has given way to the picture.
            #expect(shown.attachments.map(\.identifier) == Array(push.attachmentIDs.suffix(1)), "\(shown)")
        }
    }
}

/// Threads that spin until the end.
private final class Load: Sendable {
    private let hasEnded = Guarded(false)

    init(threadCount: Int) {
        for _ in 0..<threadCount {
            Thread { [hasEnded] in
                while !hasEnded.withLock({ $0 }) {
                    for _ in 0..<10_000 {}
                }
            }
            .start()
        }
    }

    func end() { hasEnded.withLock { $0 = true } }
}
