import Testing
import UserNotifications

@testable import ExtensionHarness

/// An extension that waits eight seconds for a picture, on a device with various servers.
struct AttachmentServerTests {
    private static let file = Array("GIF89a and more".utf8)

    @Test func `a prompt server costs no time`() async throws {
        let (body, seconds) = try await fetch(.prompt)
        #expect(body == "15 bytes" && seconds == .zero)
    }

    @Test func `a slow server takes its time, and none of the test's`() async throws {
        let (body, seconds) = try await fetch(.slow(.seconds(7)))
        #expect(body == "15 bytes" && seconds == .seconds(7))
    }

    @Test(arguments: [Device.AttachmentServer.slow(.seconds(9)), .stalled])
    func `a server that is too slow, or never answers, is given up`(_ server: Device.AttachmentServer) async throws {
        let (body, seconds) = try await fetch(server)
        #expect(body == "no picture" && seconds == .seconds(8))
    }

    @Test func `a truncated answer is short`() async throws {
        #expect(try await fetch(.truncated(byteCount: 6)).body == "6 bytes")
    }

    @Test func `a lying server sends something else`() async throws {
        let clock = SimulatedClock()
        #expect(try await Device.AttachmentServer.lying.answer(with: Self.file, on: clock) != Self.file)
    }

    private func fetch(_ server: Device.AttachmentServer) async throws -> (body: String, passed: Duration) {
        let clock = SimulatedClock()
        let device = Device(.init().with { $0.attachmentServer = server }, clock: clock) {
            ScriptedExtension { _, handler in
                let handler = Handler(call: handler)
                Task {
                    let byteCount = await withTaskGroup(of: Int?.self) { group in
                        group.addTask { try? await server.answer(with: Self.file, on: clock).count }
                        group.addTask {
                            try? await clock.sleep(for: .seconds(8))
                            return nil
                        }
                        let first = await group.next()
                        group.cancelAll()
                        return first ?? nil
                    }
                    handler.call(content(body: byteCount.map { "\($0) bytes" } ?? "no picture"))
                }
            }
        }
        let shown = try await device.deliver(mutablePush)
        #expect(shown.why == .answered, "\(shown)")
        return (shown.body, clock.now.offset)
    }
}
