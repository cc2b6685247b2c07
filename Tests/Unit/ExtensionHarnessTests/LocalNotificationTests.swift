import Platform
import Testing
import UserNotifications
import os

@testable import ExtensionHarness

/// Dispatch's objects are safe on any thread.
private struct PressureSource: @unchecked Sendable {
    let source: any DispatchSourceMemoryPressure
}

/// Notifications that an extension posts itself.
struct LocalNotificationTests {
    private static let arrival = Date(timeIntervalSince1970: 1_800_000_000)

    private static func request(
        _ identifier: String,
        _ body: String,
        _ trigger: UNNotificationTrigger? = nil
    ) -> UNNotificationRequest {
        UNNotificationRequest(identifier: identifier, content: content(body: body), trigger: trigger)
    }

    /// Runs `work` in `didReceive` of a device at a date.
    private func device(
        _ conditions: Device.Conditions = .init(),
        _ work: @escaping @Sendable (UNUserNotificationCenter) -> Void
    ) -> Device {
        Device(conditions.with { $0.date = Self.arrival }) {
            ScriptedExtension { request, handler in
                work(.current())
                handler(request.content)
            }
        }
    }

    @Test func `posts are shown in order, before the push, with their own time`() async throws {
        let device = device { center in
            for body in ["1", "2", "3"] { center.add(Self.request(body, body)) }
        }
        let shown = try await device.deliver(mutablePush)
        #expect(shown.why == .answered && shown.body == "B")
        #expect(device.posted.map(\.body) == ["1", "2", "3"] && device.posted.allSatisfy { $0.date == Self.arrival })
        #expect(device.screen.map(\.title) == ["T", "", "", ""] && device.screen.map(\.body) == ["B", "3", "2", "1"])
        #expect("\(device.posted[0])" == "“1”. iOS shows what extension or app posted itself.")
        #expect(!device.posted[0].isOriginal && !device.posted[0].keepsPlaceholder)
    }

    @Test func `a post with a trigger is shown when the device's clock comes to it`() async throws {
        let device = device { center in
            center.add(Self.request("a", "late", UNTimeIntervalNotificationTrigger(timeInterval: 20, repeats: false)))
        }
        _ = try await device.deliver(mutablePush)
        #expect(device.posted.isEmpty && device.screen.map(\.body) == ["B"])
        #expect(device.pending.map(\.date) == [Self.arrival.addingTimeInterval(20)])
        device.clock.advance(by: .seconds(19))
        #expect(device.posted.isEmpty)
        device.clock.advance(by: .seconds(1))
        #expect(device.posted.map(\.date) == [Self.arrival.addingTimeInterval(20)] && device.pending.isEmpty)
        #expect(device.screen.map(\.body) == ["late", "B"])
    }

    @Test func `a repeated one comes again and again, and a leap of a year does not bring half a million`() async throws
    {
        let device = device { center in
            center.add(Self.request("a", "again", UNTimeIntervalNotificationTrigger(timeInterval: 60, repeats: true)))
        }
        _ = try await device.deliver(mutablePush)
        device.clock.advance(by: .seconds(150))
        #expect(device.posted.map { $0.date.timeIntervalSince(Self.arrival) } == [60, 120])
        #expect(device.screen.map(\.body) == ["again", "B"] && device.pending.count == 1)
        device.clock.advance(by: .seconds(365 * 86_400))
        #expect(device.posted.count == 2 + PendingList.repeatCountMax && device.pending.count == 1)
    }

    @Test func `a trigger by calendar comes at its date`() async throws {
        let device = device { center in
            var calendar = Calendar(identifier: .gregorian)
            calendar.timeZone = .gmt
            var components = calendar.dateComponents([.hour, .minute], from: Self.arrival.addingTimeInterval(3_600))
            (components.calendar, components.timeZone) = (calendar, .gmt)
            center.add(Self.request("a", "x", UNCalendarNotificationTrigger(dateMatching: components, repeats: false)))
        }
        _ = try await device.deliver(mutablePush)
        let date = try #require(device.pending.first?.date)
        #expect((3_540...3_600).contains(date.timeIntervalSince(Self.arrival)))
        device.clock.advance(by: .seconds(3_600))
        #expect(device.posted.map(\.date) == [date])
    }

