import EndToEndStage
import Envelope
import Keys
import NotificationCore
import Opening
import RelayClient
import Sealing
import Testing

@Suite struct CallTests {
    private func call(_ text: String) -> Message {
        var message = Message()
        message.operation = .call(text)
        message.receipt = .random()
        return message
    }

    /// A phone whose app has registered PushKit's token with the relay, which differs from the app's.
    private func ready(
        on stage: Stage,
        rights: ContactRights,
        takesOneForBoth: Bool = false
    ) async throws -> ChatPhone {
        let own = try await ChatPhone.ready(on: stage)
        let device = try await own.launch().device
        var contacts = ContactList()
        try contacts.add(Contact(key: own.server.senderKey, name: "Ada Lovelace", rights: rights))
        try device.setContacts(contacts)
        let (token, voIP) = (try own.phone.token, try own.phone.voIPToken)
        let registration = try DeviceRegistration(
            of: device,
            token: token,
            environment: .sandbox,
            voIPToken: takesOneForBoth ? token : voIP
        )
        let answer = try await own.server.register(registration.json, identity: device.identity.text)
        try device.acknowledged(registration, answer: answer)
        return own
    }

    @Test func `a call wakes the app, which rings with its contact's name, and its receipt follows`() async throws {
        try await Stage.with { stage in
            let own = try await ready(on: stage, rights: .call)
            let id = try await own.server.send(call("room 7"), class: "call")
            let event = try await own.phone.events.next("call")
            #expect(event["caller"]?.text == "Ada Lovelace" && event["rings"]?.flag == true, "\(event)")
            let state = try await stage.state("delivered", of: id)
            #expect(state["push-type"]?.text == "voip")
            #expect(try own.phone.events.unseen("shown").isEmpty)
        }
    }

    @Test func `an app that registers its own token for calls too gets none, and the relay says why`() async throws {
        try await Stage.with { stage in
            let own = try await ready(on: stage, rights: .call, takesOneForBoth: true)
            let id = try await own.server.send(call("room 7"), class: "call")
            let state = try await stage.state("dead", of: id)
            #expect("\(state)".contains("DeviceTokenNotForTopic"), "\(state)")
        }
    }

    @Test func `a contact without the right to call makes the app report a call that it ends`() async throws {
        try await Stage.with { stage in
            let own = try await ready(on: stage, rights: [])
            let id = try await own.server.send(call("room 7"), class: "call")
            let event = try await own.phone.events.next("call")
            #expect(event["caller"]?.text == "Acme Chat" && event["rings"]?.flag == false, "\(event)")
            #expect(try await stage.state("accepted", of: id)["receipt"] == nil)
        }
    }
}
