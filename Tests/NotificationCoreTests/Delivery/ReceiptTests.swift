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
    private let spool: ReceiptSpool
    private let stepper = Stepper()
    private let sender = RecordingSender()
    private static let capability = ReceiptCapability(rawRepresentation: [UInt8](repeating: 7, count: 16))

    init() throws {
        folder = try TemporaryFolder()
        spool = ReceiptSpool(folder: folder.path("receipts"))
    }

    private func receipt(_ number: UInt8) throws -> DeliveryReceipt {
        let capability = ReceiptCapability(rawRepresentation: [UInt8](repeating: number, count: 16))
        return DeliveryReceipt(capability: try #require(capability))
    }

    private func message() -> Message {
        var message = Message(body: "text")
        message.receipt = Self.capability
        return message
    }

    private func core(
        _ script: Script,
        _ policy: ReceiptPolicy,
        randomNumber: UInt64 = 0,
        attachments: ScriptedFetcher? = nil
    ) -> ExtensionCore {
        var settings = ExtensionCore.Settings()
        settings.receipts = policy
        settings.attachments = attachments
        return ExtensionCore(
            steps: script.steps(),
            receipts: spool,
            settings: settings,
            surroundings: stepper.surroundings(randomNumber: randomNumber)
        )
    }

    private func receive(_ core: ExtensionCore, _ script: Script) {
        core.receive(userInfo: [:], requestID: "1") { content in
            script.answer(content)
            // Whatever becomes of the receipt, the answer was there first.
            #expect(sender.receipts.isEmpty)
        }
    }

    @Test func `a receipt is kept, sent and gone`() throws {
        let script = try Script(message())
        receive(core(script, .sent(by: sender)), script)
        stepper.runToTheEnd()
        #expect(try sender.receipts == [receipt(7)])
        #expect(try spool.all().isEmpty)
    }

    @Test func `a receipt is kept before it is sent, and sent after the delay that was drawn`() throws {
        let script = try Script(message())
        receive(core(script, .sent(by: sender), randomNumber: 4_000), script)
        while stepper.jobCount > 0 { stepper.run(0) }
        #expect(script.answers.count == 1)
        #expect(try spool.all() == [receipt(7)])
        #expect(sender.receipts.isEmpty)
        stepper.runToTheEnd()
        #expect(try sender.receipts == [receipt(7)])
        #expect(stepper.clock.now.offset >= .seconds(4))
    }

    @Test func `receipts are off until the app turns them on`() throws {
        let script = try Script(message())
        receive(core(script, ExtensionCore.Settings().receipts), script)
        stepper.runToTheEnd()
        #expect(try spool.all().isEmpty)
    }

    @Test func `an extension without a sender leaves receipts to the app`() throws {
        let script = try Script(message())
        receive(core(script, .keptForTheApp), script)
        stepper.runToTheEnd()
        #expect(try spool.all() == [receipt(7)])
    }

    @Test func `a message that asks for no receipt gets none`() throws {
        let script = try Script()
        receive(core(script, .sent(by: sender)), script)
        stepper.runToTheEnd()
        #expect(sender.receipts.isEmpty)
    }

    @Test func `a receipt that could not be sent stays for the app`() throws {
        sender.fail()
        let script = try Script(message())
        receive(core(script, .sent(by: sender)), script)
        stepper.runToTheEnd()
        #expect(try spool.all() == [receipt(7)])
    }

    @Test func `a receipt that the app sent meanwhile is not sent again`() throws {
        let script = try Script(message())
        receive(core(script, .sent(by: sender), randomNumber: 5_000), script)
        while stepper.jobCount > 0 { stepper.run(0) }
        try spool.remove([receipt(7)])
        stepper.runToTheEnd()
        #expect(sender.receipts.isEmpty)
    }

    @Test func `iOS's expiry stops the sending and leaves the receipt to the app`() throws {
        let script = try Script(message())
        let core = core(script, .sent(by: sender), randomNumber: 5_000)
        receive(core, script)
        while stepper.jobCount > 0 { stepper.run(0) }
        core.timeWillExpire()
        stepper.runToTheEnd()
        #expect(sender.receipts.isEmpty)
        #expect(try spool.all() == [receipt(7)])
    }

    @Test func `sending ends with the slice of the attachments`() throws {
        sender.hang(on: stepper.clock)
        let script = try Script(message())
        let fetcher = ScriptedFetcher(count: 1, pause: .seconds(20), clock: stepper.clock)
        receive(core(script, .sent(by: sender), attachments: fetcher), script)
        stepper.runToTheEnd()
        #expect(stepper.clock.now.offset == .seconds(8))
        #expect(try spool.all() == [receipt(7)])
    }

    @Test func `what opened too late to be shown gets no receipt`() throws {
        let script = try Script(message())
        let core = core(script, .sent(by: sender))
        receive(core, script)
        core.timeWillExpire()
        stepper.runToTheEnd()
        #expect(script.entries.contains(.counted(.notOpenedInTime)))
        #expect(try spool.all().isEmpty && sender.receipts.isEmpty)
    }

    @Test func `strangers and failures get no receipt, whatever their message asks for`() throws {
        for phone in [try Phone(seed: 1, trustsSender: false), try Phone(seed: 2, installsKeys: false)] {
            let content = phone.pipeline.content(userInfo: try phone.push(message()), now: Phone.start)
            #expect(content.receipt == nil)
        }
        let phone = try Phone(seed: 3)
        let push = try phone.push(message())
        #expect(phone.pipeline.content(userInfo: push, now: Phone.start).receipt != nil)
        // A replay, too, is no second arrival.
        #expect(phone.pipeline.content(userInfo: push, now: Phone.start).receipt == nil)
    }
}

