import Foundation
import Testing

extension CommandLineTests {
    /// What a newcomer runs first.
    struct DemoTests {
        @Test func `Apple sees none of the words that the person sees`() async throws {
            let folder = try Folder()
            let run = try await Run.sealedpush("demo", "--keys", Program.keys, in: folder)
            #expect(run.isDone, "\(run)")
            let rows = run.output.split(separator: "\n").filter { $0.contains("│") }.map { row in
                row.split(separator: "│", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            }
            let apple = rows.map { $0[0] }.joined()
            let person = rows.map { $0[1] }.joined()

            #expect(apple.contains("WHAT APPLE SAW") && person.contains("WHAT THE PERSON SEES"))
            #expect(apple.contains(#"{"aps":{"alert":{"title":"Acme Chat""#) && apple.contains(#""sealed":"AQE"#))
            let words = try Self.words()
            #expect(words.count > 10)
            for word in words {
                #expect(!apple.contains(word), "\(word)")
                #expect(person.contains(word), "\(word)")
            }
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
            #expect(run.isRefused("keys-example: the example keys are not there", "--keys"), "\(run)")
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

        /// The words of the example message, long enough not to be in base64url by chance.
        private static func words() throws -> [String] {
            let object = try JSONLine(
                try Folder.contents(Program.keys + "/message.json").filter { !$0.isNewline } + "\n"
            )
            let texts = try ["title", "subtitle", "body"].map { try object.text($0) }
            return texts.flatMap { $0.split(separator: " ") }.map(String.init).filter { $0.utf8.count > 3 }
        }
    }
}