    @Test func `a removed request never comes, and one with its identifier replaces it`() async throws {
        let device = device { center in
            let trigger = UNTimeIntervalNotificationTrigger(timeInterval: 10, repeats: false)
            for name in ["a", "b", "c"] { center.add(Self.request(name, name, trigger)) }
            center.removePendingNotificationRequests(withIdentifiers: ["a"])
            center.add(Self.request("c", "new", trigger))
        }
        _ = try await device.deliver(mutablePush)
        #expect(device.pending.map(\.identifier) == ["b", "c"])
        device.clock.advance(by: .seconds(10))
        #expect(device.posted.map(\.body) == ["b", "new"])
    }

    @Test func `a post in time takes its queued placeholder along`() async throws {
        let device = device { center in
            center.add(Self.request("a", "wait", UNTimeIntervalNotificationTrigger(timeInterval: 25, repeats: false)))
            center.add(Self.request("a", "now"))
        }
        _ = try await device.deliver(mutablePush)
        device.clock.advance(by: .seconds(60))
        #expect(device.posted.map(\.body) == ["now"] && device.pending.isEmpty)
    }

    @Test func `the extension reads back what is pending and delivered, with each trigger`() async throws {
        let device = Device {
            ScriptedExtension { _, handler in
                let handler = Handler(call: handler)
                Task {
                    let center = UNUserNotificationCenter.current()
                    // A refused request is missing from the lists.
                    try? await center.add(Self.request("now", "x"))
                    let trigger = UNTimeIntervalNotificationTrigger(timeInterval: 60, repeats: true)
                    try? await center.add(Self.request("later", "x", trigger))
                    let delivered = await center.deliveredNotifications().map {
                        "\($0.request.identifier) \($0.request.trigger == nil)"
                    }
                    let pending = await center.pendingNotificationRequests().map { request in
                        let trigger = request.trigger as? UNTimeIntervalNotificationTrigger
                        return "\(request.identifier) \(trigger?.timeInterval ?? 0) \(trigger?.repeats ?? false)"
                    }
                    handler.call(content(title: "\(delivered)", body: "\(pending)"))
                }
            }
        }
        let shown = try await device.deliver(mutablePush)
        #expect(shown.title == #"["now true"]"# && shown.body == #"["later 60.0 true"]"#)
    }

    @Test func `what cannot be shown is refused with Apple's error`() async throws {
        let codes = Guarded<[UNError.Code?]>([])
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).png")
        try Data("text".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let device = Device {
            ScriptedExtension { _, handler in
                let handler = Handler(call: handler)
                Task {
                    let corrupt = content(body: "x")
                    // Its type fits; only its bytes do not.
                    corrupt.attachments = [try? UNNotificationAttachment(identifier: "", url: file)].compactMap(\.self)
                    var never = DateComponents()
                    (never.year, never.calendar) = (1999, Calendar(identifier: .gregorian))
                    let requests = [
                        Self.request("a", ""), Self.request("b", "x"),
                        UNNotificationRequest(identifier: "c", content: corrupt, trigger: nil),
                        Self.request("d", "x", UNCalendarNotificationTrigger(dateMatching: never, repeats: false)),
                    ]
                    for request in requests {
                        do {
                            try await UNUserNotificationCenter.current().add(request)
                            codes.withLock { $0.append(nil) }
                        } catch {
                            codes.withLock { $0.append((error as? UNError)?.code) }
                        }
                    }
                    handler.call(content(body: "done"))
                }
            }
        }
        _ = try await device.deliver(mutablePush)
        let expected: [UNError.Code?] = [
            .notificationInvalidNoContent, nil, .attachmentCorrupt, .notificationInvalidNoDate,
        ]
        #expect(codes.withLock { $0 } == expected && device.posted.map(\.identifier) == ["b"])
        await #expect(throws: UNError.self) { try await UNUserNotificationCenter.current().add(Self.request("a", "x")) }
    }

