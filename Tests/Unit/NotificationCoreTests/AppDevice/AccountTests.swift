import Envelope
import Keys
import Opening
import Sealing
import TestSupport
import Testing

@testable import NotificationCore

/// Two accounts of one app on one phone: two devices of the app, two senders, one extension.
struct AccountTests {
    private let work: Handset
    private let home: Handset
    private let workDevice: AppDevice
    private let homeDevice: AppDevice

    init() throws {
        work = try Handset(seed: 460, usesUnlockedClass: true, account: AccountName("work"))
        home = try Handset(seed: 461, usesUnlockedClass: true, account: AccountName("home"), beside: work)
        workDevice = try work.launch(name: "Ada")
        homeDevice = try home.launch(name: "Bob")
    }

    private var pipeline: NotificationPipeline {
        NotificationPipeline(
            containers: [work.container, home.container],
            display: DisplayPolicy(texts: Handset.texts)
        )
    }

    private func show(_ push: [AnyHashable: Any], requestID: String? = nil) -> NotificationContent {
        let content = pipeline.content(userInfo: push, requestID: requestID, now: work.now)
        pipeline.didShow(content)
        return content
    }

    private func account(_ content: NotificationContent) -> String? {
        (content.userInfo["sealedpush"] as? [String: any Sendable])?["account"] as? String
    }

    @Test func `each account's messages are opened by its own keys and contacts, and named after it`() throws {
        #expect(workDevice.identity != homeDevice.identity)
        for _ in 0..<2 {
            let forWork = show(try work.push(Message(body: "Meeting"), to: workDevice))
            #expect(forWork.body == "Meeting" && forWork.sender?.displayName == "Ada" && account(forWork) == "work")
            let forHome = show(try home.push(Message(body: "Dinner"), to: homeDevice))
            #expect(forHome.body == "Dinner" && forHome.sender?.displayName == "Bob" && account(forHome) == "home")
        }
    }

    @Test func `a contact of one account is a stranger to the other`() throws {
        // The sender has the other account's bundle.
        let recipient = try home.recipient(homeDevice)
        let content = show(try work.push(work.prepared(Message(body: "Hi")), to: recipient))
        #expect(content.kind == .unverifiedSender && content.body == Handset.texts.newMessage)
        #expect(account(content) == "home")
    }

    @Test func `a message is shown once, and its copy is a replay for its account`() throws {
        let push = try home.push(Message(body: "Dinner"), to: homeDevice)
        #expect(show(push).kind == .opened)
        #expect(show(push).kind == .replay)
        #expect(try work.spooled().isEmpty)
    }

    @Test func `the badge counts the messages of all accounts`() throws {
        try workDevice.setBadge(3)
        #expect(show(try work.push(Message(body: "Meeting"), to: workDevice)).badge == 4)
        #expect(show(try home.push(Message(body: "Dinner"), to: homeDevice)).badge == 5)
        #expect(try homeDevice.badge() == 5)
        try AppDevice.erase(home.settings)
        #expect(try workDevice.badge() == 5)
    }

    @Test func `preview and muted conversations are the account's`() throws {
        try homeDevice.setPreview(.nothing)
        try homeDevice.setMuted([MutedThread(threadID: "t")])
        #expect(show(try work.push(Message(body: "Meeting", threadID: "t"), to: workDevice)).body == "Meeting")
        let content = show(try home.push(Message(body: "Dinner", threadID: "t"), to: homeDevice))
        #expect(content.kind == .muted && content.body == Handset.texts.newMessage)
    }

    @Test func `before the first unlock a message waits for its account, and the other asks for no re-send`() throws {
        let push = try home.push(Message(body: "Early"), to: homeDevice)
        work.lock.set(.beforeFirstUnlock)
        let content = show(push)
        #expect(content.kind == .locked && account(content) == nil)
        work.lock.set(.unlocked)
        #expect(try workDevice.openSpooled(now: work.now).isEmpty)
        let waited = try homeDevice.openSpooled(now: home.now)
        #expect(waited.map(\.body) == ["Early"] && waited.map(account) == ["home"])
        #expect(try work.pendingTraces().isEmpty && home.pendingTraces().isEmpty)
        #expect(try workDevice.openSpooled(now: work.now).isEmpty && homeDevice.openSpooled(now: home.now).isEmpty)
    }

    @Test func `on a locked device a message of the unlocked class waits for its account alone`() throws {
        let push = try home.push(Message(body: "Secret"), to: homeDevice, .unlocked)
        work.lock.set(.locked)
        let content = show(push)
        #expect(content.kind == .locked && account(content) == "home")
        #expect(try work.container.spool.isEmpty && !home.container.spool.isEmpty)
        work.lock.set(.unlocked)
        #expect(try homeDevice.openSpooled(now: home.now).map(\.body) == ["Secret"])
    }

    @Test func `an account without keys keeps no message from the others`() throws {
        let none = try Handset(seed: 462, account: AccountName("none"), beside: work)
        let pipeline = NotificationPipeline(
            containers: [none.container, home.container],
            display: DisplayPolicy(texts: Handset.texts)
        )
        let forHome = try home.push(Message(body: "Dinner"), to: homeDevice)
        #expect(pipeline.content(userInfo: forHome, now: home.now).body == "Dinner")
        // Of no account: the first one's placeholder, and nobody's name.
        let content = pipeline.content(
            userInfo: try work.push(Message(body: "Meeting"), to: workDevice),
            now: work.now
        )
        #expect(content.body == Handset.texts.newMessage && account(content) == nil && content.sender == nil)
    }

    @Test func `a call rings for the account whose contact calls`() throws {
        _ = try home.launch(rights: [.call], name: "Bob")
        let opener = CallOpener(containers: [work.container, home.container], appName: "Acme Chat")
        var message = Message()
        message.operation = .call("offer")
        let call = opener.open(try home.push(message, to: homeDevice, lifetime: .seconds(60)), now: home.now)
        #expect(call.name == "Bob" && call.call == "offer" && call.account?.text == "home")
        opener.didReport(call)
        let other = try work.push(message, to: workDevice, lifetime: .seconds(60))
        #expect(opener.open(other, now: work.now).ending != nil)
    }

    @Test func `an erased account leaves the other as it was`() throws {
        let forHome = try home.push(Message(body: "Dinner"), to: homeDevice)
        try AppDevice.erase(home.settings)
        #expect(show(forHome).body == Handset.texts.newMessage)
        #expect(show(try work.push(Message(body: "Meeting"), to: workDevice)).body == "Meeting")
        #expect(try work.open().isContinued && home.open().isNewIdentity)
    }

    @Test func `a push that is not opened in time is kept for its account`() throws {
        let push = IncomingPush(userInfo: try home.push(Message(body: "Late"), to: homeDevice))
        pipeline.keep(push, now: home.now)
        #expect(try work.container.spool.isEmpty)
        #expect(try homeDevice.openSpooled(now: home.now).map(\.body) == ["Late"])
    }

    @Test(arguments: ["", ".", "..", "a/b", "Work", "a b", "ü", String(repeating: "a", count: 33)])
    func `a name that is no folder's is none`(_ text: String) {
        #expect(AccountName(text) == nil)
        #expect(AccountName("work-2")?.text == "work-2")
    }
}

extension Spool {
    fileprivate var isEmpty: Bool {
        get throws {
            var count = 0
            try drain { _ in
                count += 1
                return .keep
            }
            return count == 0
        }
    }
}
