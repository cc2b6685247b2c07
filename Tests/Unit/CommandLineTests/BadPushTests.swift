import Envelope
import Keys
import Testing

extension CommandLineTests {
    /// Pushes that a device would not show: each ends in one sentence.
    struct BadPushTests {
        @Test func `an expired message is not shown`() async throws {
            let place = try await Workplace()
            let their = try Correspondents(seed: 1, in: place.folder)
            try their.writePush("push.json", sentAt: Timestamp.now.advanced(by: .seconds(-120)))
            let run = try await place.run(["open", "push.json"] + Correspondents.options)
            #expect(run.isRefused("push.json: expired"), "\(run)")
        }

        @Test func `a message from the future is not shown`() async throws {
            let place = try await Workplace()
            let their = try Correspondents(seed: 2, in: place.folder)
            try their.writePush("push.json", sentAt: Timestamp.now.advanced(by: .seconds(3_600)))
            let run = try await place.run(["open", "push.json"] + Correspondents.options)
            #expect(run.isRefused("in the future"), "\(run)")
        }

        @Test(arguments: [("unsigned", false), ("wrongly signed", true)])
        func `a message without its sender's signature is not shown`(_ name: String, _ keepsMost: Bool) async throws {
            let place = try await Workplace()
            var their = try Correspondents(seed: 3, in: place.folder)
            try their.writePush("push.json") { right in
                keepsMost ? right.dropLast() + [right[63] ^ 1] : [UInt8](repeating: 0, count: 64)
            }
            let run = try await place.run(["open", "push.json"] + Correspondents.options)
            #expect(run.isRefused("wrongly signed"), "\(run)")
        }

        @Test func `the same message rightly signed is shown`() async throws {
            let place = try await Workplace()
            var their = try Correspondents(seed: 3, in: place.folder)
            try their.writePush("push.json") { $0 }
            let run = try await place.run(["open", "push.json"] + Correspondents.options)
            #expect(run.isDone && run.output == "Hello\n", "\(run)")
        }

        @Test func `a sender that is not trusted is named by its key`() async throws {
            let place = try await Workplace()
            let push = try await place.push()
            _ = try Correspondents(seed: 4, in: place.folder)
            let run = try await place.run(
                ["open", push, "--device-key", Program.keys + "/device.key", "--senders", "their.senders"]
                    + Workplace.allow
            )
            let sender = try Folder.contents(Program.keys + "/sender.pub").filter { !$0.isNewline }
            #expect(run.isRefused("not trusted here: \(sender)"), "\(run)")
        }

        @Test func `a message for another device does not open`() async throws {
            let place = try await Workplace()
            let push = try await place.push()
            _ = try Correspondents(seed: 5, in: place.folder)
            let run = try await place.run(["open", push] + Correspondents.options)
            #expect(run.isRefused("sealed for another device"), "\(run)")
        }

        @Test func `keys of another app are refused where the app is named`() async throws {
            let place = try await Workplace()
            let run = try await place.open(try await place.push(), "--topic", "com.example.other")
            #expect(run.isRefused("device.key", "com.example.other"), "\(run)")
        }

        @Test func `a message that was sealed for another app does not open`() async throws {
            let place = try await Workplace()
            let push = try await place.push()
            let key = try Folder.contents(Program.keys + "/device.key")
            #expect(key.contains("\ntopic com.example.chat\n"))
            try place.folder.write(
                "other.key",
                key.replacing("topic com.example.chat", with: "topic com.example.other")
            )
            let run = try await place.run(
                ["open", push, "--device-key", "other.key", "--senders", Program.keys + "/sender.pub"] + Workplace.allow
            )
            #expect(run.isRefused("made for another app"), "\(run)")
        }

        @Test(arguments: Damage.all)
        func `a damaged sealed field does not open`(_ damage: Damage) async throws {
            let place = try await Workplace()
            let push = try place.folder.text(try await place.push())
            try place.folder.write("push.json", damage.apply(push))
            let run = try await place.open("push.json")
            #expect(run.isRefused("push.json: ", damage.words), "\(run)")
        }

        @Test func `a payload without a sealed field says so`() async throws {
            let place = try await Workplace()
            try place.folder.write("push.json", #"{"aps":{"alert":"Hi","mutable-content":1}}"#)
            let opened = try await place.open("push.json")
            #expect(opened.isRefused("push.json: the payload has no \"sealed\" field"), "\(opened)")
            let inspected = try await place.run(["inspect", "push.json"])
            #expect(inspected.end == .exit(1) && inspected.output.contains("missing"), "\(inspected)")
            #expect(inspected.error == "sealedpush: push.json has no \"sealed\" field: nothing in it is secret\n")
        }

        @Test(arguments: [
            ("", 1, 1, "ends before"), ("[]", 1, 1, "expected an object"), (#"{"aps":}"#, 1, 8, "expected a value"),
            (#"{"a":1,"a":2}"#, 1, 8, "twice"),
            (String(repeating: "[", count: 40), 1, 33, "nested deeper than 32"),
            (#"{"a":""# + String(repeating: "x", count: 6_000) + #""}"#, 1, 5_121, "longer than 5120"),
        ])
        func `what is no payload is named with line and column`(
            _ text: String,
            _ line: Int,
            _ column: Int,
            _ words: String
        ) async throws {
            let place = try await Workplace()
            try place.folder.write("push.json", text)
            for run in [try await place.open("push.json"), try await place.run(["inspect", "push.json"])] {
                #expect(run.isRefused("push.json:\(line):\(column): not a push payload", words), "\(run)")
            }
        }
    }
}

/// One change of a payload on its way.
struct Damage: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// Words of open's answer.
    let words: String
    private let change: @Sendable (String) -> String

    func apply(_ payload: String) -> String {
        let start = payload.firstRange(of: #""sealed":""#)?.upperBound ?? payload.startIndex
        let end = payload[start...].firstIndex(of: "\"") ?? payload.endIndex
        return payload.replacingCharacters(start..<end, with: change(String(payload[start..<end])))
    }

    static let all = [
        Damage("a byte of the ciphertext", "changed on the way") { $0.flipping(2_000) },
        Damage("the prekey id", "another device") { $0.flipping(5) },
        Damage("the version", "newer version") { "Ag" + $0.dropFirst(2) },
        Damage("one character less", "changed on the way") { String($0.dropLast()) },
        Damage("padding", "changed on the way") { $0.dropLast() + "=" },
        Damage("the other base64 alphabet", "changed on the way") { "+" + $0.dropFirst() },
        Damage("white space", "changed on the way") { " " + $0.dropFirst() },
        Damage("nothing left", "changed on the way") { _ in "" },
    ]

    private init(_ description: String, _ words: String, _ change: @escaping @Sendable (String) -> String) {
        testDescription = description
        self.words = words
        self.change = change
    }
}

extension String {
    fileprivate func flipping(_ offset: Int) -> String {
        var characters = Array(self)
        characters[offset] = characters[offset] == "A" ? "B" : "A"
        return String(characters)
    }

    fileprivate func replacingCharacters(_ range: Range<Index>, with text: String) -> String {
        self[..<range.lowerBound] + text + self[range.upperBound...]
    }
}
