import Foundation
import Testing

extension CommandLineTests {
    /// A newcomer's first command.
    struct DemoTests {
        @Test func `Apple sees none of the words that the person sees`() async throws {
            let folder = try Folder()
            let run = try await Run.sealedpush("demo", "--keys", Program.keys, in: folder)
            #expect(run.isDone, "\(run)")
            let rows = run.output.split(separator: "\n").filter { $0.contains("│") }.map { row in
                row.split(separator: "│", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            }
            for line in run.output.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
            // Without the space that fills the column.
            let apple = rows.map { $0[0].replacing(#/ +$/#, with: "") }.joined()
            let person = rows.map { $0[1] }.joined()

            #expect(apple.contains("WHAT APPLE SAW") && person.contains("WHAT THE PERSON SEES"))
            #expect(apple.contains(#"{"aps":{"alert":{"title":"Acme Chat""#) && apple.contains(#""sealed":"AQE"#))
            let words = try Self.words()
            let fixed = apple.replacing(/apns-collapse-id: .+?(?=apns-|\{)/, with: "")
            let seen = Self.withoutRandomText(fixed)
            #expect(seen.contains("WHAT APPLE SAW") && seen.utf8.count < apple.utf8.count - 300)
            #expect(words.count > 10)
            for word in words {
                #expect(!seen.contains(word), "\(word)")
                #expect(person.contains(word), "\(word)")
            }
        }

        @Test func `each notification is followed from its POST to a lock screen`() async throws {
            let run = try await Run.sealedpush("demo", "--keys", Program.keys, in: try Folder())
            #expect(run.isDone, "\(run)")
            let follow = run.output.components(separatedBy: "POST to lock screen:").last ?? ""
            let stations = follow.split(separator: "\n").compactMap { line in
                line.contains(" ms  ") ? line.split(separator: " ms  ")[1] : nil
            }
            let common = ["POST /v1/notifications", "202: on the relay's disk", "APNs answered"]
            let receipt = "its receipt reached the relay"
            let expected =
                common + ["shown:", receipt] + common + ["shown, after the tablet came back:", receipt] + common
                + ["the relay sends nothing there any more"]
            #expect(stations.count == expected.count, "\(run)")
            for (station, expected) in zip(stations, expected) { #expect(station.hasPrefix(expected), "\(station)") }
            #expect(follow.contains("APNs answered 410 Unregistered"))
        }

        @Test func `two demos run beside each other`() async throws {
            let folder = try Folder()
            let demos = try (1...2).map { _ in try Invocation(["demo", "--keys", Program.keys], in: folder).start() }
            for demo in demos {
                let run = try await demo.end()
                #expect(run.isDone, "\(run)")
            }
        }

        @Test func `a message of one's own is shown`() async throws {
            let folder = try Folder()
            try folder.write("mine.json", #"{"title":"Grace","body":"It was a moth."}"#)
            let run = try await Run.sealedpush("demo", "--keys", Program.keys, "--message", "mine.json", in: folder)
            #expect(run.isDone && run.output.contains("It was a moth."), "\(run)")
        }

        @Test func `the picture is fetched, opened and drawn`() async throws {
            let folder = try Folder()
            let run = try await Run.sealedpush("demo", "--keys", Program.keys, "--screen", "screen.svg", in: folder)
            #expect(run.isDone && run.output.contains("[a picture: public.png]"), "\(run)")
            #expect(run.output.contains("screen.svg"))
            let picture = try #require(FileManager.default.contents(atPath: Program.keys + "/picture.png"))
            let screen = try Folder.contents(folder.file("screen.svg"))
            #expect(screen.contains(picture.base64EncodedString()))
        }

        @Test func `a file that is no picture is left out, and the message is shown`() async throws {
            let folder = try Folder()
            try folder.write("mine.png", "This is no picture.")
            let run = try await Run.sealedpush("demo", "--keys", Program.keys, "--picture", "mine.png", in: folder)
            #expect(run.isDone && run.output.contains("Ada Lovelace") && !run.output.contains("[a picture"), "\(run)")
        }

        @Test func `it leaves no file behind`() async throws {
            let folder = try Folder()
            let temporary = try folder.makeFolder("tmp")
            var invocation = Invocation(["demo", "--keys", Program.keys], in: folder)
            invocation.environment = ["TMPDIR": temporary]
            #expect(try await invocation.run().isDone)
            #expect(try Folder.names(temporary) == [])
        }

        @Test func `keys that are not there are named`() async throws {
            let run = try await Run.sealedpush("demo", in: try Folder())
            #expect(run.isRefused("keys-example: the example keys are missing", "--keys"), "\(run)")
        }

        @Test func `a message with a typo ends the demo with the sender's own words, and leaves nothing`() async throws
        {
            let folder = try Folder()
            try folder.write("mine.json", "{\"body\":}")
            let temporary = try folder.makeFolder("tmp")
            var invocation = Invocation(["demo", "--keys", Program.keys, "--message", "mine.json"], in: folder)
            invocation.environment = ["TMPDIR": temporary]
            let run = try await invocation.run()
            #expect(run.end == .exit(1) && run.error.contains("mine.json:1:9: expected a value"), "\(run)")
            #expect(run.error.contains("'seal'"))
            #expect(try Folder.names(temporary) == [])
        }

        /// Removes the values of "sealed" and "trace", whose hundreds of random letters hold a word now and then.
        private static func withoutRandomText(_ text: String) -> String {
            ["sealed", "trace"].reduce(text) { text, name in
                let parts = text.split(separator: "\"\(name)\":\"", omittingEmptySubsequences: false)
                return parts[0]
                    + parts.dropFirst().map { "\"\(name)\":\"" + $0.drop { $0 != "\"" } }.joined()
            }
        }

        private static func words() throws -> [String] {
            let object = try JSONLine(
                try Folder.contents(Program.keys + "/message.json").filter { !$0.isNewline } + "\n"
            )
            let texts = try ["title", "subtitle", "body"].map { try object.text($0) }
            return texts.flatMap { $0.split(separator: " ") }.map(String.init).filter { $0.utf8.count > 3 }
        }
    }
}
