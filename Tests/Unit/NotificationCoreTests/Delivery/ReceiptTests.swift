import Envelope
import Keys
import Opening
import Platform
import Primitives
import TestSupport
import Testing

@testable import NotificationCore

/// Receipts (protocol v1, rule 37), step by step.
struct ReceiptTests {
    private let folder: TemporaryFolder
    private let reports: RelayReports
    private let stepper = Stepper()
    private let relay = RecordingRelay()
    private static let capability = ReceiptCapability(rawRepresentation: [UInt8](repeating: 7, count: 16))

    init() throws {
        folder = try TemporaryFolder()
        reports = RelayReports(
            receipts: ReceiptSpool(path: folder.path("receipts")),
            markers: ResendMarkers(path: folder.path("markers"))
        ) { true }
    }

    private var spool: ReceiptSpool { reports.receipts }

    private func receipt(_ number: UInt8) throws -> DeliveryReceipt {
        let capability = ReceiptCapability(rawRepresentation: [UInt8](repeating: number, count: 16))
        return DeliveryReceipt(capability: try #require(capability))
    }

    private func message(_ capability: ReceiptCapability? = Self.capability) -> Message {
        var message = Message(body: "text")
        message.receipt = capability
        return message
    }

    private func core(
        _ script: Script,
        keepsReceipts: Bool = true,
        sends: Bool = true,
        randomNumber: UInt64 = 0,
        attachments: ScriptedFetcher? = nil
    ) -> ExtensionCore {
        var settings = ExtensionCore.Settings(attachments: attachments)
        settings.keepsReceipts = keepsReceipts
        settings.relay = sends ? relay : nil
        return ExtensionCore(
            steps: script.steps(),
            reports: [reports],
            settings: settings,
            surroundings: stepper.surroundings(randomNumber: randomNumber)
        )
    }

    private func receive(_ core: ExtensionCore, _ script: Script) {
        core.receive(userInfo: [:], requestID: "1") { content in
            // Durable before the answer, sent after it.
            if let receipt = content.receipt, !core.receipts.isEmpty {
                #expect((try? spool.all())?.contains(receipt) == true)
            }
            #expect(!relay.receipts.contains { $0 == content.receipt })
            script.answer(content)
        }
    }

    private func runJobs() { while stepper.jobCount > 0 { stepper.run(0) } }

    @Test func `a receipt is kept, sent and gone`() throws {
        let script = try Script(message())
        receive(core(script), script)
        stepper.runToTheEnd()
        #expect(try relay.receipts == [receipt(7)])
        #expect(try spool.all().isEmpty)
    }

    @Test func `a receipt is sent after the delay that was drawn, which delays no answer`() throws {
        let script = try Script(message())
        receive(core(script, randomNumber: 1_500), script)
        runJobs()
        #expect(script.answers.count == 1)
        #expect(try spool.all() == [receipt(7)])
        #expect(relay.receipts.isEmpty)
        stepper.runToTheEnd()
        #expect(try relay.receipts == [receipt(7)])
        #expect(stepper.clock.now.offset >= .milliseconds(1_500))
    }

    @Test func `no delay is longer than two seconds`() throws {
        let script = try Script(message())
        receive(core(script, randomNumber: .max), script)
        runJobs()
        var waited = Duration.zero
        while relay.receipts.isEmpty, stepper.clock.wakeNext() {
            waited = stepper.clock.now.offset
            runJobs()
        }
        #expect(try relay.receipts == [receipt(7)] && waited <= .seconds(2))
    }

    @Test func `receipts are off until the app turns them on`() throws {
        let script = try Script(message())
        receive(core(script, keepsReceipts: ExtensionCore.Settings().keepsReceipts), script)
        stepper.runToTheEnd()
        #expect(try spool.all().isEmpty && relay.receipts.isEmpty)
    }

    @Test func `an extension without a relay leaves receipts to the app`() throws {
        let script = try Script(message())
        receive(core(script, sends: false), script)
        stepper.runToTheEnd()
        #expect(try spool.all() == [receipt(7)])
    }

    @Test func `a message that asks for no receipt gets none`() throws {
        let script = try Script()
        receive(core(script), script)
        stepper.runToTheEnd()
        #expect(relay.receipts.isEmpty && relay.callCount == 0)
    }

    @Test func `a receipt that could not be sent goes with the next push`() throws {
        relay.fail(true)
        let script = try Script(message())
        let core = core(script)
        receive(core, script)
        stepper.runToTheEnd()
        #expect(try spool.all() == [receipt(7)])
        relay.fail(false)
        receive(core, try Script())
        stepper.runToTheEnd()
        #expect(try relay.receipts == [receipt(7)] && spool.all().isEmpty)
    }

    @Test func `what an earlier process left goes with the first push of the next`() throws {
        try add(receipt(9))
        let script = try Script()
        receive(core(script), script)
        stepper.runToTheEnd()
        #expect(try relay.receipts == [receipt(9)] && spool.all().isEmpty)
    }

    @Test func `a receipt that the app sent meanwhile is not sent again`() throws {
        let script = try Script(message())
        receive(core(script, randomNumber: 2_000), script)
        runJobs()
        try spool.remove([receipt(7)])
        stepper.runToTheEnd()
        #expect(relay.receipts.isEmpty)
    }

    @Test func `the receipt of a push that waits for its attachments is not sent with another's`() throws {
        let slow = try Script(message())
        let fetcher = ScriptedFetcher(count: 1, pause: .seconds(6), clock: stepper.clock)
        let core = core(slow, attachments: fetcher)
        try add(receipt(9))
        receive(core, slow)
        runJobs()
        #expect(try Set(spool.all()) == [receipt(7), receipt(9)] && slow.answers.isEmpty)
        // A push that cannot be opened in time is answered at once, and due reports go with it.
        let activity = core.reportSender?.prepare()
        core.reportSender?.start(activity, releasing: nil)
        runJobs()
        #expect(try relay.receipts == [receipt(9)])
        stepper.runToTheEnd()
        #expect(try relay.receipts == [receipt(9), receipt(7)] && spool.all().isEmpty)
    }

    @Test func `iOS's expiry stops the sending and leaves the receipt to the app`() throws {
        let script = try Script(message())
        let core = core(script, randomNumber: 2_000)
        receive(core, script)
        runJobs()
        core.timeWillExpire()
        stepper.runToTheEnd()
        #expect(relay.receipts.isEmpty)
        #expect(try spool.all() == [receipt(7)])
    }

    @Test func `sending ends five seconds after the answer`() throws {
        relay.hang(on: stepper.clock)
        let script = try Script(message())
        let core = core(script)
        receive(core, script)
        runJobs()
        #expect(script.answers.count == 1)
        stepper.runToTheEnd()
        #expect(stepper.clock.now.offset >= .seconds(5))
        #expect(try spool.all() == [receipt(7)])
        // Another push starts anew.
        relay.hang(on: nil)
        receive(core, try Script())
        stepper.runToTheEnd()
        #expect(try relay.receipts == [receipt(7)])
    }

    @Test func `what opened too late to be shown gets no receipt`() throws {
        let script = try Script(message())
        let core = core(script)
        let late = ExtensionCore(
            steps: script.steps(opening: { core.timeWillExpire() }),
            reports: [reports],
            settings: core.settings,
            surroundings: stepper.surroundings()
        )
        receive(late, script)
        late.timeWillExpire()
        stepper.runToTheEnd()
        #expect(script.entries.contains(.counted(.notOpenedInTime)))
        #expect(try spool.all().isEmpty && relay.receipts.isEmpty)
    }

    @Test func `time that ends while a message is opened takes its receipt back`() throws {
        let script = try Script(message())
        let box = Guarded<ExtensionCore?>(nil)
        let core = ExtensionCore(
            steps: script.steps(opening: { box.withLock { $0 }?.timeWillExpire() }),
            reports: [reports],
            settings: core(script).settings,
            surroundings: stepper.surroundings()
        )
        box.withLock { $0 = core }
        // The core holds the box, by its steps.
        defer { box.withLock { $0 = nil } }
        receive(core, script)
        stepper.runToTheEnd()
        #expect(script.entries.contains(.counted(.notOpenedInTime)))
        #expect(try spool.all().isEmpty && relay.receipts.isEmpty)
    }

    @Test func `strangers and failures get no receipt, whatever their message asks for`() throws {
        for phone in [try Phone(seed: 1, trustsSender: false), try Phone(seed: 2, installsKeys: false)] {
            let content = phone.pipeline.content(userInfo: try phone.push(message()), now: Phone.start)
            #expect(content.receipt == nil)
        }
        let phone = try Phone(seed: 3)
        let push = try phone.push(message())
        #expect(phone.pipeline.content(userInfo: push, now: Phone.start).receipt != nil)
        // A replay is no second arrival either.
        #expect(phone.pipeline.content(userInfo: push, now: Phone.start).receipt == nil)
    }
}

// The spool, and the app's side of it.
extension ReceiptTests {
    private func add(_ receipt: DeliveryReceipt) throws {
        try spool.add(receipt, now: Phone.start)
    }

