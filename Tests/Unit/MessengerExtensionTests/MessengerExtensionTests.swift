import MessengerStyles
import Testing
import UserNotifications

@testable import ExtensionHarness

/// Extensions in the styles of messengers, in their own processes: on time, late, out of memory, twice and at once.
struct MessengerExtensionTests {
    private static let arrival = Date(timeIntervalSince1970: 1_800_000_000)

    private static func device(_ style: MessengerStyle) -> Device {
        var program = ExtensionProgram.built("MessengerExtensionHost")
        program.arguments = [style.rawValue]
        return Device(
            process: program,
            .init().with {
                $0.entitlements = [.filtering, .communication]
                $0.date = arrival
            }
        )
    }

    private static func push(
        _ style: MessengerStyle,
        _ behavior: MessengerServer.Behavior = .prompt,
        identifier: String = "p"
    ) throws -> SimulatedPush {
        let json = #"{"aps":{"alert":"New message","mutable-content":1},\#(style.members(behavior))}"#
        return try SimulatedPush(payload: json.utf8, identifier: identifier)
    }

    @Test func `Signal's style posts each message in order and sets the badge in silence`() async throws {
        let device = Self.device(.signal)
        let shown = await device.deliver(try Self.push(.signal))
        #expect(shown.why == .suppressed && shown.presentation.place == .nowhere(.suppressed), "\(shown)")
        #expect(device.posted.map(\.body) == ["Lunch?", "@you Look!"] && device.badge == 2)
        #expect(device.screen.map(\.identifier) == ["m2", "m1"] && device.posted.allSatisfy { $0.why == .posted })
        // By the device's date, not by the machine's.
        #expect(device.posted.allSatisfy { (0..<600).contains($0.date.timeIntervalSince(Self.arrival)) })
        #expect(device.posted.map(\.communication?.groupName) == [nil, "Compilers"])
        #expect(device.posted.map(\.communication?.mentionsCurrentUser) == [false, true])
        #expect(device.posted[0].sound == .default && device.posted[0].presentation.sound == .plays(.default))
    }

    @Test func `Element X's style shows sender, room, picture and mention, and donates no text`() async throws {
        let device = Self.device(.elementX)
        let shown = await device.deliver(try Self.push(.elementX))
        #expect(shown.why == .answered && shown.title == "Ada" && shown.subtitle == "Compilers", "\(shown)")
        #expect(shown.body == "It runs" && shown.sound?.name == "message.caf")
        let communication = try #require(shown.communication)
        #expect(communication.senderName == "Ada" && communication.groupName == "Compilers")
        #expect(communication.mentionsCurrentUser && communication.senderPicture == nil)
        guard case .data(let picture) = communication.groupPicture else {
            Issue.record("\(communication)")
            return
        }
        #expect(picture.starts(with: [0x89, 0x50]))
        #expect(device.donations.map(\.groupName) == ["Compilers"] && device.donations.allSatisfy { $0.text == nil })
    }

    @Test func `without the entitlement a communication notification is an ordinary one`() async throws {
        let device = Self.device(.elementX)
        device.conditions.entitlements = []
        let shown = await device.deliver(try Self.push(.elementX))
        #expect(shown.why == .answered && shown.title == "Ada" && shown.communication == nil)
    }

