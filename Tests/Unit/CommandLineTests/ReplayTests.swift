import Envelope
import Foundation
import Testing

extension CommandLineTests {
    struct ReplayTests {
        @Test func `prints what the extension makes of a sealed push, and what others saw`() async throws {
            let place = try await Workplace()
            let push = try await place.push(#"{"title":"Ada","subtitle":"Engine","body":"Nine?","thread-id":"t"}"#)
            let run = try await place.run(["replay", push] + Self.reader)
            #expect(run.isDone, "\(run)")
            #expect(
                run.output == """
                    Ada
                    Engine
                    Nine?
                    (iOS shows the extension's answer.)
                    on the way: You have a new message

                    """
            )
        }

        @Test func `prints the same as JSON`() async throws {
            let place = try await Workplace()
            let push = try await place.push(#"{"title":"Ada","body":"Nine?","thread-id":"t"}"#)
            let line = try JSONLine(try await place.run(["replay", push, "--json"] + Self.reader).output)
            #expect(try line.text("title") == "Ada" && line.text("body") == "Nine?" && line.text("thread-id") == "t")
            #expect(try line.text("why") == "answered" && line.text("place") == "banner")
            #expect(try line.value["on-the-way"]?.text("body") == "You have a new message")
        }

        @Test func `the device's date decides whether a message is still shown`() async throws {
            let place = try await Workplace()
            let push = try await place.push()
            let late = try await place.run(["replay", push, "--json", "--at", "2100-01-01T00:00Z"] + Self.reader)
            #expect(try JSONLine(late.output).text("body") == "A message arrived too late to be shown")
            let anHourAgo = ISO8601DateFormatter().string(from: Date(timeIntervalSinceNow: -3_600))
            let early = try await place.run(["replay", push, "--json", "--at", anHourAgo] + Self.reader)
            #expect(try JSONLine(early.output).text("body") == "You have a new message")
        }

        @Test(arguments: [("--before-first-unlock", "Unlock to read a new message"), ("--locked", "Hello")])
        func `the device's lock decides what can be read`(_ lock: String, _ body: String) async throws {
            let place = try await Workplace()
            let run = try await place.run(["replay", try await place.push(), "--json", lock] + Self.reader)
            #expect(try JSONLine(run.output).text("body") == body)
        }

        @Test func `the app's strings stand for keys, in the person's language`() async throws {
            let place = try await Workplace()
            _ = try place.folder.makeFolder("strings/de.lproj")
            try place.folder.write("strings/de.lproj/Localizable.strings", #""NEW" = "Neue Nachricht";"#)
            try place.folder.write("push.apns", #"{"aps":{"alert":{"loc-key":"NEW"}}}"#)
            let german = ["--language", "de", "--strings", "strings", "--json"]
            let run = try await place.run(["replay", "push.apns"] + german + Self.reader)
            #expect(try JSONLine(run.output).text("body") == "Neue Nachricht")
            #expect(try JSONLine(run.output).text("why") == "not-run")
        }

        @Test func `the same push is new in every run`() async throws {
            let place = try await Workplace()
            let push = try await place.push()
            let command = ["replay", push, "--json"] + Self.reader
            let (first, second) = (try await place.run(command), try await place.run(command))
            #expect(first.output == second.output && first.output.contains("Hello"), "\(second)")
        }

        @Test func `a file for Xcode's simulator is taken as it is`() async throws {
            let place = try await Workplace()
            let payload = try place.folder.text(try await place.push())
            try place.folder.write(
                "push.apns",
                "{\n  \"Simulator Target Bundle\": \"com.example.chat\"," + payload.dropFirst()
            )
            let run = try await place.run(["replay", "push.apns"] + Self.reader)
            #expect(run.isDone && run.output.hasPrefix("Ada\nHello\n"), "\(run)")
        }

        @Test func `of a Live Activity it prints event and content`() async throws {
            let place = try await Workplace()
            try place.folder.write(
                "live.apns",
                #"{"aps":{"timestamp":1,"event":"update","content-state":{"z":2.50,"a":"\#u{202E}x"}}}"#
            )
            let run = try await place.run(["replay", "live.apns"])
            #expect(run.isDone, "\(run)")
            #expect(
                run.output == """
                    Live Activity: update
                    timestamp: 1
                    content-state:
                    {
                      "z": 2.50,
                      "a": "\\u{202E}x"
                    }

                    """
            )
            let json = try await place.run(["replay", "live.apns", "--json"])
            #expect(json.output.hasSuffix(#""content-state":{"z":2.50,"a":"\#u{202E}x"}}"# + "\n"), "\(json)")
        }

        @Test func `a fault in the file is named with its place`() async throws {
            let place = try await Workplace()
            try place.folder.write("push.apns", "{\n  \"aps\": {},\n}")
            let run = try await place.run(["replay", "push.apns"] + Self.reader)
            #expect(run.isRefused("push.apns:3:1: expected a name in double quotes after the comma"), "\(run)")
        }

        @Test func `a notification needs keys`() async throws {
            let place = try await Workplace()
            let push = try await place.push()
            #expect(try await place.run(["replay", push]).isWrongUsage("--keys is missing"))
            #expect(try await place.run(["replay", push, "--keys", "k"]).isWrongUsage("--senders is missing"))
        }

        static let reader =
            ["--keys", Program.keys + "/device.key", "--senders", Program.keys + "/sender.pub"] + Workplace.allow
    }

    /// The picture of the lock screen, and the tools that turn it into PNG.
    struct ReplayPictureTests {
        private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        /// Writes the beginning of a PNG where rsvg-convert would: behind --output.
        private static let drawing = "#!/bin/sh\nprintf '\\211PNG\\r\\n\\032\\n' > \"$6\"\n"

        @Test func `the picture is written as SVG`() async throws {
            let place = try await Workplace()
            let run = try await replay(in: place, "--svg", "p.svg", "--at", "2100-01-01T10:00Z")
            #expect(run.isDone, "\(run)")
            let svg = try place.folder.text("p.svg")
            #expect(svg.hasPrefix("<svg ") && svg.contains(">10:00<") && svg.contains(">A message arrived too late"))
            #expect(try place.folder.mode("p.svg") & 0o777 == 0o644)
        }

        @Test func `a tool that is installed makes a PNG of it`() async throws {
            let place = try await Workplace()
            try await install("rsvg-convert", Self.drawing, in: place)
            let run = try await replay(in: place, "--png", "p.png", "--svg", "p.svg")
            #expect(run.isDone, "\(run)")
            #expect(try place.folder.bytes("p.png") == Self.png)
        }

        @Test(arguments: ["exit 1", "exit 0", "kill -9 $$", "echo no picture > \"$6\""])
        func `a tool that makes none gives way to the next`(_ script: String) async throws {
            let place = try await Workplace()
            try await install("rsvg-convert", "#!/bin/sh\n\(script)\n", in: place)
            // ImageMagick's last argument is png:FILE.
            try await install("magick", "#!/bin/sh\nprintf '\\211PNG\\r\\n\\032\\n' > \"${4#png:}\"\n", in: place)
            let run = try await replay(in: place, "--png", "p.png")
            #expect(run.isDone, "\(run)")
            #expect(try place.folder.bytes("p.png") == Self.png)
        }

        @Test func `without a tool it says what to install, and the SVG is there`() async throws {
            let place = try await Workplace()
            let run = try await replay(in: place, "--png", "p.png")
            #expect(run.end == .exit(1) && run.output.hasPrefix("Ada\n"), "\(run)")
            #expect(run.error.contains("install librsvg2-bin") && run.error.contains("p.png.svg"), "\(run)")
            #expect(try place.folder.text("p.png.svg").hasPrefix("<svg "))
            #expect(try !place.folder.names.contains("p.png"))
        }

        @Test(.enabled(if: Folder.isExecutable("/usr/bin/rsvg-convert"), "rsvg-convert is not installed here"))
        func `rsvg-convert draws it`() async throws {
            let place = try await Workplace()
            let push = try await place.push()
            let run = try await place.run(["replay", push, "--png", "p.png"] + ReplayTests.reader)
            #expect(run.isDone, "\(run)")
            #expect(try place.folder.bytes("p.png").count > 10_000)
        }

        @Test func `a Live Activity has no picture`() async throws {
            let place = try await Workplace()
            try place.folder.write("live.apns", #"{"aps":{"event":"end"}}"#)
            let run = try await place.run(["replay", "live.apns", "--png", "p.png"])
            #expect(run.isRefused("a Live Activity, which the app itself draws"), "\(run)")
        }

        /// Installs a tool by a process of its own: a file that any process has open for writing cannot be run, and
        /// this process's files are open for a moment in whatever child another test starts.
        private func install(_ tool: String, _ script: String, in place: Workplace) async throws {
            _ = try place.folder.makeFolder("bin")
            try place.folder.write("script", script)
            let line = "cat script >bin/\(tool) && chmod 700 bin/\(tool)"
            guard try await Invocation.shell(line, in: place.folder).run().isDone else { throw Unexpected(line) }
        }

        /// Replays with no tool but those that the test installed.
        private func replay(in place: Workplace, _ options: String...) async throws -> Run {
            let push = try await place.push()
            _ = try place.folder.makeFolder("bin")
            var invocation = place.invocation(["replay", push] + ReplayTests.reader + options)
            invocation.environment["PATH"] = place.folder.file("bin")
            return try await invocation.run()
        }
    }
}
