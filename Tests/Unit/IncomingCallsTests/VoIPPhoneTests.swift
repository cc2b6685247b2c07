import CallKit
import ExtensionHarness
import Foundation
import Platform
import PushKit
import Testing

@testable import CallKitStyle

/// A phone with other people's apps, some of which break iOS's rules.
struct VoIPPhoneTests {
    private static let id = "6F9619FF-8B86-D011-B42D-00C04FC964FF"
    private static let push = #"{"aps":{},"uuid":"\#(id)","from":"+41 44 1","name":"Ada","video":true}"#

    @Test func `a call that is reported rings, with what the app said of it`() async throws {
        let phone = VoIPPhone { CallManager() }
        let delivery = try await phone.deliver(Self.push)
        #expect(delivery.why == .reported && delivery.isCompleted, "\(delivery)")
        let call = try #require(delivery.call)
        #expect(call.name == "Ada" && call.handle == "+41 44 1" && call.hasVideo && call.state == .ringing)
        #expect(call.id == UUID(uuidString: Self.id))
        #expect(phone.calls == [call])
    }

    @Test func `the person answers and hangs up, and the app is asked to`() async throws {
        let app = Kept()
        let phone = VoIPPhone { app.keep(CallManager()) }
        let call = try #require(try await phone.deliver(Self.push).call)
        phone.answer(call.id)
        #expect(phone.calls.map(\.state) == [.answered])
        phone.hangUp(call.id)
        #expect(phone.calls == [])
        phone.answer(call.id)
        #expect(await app.onMain { ($0 as? CallManager)?.log } == ["ringing", "answered", "ended"])
    }