// The spool, and the app's side of it.
extension ReceiptTests {
    private func add(_ receipt: DeliveryReceipt) throws {
        var random = SeededRandom(seed: UInt64(receipt.capability.rawRepresentation[0]))
        try spool.add(receipt, now: Phone.start, random: &random)
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
        let name = try #require(PrivateFolder.entries(folder.path("receipts"), countMax: 9).first?.name)
        try WholeFile.write([1, 2, 3], to: folder.path("receipts/" + name), access: .ownerOnly)
        try add(receipt(2))
        #expect(try spool.all() == [receipt(2)])
    }

    @Test func `a receipt says nothing of its capability where it is printed`() throws {
        let text = "\(try receipt(7)) \(String(reflecting: try receipt(7)))"
        let secret = try receipt(7).capability.text
        #expect(!text.contains("7") && !text.contains(secret))
    }

    @Test(arguments: [true, false])
    func `the app that opens a spooled message keeps its receipt if it wants to`(_ keepsReceipts: Bool) throws {
        let handset = try Handset(seed: 8, keepsReceipts: keepsReceipts)
        let device = try handset.launch()
        let push = try handset.push(message(), to: device)
        handset.lock.set(.beforeFirstUnlock)
        #expect(handset.show(push).outcome == .locked)
        handset.lock.set(.unlocked)
        #expect(try device.unsentReceipts().isEmpty)
        #expect(try device.openSpooled(now: handset.now).map(\.body) == ["text"])
        let unsent = try device.unsentReceipts()
        #expect(try unsent == (keepsReceipts ? [receipt(7)] : []))
        try device.receiptsSent(unsent)
        #expect(try device.unsentReceipts().isEmpty)
    }
}

private final class RecordingSender: ReceiptSender {
    private struct State: Sendable {
        var receipts: [DeliveryReceipt] = []
        var fails = false
        var clock: StepClock?
    }

    private struct Failure: Error {}

    private let state = Guarded(State())

    var receipts: [DeliveryReceipt] { state.withLock { $0.receipts } }

    func fail() { state.withLock { $0.fails = true } }
    func hang(on clock: StepClock) { state.withLock { $0.clock = clock } }

    func send(_ receipts: [DeliveryReceipt]) async throws {
        if let clock = state.withLock({ $0.clock }) { try await clock.sleep(for: .seconds(3_600)) }
        try state.withLock { state in
            if state.fails { throw Failure() }
            state.receipts += receipts
        }
    }
}
