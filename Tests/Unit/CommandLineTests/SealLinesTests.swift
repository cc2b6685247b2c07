import Envelope
import Foundation
import Keys
import Opening
import TestSupport
import Testing

extension CommandLineTests {
    /// `seal --lines`: many messages and recipients, one process.
    struct SealLinesTests {
        private static let options = [
            "seal", "--lines", "--sender-key", Program.keys + "/sender.key", "--topic", Workplace.topic,
        ]

        /// A device with a bundle of now, as a line names it.
        private final class Device {
            let name: String
            let keys: DeviceKeys

            init(_ name: String, _ keys: consuming DeviceKeys) {
                self.name = name
                self.keys = keys
            }

            func json(at time: Timestamp = .now) -> String {
                #"{"device":"\#(name)",\#(members(at: time))}"#
            }

            func members(at time: Timestamp = .now) -> String {
                let bundle = Base64URL.string(keys.bundle(now: time))
                return #""bundle":"\#(bundle)","identity":"\#(keys.identity.text)""#
            }
        }

        private static func devices(_ count: Int, seed: UInt64) throws -> [Device] {
            var random = SeededRandom(seed: seed)
            let topic = try BundleID(Workplace.topic)
            return (0..<count).map { Device("d\($0)", DeviceKeys(topic: topic, random: &random)) }
        }