    @Test func `the app has the phone's token`() async throws {
        let app = Kept()
        let phone = VoIPPhone { app.keep(CallManager()) }
        _ = try await phone.deliver(Self.push)
        #expect(
            await app.onMain { ($0 as? CallManager)?.token } == phone.token.map { String(format: "%02x", $0) }.joined()
        )
    }

    @Test func `a call that rings already is refused as such, and goes on`() async throws {
        let app = Kept()
        let phone = VoIPPhone { app.keep(CallManager()) }
        _ = try await phone.deliver(Self.push)
        let again = try await phone.deliver(Self.push)
        #expect(again.why == .reported && again.call?.state == .refused(.callUUIDAlreadyExists))
        #expect(phone.calls.map(\.state) == [.ringing])
        #expect(await app.onMain { ($0 as? CallManager)?.log } == ["ringing", "again"])
    }

    @Test func `an app that passes a push over is ended, its calls with it, and launched anew for the next`()
        async throws
    {
        let launches = Guarded(0)
        let phone = VoIPPhone {
            launches.withLock { $0 += 1 }
            return CallManager()
        }
        _ = try await phone.deliver(Self.push)
        let ended = try await phone.deliver(#"{"aps":{},"silent":true}"#)
        #expect(ended.why == .terminated(.returnedWithoutReport) && ended.call == nil && ended.isCompleted)
        #expect("\(ended)".contains("iOS ended the app"))
        #expect(phone.calls == [] && launches.withLock { $0 } == 1)
        #expect(try await phone.deliver(Self.push).why == .reported)
        #expect(launches.withLock { $0 } == 2)
    }

    @Test func `an app that reports once its method has returned is too late`() async throws {
        let phone = VoIPPhone {
            BrokenCalls { app, completion in
                // Later than this turn of the main queue.
                DispatchQueue.main.async {
                    app.provider.reportNewIncomingCall(with: UUID(), update: CXCallUpdate()) { _ in completion() }
                }
            }
        }
        #expect(try await phone.deliver(#"{"aps":{}}"#).why == .terminated(.returnedWithoutReport))
    }

    @Test func `an app that hangs is ended when its time is over`() async throws {
        let release = DispatchSemaphore(value: 0)
        // A queue of its own: a main queue that hangs would hold every other test.
        let phone = VoIPPhone {
            BrokenCalls(queue: DispatchQueue(label: "calls")) { _, _ in release.wait() }
        }
        let delivery = try await phone.deliver(#"{"aps":{}}"#)
        #expect(delivery.why == .terminated(.tookTooLong), "\(delivery)")
        #expect(phone.clock.now.offset >= .seconds(7))
        release.signal()
    }

    @Test func `an app that never says that it is done has reported all the same`() async throws {
        let phone = VoIPPhone {
            BrokenCalls { app, _ in
                let update = CXCallUpdate()
                update.remoteHandle = CXHandle(type: .generic, value: "ada")
                app.provider.reportNewIncomingCall(with: UUID(), update: update) { _ in }
            }
        }
        let delivery = try await phone.deliver(#"{"aps":{}}"#)
        #expect(delivery.why == .reported && !delivery.isCompleted && delivery.call?.name == "ada", "\(delivery)")
        #expect("\(delivery)".contains("has not called"))
    }

    @Test func `an app whose registry is gone gets nothing`() async throws {
        let phone = VoIPPhone {
            PKPushRegistry(queue: nil).desiredPushTypes = [.voIP]
            return NSObject()
        }
        #expect(try await phone.deliver(Self.push).why == .notRegistered)
        let silent = VoIPPhone { PKPushRegistry(queue: nil) }
        #expect(try await silent.deliver(Self.push).why == .notRegistered)
    }

    @Test func `a registry without a delegate reports nothing, and the app is ended`() async throws {
        let phone = VoIPPhone {
            let registry = PKPushRegistry(queue: nil)
            registry.desiredPushTypes = [.voIP]
            return registry
        }
        #expect(try await phone.deliver(Self.push).why == .terminated(.returnedWithoutReport))
    }

    @Test(arguments: ["", "[]", "{"])
    func `bytes that are no payload are refused`(_ text: String) async throws {
        let phone = VoIPPhone { CallManager() }
        await #expect(throws: SimulatedPushError.self) { try await phone.deliver(text) }
    }

    @Test func `a payload may have 5,120 bytes and no more`() async throws {
        let phone = VoIPPhone { CallManager() }
        let rest = Self.push.dropLast() + #","x":""#
        let filled = rest + String(repeating: "x", count: 5_120 - rest.utf8.count - 2) + #""}"#
        #expect(filled.utf8.count == 5_120)
        #expect(try await phone.deliver(String(filled)).why == .reported)
        await #expect(throws: SimulatedPushError.tooLong(byteCount: 5_121, byteCountMax: 5_120)) {
            try await phone.deliver(filled + " ")
        }
    }

    @Test func `a provider without a phone says that it may not`() async {
        let error = await withCheckedContinuation { continuation in
            CXProvider(configuration: CXProviderConfiguration())
                .reportNewIncomingCall(with: UUID(), update: CXCallUpdate()) { continuation.resume(returning: $0) }
        }
        #expect(error as? CXErrorCodeIncomingCallError == CXErrorCodeIncomingCallError(.unentitled))
    }
}

/// An app with the test's delegate method.
///
/// Unchecked: nothing in it changes.
private final class BrokenCalls: NSObject, PKPushRegistryDelegate, @unchecked Sendable {
    typealias Handler = @Sendable (BrokenCalls, @escaping @Sendable () -> Void) -> Void

    private let registry: PKPushRegistry
    let provider = CXProvider(configuration: CXProviderConfiguration())
    private let onPush: Handler

    init(queue: DispatchQueue? = nil, onPush: @escaping Handler) {
        registry = PKPushRegistry(queue: queue)
        self.onPush = onPush
        super.init()
        registry.delegate = self
        registry.desiredPushTypes = [.voIP]
    }

    func pushRegistry(_ registry: PKPushRegistry, didUpdate credentials: PKPushCredentials, for type: PKPushType) {}

    func pushRegistry(
        _ registry: PKPushRegistry,
        didReceiveIncomingPushWith payload: PKPushPayload,
        for type: PKPushType,
        completion: @escaping () -> Void
    ) {
        let completion = Completion(call: completion)
        onPush(self) { completion.call() }
    }

    /// Unchecked: any thread may call the harness's.
    private struct Completion: @unchecked Sendable {
        let call: () -> Void
    }
}