    @Test func `the same receipt is kept once`() throws {
        try add(receipt(1))
        try add(receipt(1))
        #expect(try spool.all() == [receipt(1)])
    }

    @Test func `sent receipts go and the others stay`() throws {
        for number: UInt8 in 1...3 { try add(receipt(number)) }
        try spool.remove([receipt(2)])
        #expect(try Set(spool.all()) == [receipt(1), receipt(3)])
    }

    @Test(arguments: [
        [], [1], [UInt8](repeating: 1, count: 17), [UInt8](repeating: 1, count: 19),
        [2, 1] + [UInt8](repeating: 1, count: 16), [1, 0] + [UInt8](repeating: 1, count: 16),
    ])
    func `bytes that are no receipt are none`(_ bytes: [UInt8]) {
        #expect(DeliveryReceipt(bytes: bytes) == nil)
    }

    @Test func `a damaged receipt is dropped, and hides no other`() throws {
        try add(receipt(1))
        let path = folder.path("receipts")
        var image = try WholeFile.read(path, byteCountMax: 1 << 16)
        // In the first place, behind 256 heads.
        image[256 * 32] ^= 1
        try WholeFile.write(image, to: path, access: .ownerOnly)
        try add(receipt(2))
        #expect(try spool.all() == [receipt(2)])
    }

