import Envelope
import Foundation
import Keys
import Testing

extension CommandLineTests {
    /// `seal --pins`: one run's knowledge of a device binds the next one.
    struct PinsTests {
        @Test func `an older bundle than one that was used is refused, in another process (protocol v1, rule 16)`()
            async throws
        {
            let place = try await Workplace()
            let their = try Correspondents(seed: 8, in: place.folder)
            let now = Timestamp.now
            try their.writeBundle("old.bundle", at: now.advanced(by: .seconds(-60)))
            try their.writeBundle("new.bundle", at: now)
            try place.folder.write("m.json", #"{"body":"Hello"}"#)
            #expect(try await seal(place, "old.bundle", pins: "pins").isDone)
            #expect(try await seal(place, "new.bundle", pins: "pins").isDone)
            #expect(try await seal(place, "new.bundle", pins: "pins").isDone)
            let refused = try await seal(place, "old.bundle", pins: "pins")
            #expect(refused.isRefused("old.bundle: this bundle is older"), "\(refused)")
            // It is remembered in no other place, and only on request.
            #expect(try await seal(place, "old.bundle", pins: "other-pins").isDone)
            #expect(try await seal(place, "old.bundle", pins: nil).isDone)
        }

        @Test func `pins are the owner's only, and a folder where others may write is refused`() async throws {
            let place = try await Workplace()
            try place.folder.write("m.json", #"{"body":"Hello"}"#)
            #expect(try await place.seal("m.json", "--pins", "pins", "--out", "push.json").isDone)
            #expect(try place.folder.mode("pins") == 0o700)
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o777],
                ofItemAtPath: place.folder.file("pins")
            )
            let refused = try await place.seal("m.json", "--pins", "pins")
            #expect(refused.isRefused("pins: others may write there", "chmod 700 pins"), "\(refused)")
        }

        @Test func `a damaged pin is refused, and not taken for none`() async throws {
            let place = try await Workplace()
            try place.folder.write("m.json", #"{"body":"Hello"}"#)
            #expect(try await place.seal("m.json", "--pins", "pins", "--out", "push.json").isDone)
            let names = try FileManager.default.subpathsOfDirectory(atPath: place.folder.file("pins"))
            let name = try #require(names.first { $0.count == 65 })
            try place.folder.write("pins/" + name, "")
            let refused = try await place.seal("m.json", "--pins", "pins")
            #expect(refused.isRefused(name, "is damaged"), "\(refused)")
        }

        @Test func `pins that cannot be kept are an error`() async throws {
            let place = try await Workplace()
            try place.folder.write("m.json", #"{"body":"Hello"}"#)
            let refused = try await place.seal("m.json", "--pins", "no/such/folder")
            #expect(refused.isRefused("no/such/folder: No such file or directory (mkdir)"), "\(refused)")
        }

        @Test func `the help says what sealing without pins takes`() async throws {
            let help = try await Run.sealedpush("seal", "--help", in: try Folder()).output
            let words = help.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(words.contains("Without --pins nothing is remembered: an older bundle of the device, another one"))
            // The runs confirm it.
            let place = try await Workplace()
            let their = try Correspondents(seed: 9, in: place.folder)
            let now = Timestamp.now
            try their.writeBundle("old.bundle", at: now.advanced(by: .seconds(-60)))
            try their.writeBundle("new.bundle", at: now)
            try place.folder.write("m.json", #"{"body":"Hello"}"#)
            for bundle in ["new.bundle", "old.bundle"] { #expect(try await seal(place, bundle, pins: nil).isDone) }
        }

        private func seal(_ place: Workplace, _ bundle: String, pins: String?) async throws -> Run {
            try await place.run(
                [
                    "seal", "m.json", "--sender-key", Program.keys + "/sender.key", "--bundle", bundle,
                    "--identity", "their.identity", "--topic", Workplace.topic,
                ] + (pins.map { ["--pins", $0] } ?? []) + Workplace.allow
            )
        }
    }
}
