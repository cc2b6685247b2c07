import EndToEndStage
import Envelope
import Foundation
import Keys
import Platform
import Sealing
import TestSupport
import Testing

/// The sidecar across its seams: its process, a real relay, a simulator in Apple's place, and a device.
struct SidecarTests {
    @Test func `words go in at the socket, and a device shows them once`() async throws {
        try await SidecarStage.with { own in
            let phone = try await SidecarPhone.ready(on: own)
            let answer = try await own.send(
                "See you at eight",
                to: [phone.recipient],
                key: "k1",
                more: #","conversation":"c1""#
            )
            #expect(answer.status == 202, "\(answer)")
            let id = try #require(try answer.json["id"]?.text)
            let shown = try await phone.phone.events.next("shown")
            #expect(shown["title"]?.text == "Ada" && shown["body"]?.text == "See you at eight", "\(shown)")
            let recipients = try await own.settled(id)
            #expect(recipients.first?["state"]?.text == "accepted" && recipients.first?["relay-id"]?.text != nil)
            // The same key and body: the same message, which is not sent again.
            let again = try await own.send(
                "See you at eight",
                to: [phone.recipient],
                key: "k1",
                more: #","conversation":"c1""#
            )
            #expect(try again.status == 202 && again.json["id"]?.text == id)
            let other = try await own.send("other words", to: [phone.recipient], key: "k1")
            #expect(other.status == 409)
            // From the second message on the identity is known.
            let next = try await own.send("and again", to: [#"{"device":"phone"}"#])
            #expect(next.status == 202)
            #expect(try await phone.phone.events.next("shown")["body"]?.text == "and again")
            #expect(try await own.notificationCount("phone") == 2)
        }
    }

    @Test func `one dead device of a group fails alone, whether the sidecar or the relay notices`() async throws {
        try await SidecarStage.with { own in
            var devices: [String] = []
            for index in 0..<4 { devices.append(try await own.makeDevice("d\(index)")) }
            let unknown = devices[0].replacing("\"d0\"", with: "\"gone\"")
            let first = try await own.send("one", to: devices + [unknown])
            #expect(first.status == 202, "\(first)")
            let states = try await own.settled(try #require(try first.json["id"]?.text))
            #expect(states.map { $0["state"]?.text } == ["accepted", "accepted", "accepted", "accepted", "rejected"])
            #expect(states.last?["problem"]?["type"]?.text == "urn:sealedpush:problem:unknown-device")
            // Its bundle is here, and the relay knows it no more.
            #expect(try await own.stage.ask("DELETE", "/v1/devices/d2").status < 300)
            let second = try await own.send("two", to: devices)
            let later = try await own.settled(try #require(try second.json["id"]?.text))
            #expect(later.map { $0["state"]?.text } == ["accepted", "accepted", "rejected", "accepted"])
            #expect(later[2]["problem"]?["type"]?.text == "urn:sealedpush:problem:device-refused", "\(later[2])")
            #expect(try await own.notificationCount("d3") == 2)
        }
    }

    @Test func `groups that are sent at the same time ask the relay for bundles one after the other`() async throws {
        try await SidecarStage.with { own in
            var devices: [String] = []
            for index in 0..<8 { devices.append(try await own.makeDevice("d\(index)")) }
            try await withThrowingTaskGroup(of: Int.self) { group in
                for start in stride(from: 0, to: 8, by: 2) {
                    let pair = Array(devices[start..<start + 2])
                    group.addTask { try await own.send("hello", to: pair).status }
                }
                for try await status in group { #expect(status == 202) }
            }
            let metrics = String(decoding: try await own.stage.ask("GET", "/v1/metrics").body, as: UTF8.self)
            #expect(metrics.contains(#"sealedpush_refused_total{why="rate"} 0"#), "\(metrics)")
        }
    }

    @Test func `a changed identity, another's bundle and a missing identity are rejections with their words`()
        async throws
    {
        try await SidecarStage.with { own in
            let (one, two) = (try await own.makeDevice("d1"), try await own.makeDevice("d2"))
            func word(_ recipient: String) async throws -> String? {
                let answer = try await own.send("x", to: [recipient])
                return try answer.json["recipients"]?.elements.first?["problem"]?["type"]?.text
            }
            #expect(try await word(#"{"device":"d1"}"#) == "urn:sealedpush:problem:identity-missing")
            // d2's identity under d1's name: the relay's bundle is not that identity's.
            let wrong = two.replacing("\"d2\"", with: "\"d1\"")
            #expect(try await word(wrong) == "urn:sealedpush:problem:other-identity")
            #expect(try await word(one) == nil)
            #expect(try await word(wrong) == "urn:sealedpush:problem:identity-changed")
            #expect(try await own.ask("DELETE", "/v1/devices/d1").status == 204)
            #expect(try await word(wrong) == "urn:sealedpush:problem:other-identity")
        }
    }

    @Test func `while the relay is down messages for known devices wait, and arrive once when it is back`() async throws
    {
        try await SidecarStage.with { own in
            let device = try await own.makeDevice("d1")
            _ = try await own.settled(try #require(try await own.send("before", to: [device]).json["id"]?.text))
            own.stage.killRelay()
            var ids: [String] = []
            for index in 0..<5 {
                let answer = try await own.send("\(index)", to: [device])
                #expect(answer.status == 202)
                ids.append(try #require(try answer.json["id"]?.text))
            }
            // Nothing is known of this one, and nothing is stored.
            let stranger = device.replacing("\"d1\"", with: "\"d9\"")
            let refused = try await own.send("x", to: [stranger])
            #expect(refused.status == 503 && refused.head.lowercased().contains("retry-after"))
            _ = try await own.events.next("relay-not-reached")
            try await own.stage.startRelay()
            for id in ids { #expect(try await own.settled(id).first?["state"]?.text == "accepted") }
            #expect(try await own.notificationCount("d1") == 6)
        }
    }

    @Test func `a full queue is a 503 with Retry-After, and what is in it is kept`() async throws {
        try await SidecarStage.with(.init(limits: #""queued-recipients": 2"#)) { own in
            let device = try await own.makeDevice("d1")
            _ = try await own.settled(try #require(try await own.send("before", to: [device]).json["id"]?.text))
            own.stage.killRelay()
            let first = try await own.send("1", to: [device])
            let second = try await own.send("2", to: [device])
            #expect(first.status == 202 && second.status == 202)
            let third = try await own.send("3", to: [device])
            #expect(third.status == 503 && third.body.contains("queue-full"), "\(third)")
            #expect(third.head.lowercased().contains("retry-after: 30"))
            #expect(try await own.ask("GET", "/v1/readiness").status == 503)
            try await own.stage.startRelay()
            for answer in [first, second] {
                #expect(
                    try await own.settled(try #require(try answer.json["id"]?.text)).first?["state"]?.text == "accepted"
                )
            }
            #expect(try await own.ask("GET", "/v1/readiness").status == 200)
        }
    }

    @Test func `a text that is too long is refused`() async throws {
        try await SidecarStage.with { own in
            let device = try await own.makeDevice("d1")
            let answer = try await own.send(String(repeating: "word ", count: 1_000), to: [device])
            #expect(answer.status == 422 && answer.body.contains("text-too-long"), "\(answer)")
        }
    }

    @Test func `a second sidecar on one file, another sender's key and another app each say what is wrong`()
        async throws
    {
        try await SidecarStage.with { own in
            let second = try own.refusedStart()
            #expect(second.code == 1 && second.errors.contains("another sidecar has this database"), "\(second)")
            own.stop()
            let topic = try own.refusedStart { path in
                let text = try String(decoding: WholeFile.read(path, byteCountMax: 1 << 16), as: UTF8.self)
                try WholeFile.write(
                    Array(text.replacing(Stage.topic, with: "com.example.other").utf8),
                    to: path,
                    access: .ownerOnly
                )
            }
            #expect(topic.code == 78 && topic.errors.contains("another app's"), "\(topic)")
            unsafe unlink(own.path("sender.key"))
            try SenderIdentity().write(to: own.path("sender.key"))
            let sender = try own.refusedStart()
            #expect(sender.code == 78 && sender.errors.contains("made with another sender key"), "\(sender)")
        }
    }

    @Test func `a clock that was set back is named at the start, and a small correction is followed`() async throws {
        try await SidecarStage.with { own in
            let device = try await own.makeDevice("d1")
            #expect(try await own.send("one", to: [device]).status == 202)
            own.stop()
            // An hour that the clock does not know is the same as a clock set back by an hour.
            try own.changeDatabase("UPDATE meta SET value = value + 3600000 WHERE name = 'newest'")
            let start = try own.refusedStart()
            #expect(start.code == 1 && start.errors.contains("behind the newest message in the database"), "\(start)")
            // A correction by less than five minutes is followed.
            try own.changeDatabase("UPDATE meta SET value = value - 3600000 + 200000 WHERE name = 'newest'")
            try await own.start()
            #expect(try await own.send("two", to: [device]).status == 202)
        }
    }

    @Test func `while the clock is set back nothing is sealed, and nothing is lost`() async throws {
        try await SidecarStage.with(.init(movesClock: true)) { own in
            let device = try await own.makeDevice("d1")
            #expect(try await own.send("one", to: [device]).status == 202)
            try own.setClock(ahead: -3_600)
            let refused = try await own.send("two", to: [device], key: "k2")
            #expect(refused.status == 503 && refused.body.contains("behind what it was; set it"), "\(refused)")
            #expect(refused.head.lowercased().contains("\r\nretry-after: "), "\(refused.head)")
            try own.setClock(ahead: -200)
            let taken = try await own.send("two", to: [device], key: "k2")
            #expect(try await own.settled(try #require(try taken.json["id"]?.text)).first?["state"]?.text == "accepted")
            #expect(try await own.notificationCount("d1") == 2)
        }
    }

    /// Sends a message to a bundle whose prekeys the phone has lost, and returns the relay's event about it.
    private func loseMessage(_ own: SidecarStage, _ phone: SidecarPhone) async throws -> String {
        _ = try await own.send("first", to: [phone.recipient])
        #expect(try await phone.phone.events.next("shown")["body"]?.text == "first")
        // A restore took the replay window: every prekey is destroyed, and a new bundle registered.
        phone.phone.switchOff()
        try FileManager.default.removeItem(atPath: phone.phone.groupFolder + "/replay-window-1")
        try await phone.launch()
        try await phone.phone.switchOn()
        _ = try await own.send("lost and found", to: [phone.recipient])
        #expect(try await phone.phone.events.next("shown")["body"]?.text == "You have a new message")
        let trace = try await own.stage.hooks.next("resend-requested")["trace"]?.text ?? ""
        return #"{"event":"resend-requested","trace":"\#(trace)"}"#
    }

    @Test func `a re-send is sealed at once while the words are in memory`() async throws {
        try await SidecarStage.with(.init(limits: #""words-minutes": 5"#)) { own in
            let phone = try await SidecarPhone.ready(on: own)
            let event = try await loseMessage(own, phone)
            #expect(try await own.ask("POST", "/v1/events", event).status == 204)
            #expect(try await phone.phone.events.next("shown")["body"]?.text == "lost and found")
            #expect(try await own.ask("GET", "/v1/resends").json["resends"]?.elements.count == 0)
        }
    }

    @Test func `without words in memory the back end is asked for them, and the device shows them once`() async throws {
        try await SidecarStage.with { own in
            let phone = try await SidecarPhone.ready(on: own)
            let event = try await loseMessage(own, phone)
            #expect(try await own.ask("POST", "/v1/events", event).status == 204)
            let wanted = try await own.ask("GET", "/v1/resends").json["resends"]?.elements ?? []
            #expect(wanted.count == 1 && wanted.first?["device"]?.text == "phone")
            let id = try #require(wanted.first?["message"]?.text)
            let more = #","resend-of":"\#(id)""#
            #expect(try await own.send("lost and found", to: [#"{"device":"phone"}"#], more: more).status == 202)
            #expect(try await phone.phone.events.next("shown")["body"]?.text == "lost and found")
            #expect(try await own.ask("GET", "/v1/resends").json["resends"]?.elements.count == 0)
        }
    }

    @Test func `a picture and a long text go sealed to the host of attachments`() async throws {
        try await Stage.with { stage in
            let files = try await stage.startFiles()
            try await SidecarStage.with(on: stage, .init(files: files)) { own in
                let phone = try await SidecarPhone.ready(on: own, files: files.port)
                let picture = try stage.copyOfPicture()
                let attachment = #","attachments":[{"path":"\#(picture)","type":"image/png"}]"#
                let answer = try await own.send("Look!", to: [phone.recipient], more: attachment)
                #expect(answer.status == 202, "\(answer)")
                let shown = try await phone.phone.events.next("shown")
                #expect(shown["attachments"]?.elements.compactMap(\.text) == ["public.png"], "\(shown)")
                let elsewhere = #","attachments":[{"path":"/etc/hostname","type":"text/plain"}]"#
                #expect(try await own.send("x", to: [phone.recipient], more: elsewhere).status == 422)
                let long = String(repeating: "word ", count: 1_000)
                let overflow = try await own.send(long, to: [phone.recipient], more: #","too-long":"overflow""#)
                #expect(overflow.status == 202, "\(overflow)")
                let cut = try await phone.phone.events.next("shown")
                #expect(cut["body"]?.text?.hasPrefix("word word ") == true, "\(cut)")
                #expect(try !own.names.contains { $0.contains("attachment") })
            }
        }
    }

    @Test func `on 127.0.0.1 a token is needed, and it is compared whole`() async throws {
        let token = String(repeating: "t", count: 32)
        try await SidecarStage.with(.init(token: token)) { own in
            let port = try #require(
                try await own.events.next("listening-loopback")["port"]?.number.flatMap { UInt16(exactly: $0) }
            )
            func status(_ fields: [String]) throws -> Int {
                try PlainCaller.call(port, "GET /v1/resends", fields).status
            }
            #expect(try status(["Host: localhost"]) == 401)
            #expect(try status(["Host: localhost", "Authorization: Bearer \(token)t"]) == 401)
            #expect(try status(["Host: localhost", "Authorization: Bearer \(token.dropLast())u"]) == 401)
            #expect(try status(["Host: localhost", "Authorization: Bearer \(token)"]) == 200)
            #expect(try PlainCaller.call(port, "GET /v1/health", ["Host: localhost"]).status == 200)
        }
    }

    @Test func `the socket is its owner's, and one that a kill left does not hinder the next start`() async throws {
        try await SidecarStage.with { own in
            var status = stat()
            #expect(unsafe lstat(own.socket, &status) == 0 && status.st_mode & 0o777 == 0o600)
            own.kill()
            #expect(unsafe lstat(own.socket, &status) == 0)
            try await own.start()
            #expect(try await own.ask("GET", "/v1/health").status == 200)
            own.stop()
            #expect(unsafe lstat(own.socket, &status) != 0)
        }
    }

    @Test func `health, metrics and unknown paths are answered`() async throws {
        try await SidecarStage.with { own in
            #expect(try await own.ask("GET", "/v1/health").status == 200)
            let metrics = try await own.ask("GET", "/v1/metrics")
            #expect(metrics.status == 200 && metrics.body.contains("\nsealedpush_sidecar_queue_depth 0\n"))
            #expect(try await own.ask("GET", "/v1/nothing").status == 404)
            #expect(try await own.ask("PUT", "/v1/messages").status == 405)
        }
    }
}