    @Test func `Session's style sets the badge by a silent answer`() async throws {
        let groups = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        let folder = groups.appendingPathComponent("group.org.example.session-style")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: groups) }
        let device = Self.device(.session)
        device.conditions.appGroups = groups
        let shown = await device.deliver(try Self.push(.session))
        #expect(shown.why == .answered && shown.body == "Hello" && device.badge == 1, "\(shown)")
        _ = await device.deliver(try Self.push(.session, identifier: "q"))
        #expect(device.badge == 2)
        // Read on another device.
        try FileManager.default.removeItem(at: folder.appendingPathComponent("unread-p"))
        let control = Data(#"{"type":"control"}"#.utf8).base64EncodedString()
        let silent = try await device.deliver(
            #"{"aps":{"alert":"New message","mutable-content":1},"spns_payload":"\#(control)"}"#
        )
        #expect(silent.why == .suppressed && device.badge == 1 && device.screen.count == 2)
    }

    @Test func `Mastodon's style shows the avatar`() async throws {
        let device = Self.device(.mastodon)
        let shown = await device.deliver(try Self.push(.mastodon))
        #expect(shown.why == .answered && shown.title == "Ada" && shown.body == "followed you", "\(shown)")
        #expect(shown.attachments.map(\.type) == ["public.png"] && shown.userInfo == ["id": .integer(7)])
    }

    @Test func `Home Assistant's style shows several attachments in order, and its own actions`() async throws {
        let device = Self.device(.homeAssistant)
        let shown = await device.deliver(try Self.push(.homeAssistant))
        #expect(shown.why == .answered, "\(shown)")
        #expect(shown.attachments.map(\.type) == ["public.png", "public.jpeg", "com.microsoft.waveform-audio"])
        #expect(shown.attachments.map(\.identifier) == ["0", "1", "2"])
        #expect(device.actions(of: shown) == ["Open", "Say"])
    }

    @Test(arguments: MessengerStyle.allCases)
    func `an extension whose server never answers shows what it has when its time is over`(_ style: MessengerStyle)
        async throws
    {
        let device = Self.device(style)
        // Long enough for a process on a busy machine to be called.
        device.conditions.limits = Device.Limits(time: .seconds(5), grace: .seconds(60))
        let shown = await device.deliver(try Self.push(style, .stalled))
        switch style {
        case .signal:
            #expect(shown.why == .suppressed, "\(shown)")
            #expect(device.screen.map(\.body) == ["You may have new messages"])
        case .elementX: #expect(shown.why == .expired && shown.body == "Notification", "\(shown)")
        case .session: #expect(shown.why == .expired && shown.body == "You've got a new message", "\(shown)")
        case .mastodon:
            #expect(shown.why == .expired && shown.title == "Ada" && shown.attachments.isEmpty, "\(shown)")
        case .homeAssistant:
            #expect(shown.why == .expired && shown.body == "New message" && shown.attachments.isEmpty, "\(shown)")
            #expect(device.actions(of: shown) == ["Open", "Say"])
        }
        #expect(shown.handlerCallCount == 1)
    }

    @Test(.disabled(if: Sanitizer.isPresent, "no limit then"), arguments: MessengerStyle.allCases)
    func `an extension that loads 64 MB into memory is ended, and the original shown`(_ style: MessengerStyle)
        async throws
    {
        let device = Self.device(style)
        let shown = await device.deliver(try Self.push(style, .huge))
        guard case .ended(.killedForMemory) = shown.why else {
            Issue.record("\(shown)")
            return
        }
        #expect(shown.body == "New message" && device.posted.isEmpty && device.screen.map(\.identifier) == ["p"])
    }

    @Test(arguments: MessengerStyle.allCases, [Device.Repetition.twice, .twiceAtOnce])
    func `an extension that gets a push twice shows it once`(_ style: MessengerStyle, _ repetition: Device.Repetition)
        async throws
    {
        let device = Self.device(style)
        device.conditions.repetition = repetition
        let shown = await device.deliver(try Self.push(style))
        let first = try #require(shown.repeated.first)
        #expect(first.why == shown.why && first.body == shown.body && first.title == shown.title)
        switch style {
        case .signal:
            #expect(Set(device.screen.map(\.identifier)) == ["m1", "m2"] && device.screen.count == 2)
            #expect(device.posted.count == 4 && device.badge == 2)
        default: #expect(device.screen.map(\.identifier) == ["p"] && shown.why == .answered, "\(shown)")
        }
    }

    @Test(arguments: MessengerStyle.allCases)
    func `an extension that gets three pushes at once shows each`(_ style: MessengerStyle) async throws {
        let device = Self.device(style)
        let shown = await device.deliver(atOnce: try ["a", "b", "c"].map { try Self.push(style, identifier: $0) })
        #expect(shown.map(\.identifier) == ["a", "b", "c"])
        #expect(shown.allSatisfy { $0.why == (style == .signal ? .suppressed : .answered) }, "\(shown)")
        #expect(Set(device.screen.map(\.identifier)) == (style == .signal ? ["m1", "m2"] : ["a", "b", "c"]))
    }
}