    @Test func `a post that no calendar has room for is not taken from a process`() async throws {
        let conditions = Device.Conditions()
        let screen = Screen(Guarded(conditions), store: AttachmentStore(), clock: SimulatedClock())
        var years = DateComponents()
        years.year = .max
        let strange: [(Date, UNNotificationTrigger?)] = [
            (Date(timeIntervalSince1970: .nan), nil), (Date(timeIntervalSince1970: 1e300), nil),
            (Self.arrival, UNTimeIntervalNotificationTrigger(timeInterval: .infinity, repeats: false)),
            (Self.arrival, UNCalendarNotificationTrigger(dateMatching: years, repeats: true)),
        ]
        for (date, trigger) in strange {
            let local = LocalNotification(Self.request("a", "x", trigger), at: date)
            HostScreenChange.added(local).apply(to: screen)
        }
        #expect(screen.posted.isEmpty && screen.pending.isEmpty)
        HostScreenChange.added(LocalNotification(Self.request("a", "x"), at: Self.arrival)).apply(to: screen)
        #expect(screen.posted.map(\.body) == ["x"])
    }

    @Test func `a post obeys the Focus as a push does`() async throws {
        let device = device(.init().with { $0.focus = .on() }) { $0.add(Self.request("a", "x")) }
        _ = try await device.deliver(mutablePush)
        #expect(device.posted.map(\.presentation.place) == [.list(.focus)])
    }

    @Test func `a category's actions stand below its notification, also in the next run`() async throws {
        let device = device { center in
            let reply = UNTextInputNotificationAction(
                identifier: "r",
                title: "Reply",
                options: [.authenticationRequired],
                textInputButtonTitle: "Send",
                textInputPlaceholder: "…"
            )
            let read = UNNotificationAction(identifier: "d", title: "Mark as read")
            let category = UNNotificationCategory(identifier: "MESSAGE", actions: [reply, read], intentIdentifiers: [])
            center.setNotificationCategories([category])
        }
        let json = #"{"aps":{"alert":"x","category":"MESSAGE","mutable-content":1}}"#
        let shown = try await device.deliver(json)
        #expect(device.actions(of: shown) == ["Reply", "Mark as read"])
        #expect(device.actions(of: try await device.deliver(mutablePush)).isEmpty)
    }

    @Test func `a suppressed answer's badge counts`() async throws {
        let device = Device(.init().with { $0.entitlements = .filtering }) {
            ScriptedExtension { _, handler in
                let silent = UNMutableNotificationContent()
                silent.badge = 5
                handler(silent)
            }
        }
        let shown = try await device.deliver(mutablePush)
        #expect(shown.why == .suppressed && device.badge == 5 && device.screen.isEmpty)
    }

    @Test(.disabled(if: Sanitizer.isPresent, "no limit then"))
    func `a placeholder that was queued before the work is shown after a kill for memory`() async throws {
        var program = ExtensionProgram.built("BrokenExtensions")
        program.arguments = ["noteQueuedThenMemoryBurst"]
        let device = Device(process: program)
        let shown = try await device.deliver(mutablePush)
        guard case .ended(.killedForMemory) = shown.why else {
            Issue.record("\(shown)")
            return
        }
        #expect(device.pending.map(\.identifier) == ["note"])
        device.clock.advance(by: .seconds(25))
        #expect(device.posted.map(\.title) == ["note"] && device.screen.map(\.title) == ["note", "T"])
    }

    @Test func `a device's memory pressure reaches its own extension`() async throws {
        let levels = Guarded<[UInt]>([])
        let makeExtension: @Sendable () -> UNNotificationServiceExtension = {
            ScriptedExtension { _, handler in
                let handler = Handler(call: handler)
                let source = DispatchSource.makeMemoryPressureSource(
                    eventMask: [.warning, .critical],
                    queue: .global()
                )
                let kept = PressureSource(source: source)
                source.setEventHandler {
                    levels.withLock { $0.append(kept.source.data.rawValue) }
                    kept.source.cancel()
                    handler.call(content(body: "short"))
                }
                source.resume()
            }
        }
        let conditions = Device.Conditions().with {
            $0.changes = [
                .init(after: .seconds(1), .memoryPressure(.normal)),
                .init(after: .seconds(2), .memoryPressure(.critical)),
            ]
        }
        let shown = try await Device(conditions, makeExtension: makeExtension).deliver(mutablePush)
        #expect(shown.why == .answered && levels.withLock { $0 } == [4])
    }

    @Test func `the memory that is left is the limit's in the test's process, and none without a device`() async throws
    {
        let device = Device(.init().with { $0.memoryLimit = .small }) {
            ScriptedExtension { $1(content(body: "\(os_proc_available_memory())")) }
        }
        #expect(try await device.deliver(mutablePush).body == "\(12 << 20)")
        #expect(os_proc_available_memory() == 0)
    }
}