        private static func line(_ devices: [Device], _ message: String = #"{"body":"Hello"}"#, _ more: String = "")
            -> String
        {
            let list = devices.map { $0.json() }.joined(separator: ",")
            return #"{"message":\#(message),"recipients":[\#(list)]\#(more)}"#
        }

        /// Seals the lines, which may be longer than a pipe holds.
        private static func seal(_ lines: [String], in place: Workplace, _ options: String...) async throws -> Run {
            try place.folder.write("lines.json", lines.joined(separator: "\n"))
            return try await start("< lines.json", in: place, options).end()
        }

        private static func start(_ input: String, in place: Workplace, _ options: [String]) throws -> LiveProcess {
            let words = ([Program.path] + Self.options + Workplace.allow + options).map { "'\($0)'" }
            return try Invocation.shell("exec \(words.joined(separator: " ")) \(input)", in: place.folder).start()
        }

        private static func values(_ run: Run) throws -> [JSONValue] {
            try run.output.split(separator: "\n").map { try JSONValue(line: String($0)) }
        }

        private static func code(_ value: JSONValue) -> String? { value["error"]?["code"]?.string }

        @Test func `a thousand recipients are sealed in one process, and bad lines are no other's error`() async throws
        {
            let place = try await Workplace()
            let devices = try Self.devices(1_000, seed: 41)
            var (lines, expected): ([String], [(line: Int, count: Int, code: String?)]) = ([], [])
            func add(_ line: String, _ count: Int, _ code: String? = nil) {
                lines.append(line)
                expected.append((lines.count, count, code))
            }
            for start in stride(from: 0, to: 1_000, by: 200) {
                switch start {
                case 0: add("{", 1, "json")
                case 200: add(#"{"x":"\#(String(repeating: "x", count: 8 << 20))"}"#, 1, "line-too-long")
                case 400: add(#"{"message":{"body":"Hello"},"to":"d1"}"#, 1, "field")
                case 600: add(#"{"message":{"titel":"Hello"},\#(devices[0].members())}"#, 1, "message")
                default: add("", 1, "json")
                }
                add(Self.line(Array(devices[start..<start + 200])), 200)
            }
            let run = try await Self.seal(lines, in: place)
            #expect(run.end == .exit(1) && run.error.hasPrefix("sealedpush: 5 of 1005 were not sealed"), "\(run.error)")
            let values = try Self.values(run)
            var rest = values[...]
            for (line, count, code) in expected {
                let own = rest.prefix(count)
                rest = rest.dropFirst(count)
                #expect(try own.map { try $0.integer("line") } == Array(repeating: Int64(line), count: count))
                #expect(own.allSatisfy { Self.code($0) == code }, "line \(line)")
                guard code == nil else { continue }
                #expect(try own.map { try $0.integer("recipient") } == (0..<200).map { Int64($0) })
                #expect(
                    Set(own.map { $0["message-id"]?.string }).count == 1
                        && Set(own.map { $0["trace"]?.string }).count == 200
                )
                #expect(own.allSatisfy { $0["sealed"]?.string?.utf8.count == 3_840 })
            }
            #expect(rest.isEmpty && values.compactMap { $0["device"]?.string } == devices.map(\.name))
            #expect(!run.output.contains("Hello"))
        }

        @Test func `a device process shows what a line said`() async throws {
            let site = try await Site()
            let device = try await site.connectDevice("--json")
            let place = site.place
            let identity = place.folder.path + "/identity"
            try FileManager.default.copyItem(atPath: Program.keys + "/identity.pub", toPath: identity)
            let files = #""bundle-file":"device.bundle","identity-file":"\#(identity)""#
            let run = try await Self.seal(
                [
                    #"{"message":{"title":"Ada","body":"Nine?","thread-id":"t"},\#(files),"lifetime-seconds":60}"#,
                    #"{"message":{"body":"again"},"recipients":[{\#(files)}]}"#,
                ],
                in: place
            )
            #expect(run.isDone, "\(run)")
            let values = try Self.values(run)
            #expect(values.map { $0["recipient"]?.content } == [nil, .integer(0)] && values[0]["device"] == nil)
            #expect(try values[0].integer("expires-at") - values[0].integer("sent-at") == 60_000)
            for value in values {
                let (sealed, trace) = (try value.text("sealed"), try value.text("trace"))
                try place.folder.write(
                    "push.json",
                    #"{"aps":{"alert":{"body":"You have a new message"},"mutable-content":1},"sealed":"\#(sealed)","trace":"\#(trace)"}"#
                )
                #expect(try await site.send("push.json").isDone)
                let shown = try await device.event("shown")
                #expect(try shown.text("why") == "the extension answered")
                #expect(try shown.text("body") == (value["recipient"] == nil ? "Nine?" : "again"))
            }
            device.stop()
        }

        @Test func `each refusal has its word, and the next recipient is sealed`() async throws {
            let place = try await Workplace()
            let devices = try Self.devices(2, seed: 42)
            let (one, other) = (devices[0], devices[1])
            let now = Timestamp.now
            let bundle = Base64URL.string(one.keys.bundle(now: now))
            let expired = one.json(at: now.advanced(by: .seconds(-90 * 86_400)))
            let mixed = #"{"bundle":"\#(bundle)","identity":"\#(other.keys.identity.text)"}"#
            let cases = [
                (mixed, "other-identity"), (expired, "expired"),
                (#"{"bundle":"AAAA","identity":"\#(one.keys.identity.text)"}"#, "unsupported-version"),
                (#"{"bundle":"?","identity":"\#(one.keys.identity.text)"}"#, "malformed"),
                (#"{"bundle":"\#(bundle)","identity":"sealedpush-identity-1:AA"}"#, "identity"),
                (#"{"bundle-file":"none","identity":"\#(one.keys.identity.text)"}"#, "file"),
                (#"{"bundle":"\#(bundle)"}"#, "field"), ("7", "field"), (#"{\#(one.members()),"x":1}"#, "field"),
                (#"{\#(one.members()),"device":7}"#, "field"),
            ]
            let list = ([other.json()] + cases.map(\.0) + [one.json()]).joined(separator: ",")
            let long = String(repeating: "long ", count: 1_000)
            let run = try await Self.seal(
                [
                    #"{"message":{"body":"Hello"},"recipients":[\#(list)]}"#,
                    #"{"message":{"body":"\#(long)"},"too-long":"refuse",\#(one.members())}"#,
                    #"{"message":{"body":"\#(long)"},\#(one.members())}"#,
                    #"{"message":{"op":"call","call":"room"},"lifetime-seconds":61,\#(one.members())}"#,
                    #"{"message":{"op":"call","call":"room"},\#(one.members())}"#,
                    #"{"message":{"body":"x"},"message-id":"AA",\#(one.members())}"#,
                    #"{"message":{"body":"x"},"recipients":[]}"#,
                ],
                in: place
            )
            let values = try Self.values(run)
            let codes = values.map { Self.code($0) }
            let expected: [String?] = [nil] + cases.map { $0.1 } + [nil]
            #expect(Array(codes.prefix(cases.count + 2)) == expected, "\(run)")
            #expect(codes.dropFirst(cases.count + 2) == ["too-long", nil, "lifetime", nil, "field", "field"], "\(run)")
            let sealed = values.filter { $0["sealed"] != nil }
            #expect(sealed.map { $0["truncated"]?.content } == [.bool(false), .bool(false), .bool(true), .bool(false)])
            #expect(try sealed.map { try $0.text("class") } == ["alert", "alert", "alert", "call"])
            #expect(run.end == .exit(1))
        }

        @Test func `a receipt is each recipient's own, and a message can be sealed again`() async throws {
            let place = try await Workplace()
            let devices = try Self.devices(2, seed: 43)
            let first = try Self.values(
                try await Self.seal([Self.line(devices, #"{"body":"x"}"#, #","receipt":true"#)], in: place)
            )
            #expect(Set(first.map { $0["receipt-hash"]?.string }).count == 2)
            #expect(Set(first.map { $0["message-id"]?.string }).count == 1)
            let again = try ["message-id", "sent-at", "expires-at"].map { name in
                let value = try #require(first[0][name])
                return #","\#(name)":\#(String(decoding: JSONWriter.bytes(of: value), as: UTF8.self))"#
            }
            let run = try await Self.seal([Self.line([devices[0]], #"{"body":"x"}"#, again.joined())], in: place)
            let second = try Self.values(run)
            for name in ["message-id", "sent-at", "expires-at"] {
                #expect(second[0][name]?.content == first[0][name]?.content, "\(run)")
            }
            #expect(second[0]["trace"]?.string != first[0]["trace"]?.string && second[0]["receipt-hash"] == nil)
        }

        @Test func `a line is answered while the next one is awaited`() async throws {
            let place = try await Workplace()
            let devices = try Self.devices(1, seed: 44)
            try place.folder.write("one.json", Self.line(devices) + "\n")
            #expect(unsafe mkfifo(place.folder.file("gate"), 0o600) == 0)
            let words = (Self.options + Workplace.allow).map { "'\($0)'" }.joined(separator: " ")
            let process = try Invocation.shell("(cat one.json gate) | '\(Program.path)' \(words)", in: place.folder)
                .start()
            #expect(try JSONValue(line: try await process.line()).integer("line") == 1)
            // Without a line feed at its end.
            let (gate, second) = (place.folder.file("gate"), Self.line(devices))
            try await LiveProcess.onThread {
                let writer = try FileHandle(forWritingTo: URL(fileURLWithPath: gate))
                try writer.write(contentsOf: Data(second.utf8))
                try writer.close()
            }
            #expect(try JSONValue(line: try await process.line()).integer("line") == 2)
            #expect(try await process.end().isDone)
        }

        @Test func `pins are kept from line to line and from process to process (protocol v1, rule 16)`() async throws {
            let place = try await Workplace()
            let device = try Self.devices(1, seed: 45)[0]
            let now = Timestamp.now
            func line(_ seconds: Int64) -> String {
                #"{"message":{"body":"x"},\#(device.members(at: now.advanced(by: .seconds(seconds))))}"#
            }
            let run = try await Self.seal(
                [line(-60), line(-60), line(0), line(-60), line(0)],
                in: place,
                "--pins",
                "pins"
            )
            #expect(try Self.values(run).map { Self.code($0) } == [nil, nil, nil, "rolled-back", nil], "\(run)")
            let next = try await Self.seal([line(-60), line(0)], in: place, "--pins", "pins")
            #expect(try Self.values(next).map { Self.code($0) } == ["rolled-back", nil], "\(next)")
            let refused = try await Self.seal([line(0)], in: place, "--pins", "no/such/folder")
            #expect(refused.isRefused("no/such/folder: No such file or directory (mkdir)"), "\(refused)")
        }

        @Test func `of every line that was written the pin survives kill -9`() async throws {
            let place = try await Workplace()
            let devices = try Self.devices(120, seed: 46)
            try place.folder.write("lines.json", devices.map { Self.line([$0]) }.joined(separator: "\n"))
            let process = try Self.start("< lines.json", in: place, ["--pins", "pins"])
            _ = try await process.line()
            process.signal(SIGKILL)
            let written = try await process.end().output.split(separator: "\n", omittingEmptySubsequences: false)
                .dropLast()
            #expect(!written.isEmpty)
            let now = Timestamp.now
            let older = devices.prefix(written.count).map { device in
                #"{"message":{"body":"x"},\#(device.members(at: now.advanced(by: .seconds(-60))))}"#
            }
            let run = try await Self.seal(Array(older), in: place, "--pins", "pins")
            #expect(try Self.values(run).allSatisfy { Self.code($0) == "rolled-back" }, "\(run)")
        }

        @Test func `the sealed field alone is what the relay takes`() async throws {
            let place = try await Workplace()
            let devices = try Self.devices(2, seed: 47)
            let run = try await Self.seal([Self.line(devices), "{"], in: place, "--sealed-only")
            let lines = run.output.split(separator: "\n")
            #expect(lines.count == 3 && lines.prefix(2).allSatisfy { $0.utf8.count == 3_840 && !$0.contains("{") })
            #expect(try Self.code(JSONValue(line: String(lines[2]))) == "json")
            try place.folder.write("m.json", #"{"body":"Hello"}"#)
            let single = try await place.seal("m.json", "--sealed-only")
            #expect(single.isDone && single.output.utf8.count == 3_841)
            let wrong = try await place.seal("m.json", "--sealed-only", "--placeholder-body", "x")
            #expect(wrong.isWrongUsage("--sealed-only prints no placeholder"), "\(wrong)")
        }

        @Test func `its help fits on a narrow terminal, and what it needs is named`() async throws {
            let folder = try Folder()
            let help = try await Run.sealedpush("seal", "--lines", "--help", in: folder)
            #expect(help.isDone && help.output.hasPrefix("usage: sealedpush seal --lines "))
            for line in help.output.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
            let missing = try await Run.sealedpush("seal", "--lines", "--topic", Workplace.topic, in: folder)
            #expect(missing.isWrongUsage("--sender-key is missing"), "\(missing)")
            let operand = try await Run.sealedpush(
                "seal",
                "--lines",
                "m.json",
                "--topic",
                Workplace.topic,
                "--sender-key",
                "k",
                in: folder
            )
            #expect(operand.isWrongUsage("unexpected operand 'm.json'"), "\(operand)")
        }
    }
}