    @Test func `a receipt says nothing of its capability where it is printed`() throws {
        let text = "\(try receipt(7)) \(String(reflecting: try receipt(7)))"
        let secret = try receipt(7).capability.text
        #expect(!text.contains("7") && !text.contains(secret))
    }

    @Test(arguments: [true, false])
    func `the app that opens a spooled message keeps its receipt if it wants to, and sends it`(
        _ keepsReceipts: Bool
    ) async throws {
        let handset = try Handset(seed: 8, keepsReceipts: keepsReceipts)
        let device = try handset.launch()
        let push = try handset.push(message(), to: device)
        handset.lock.set(.beforeFirstUnlock)
        #expect(handset.show(push).outcome == .locked)
        handset.lock.set(.unlocked)
        try await device.report(to: relay)
        #expect(relay.callCount == 0)
        #expect(try device.openSpooled(now: handset.now).map(\.body) == ["text"])
        relay.fail(true)
        let isRefused = await refuses { try await device.report(to: relay) }
        #expect(isRefused == keepsReceipts)
        relay.fail(false)
        try await device.report(to: relay)
        #expect(try relay.receipts == (keepsReceipts ? [receipt(7)] : []))
        try await device.report(to: relay)
        #expect(relay.receipts.count <= 1)
    }
}
