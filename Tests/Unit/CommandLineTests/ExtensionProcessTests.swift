import Foundation
import Testing

extension CommandLineTests {
    struct ExtensionProcessTests {
        @Test func `the extension has a process of its own, whose memory is limited and told`() async throws {
            let site = try await Site()
            let device = try await site.connectDevice("--json")
            for _ in 0..<2 {
                #expect(try await site.send(try await site.place.push()).isDone)
                let shown = try await device.event("shown")
                #expect(try shown.text("why") == "the extension answered")
                #expect(try !shown.text("memory-limit").isEmpty && shown.integer("memory-peak") > 1 << 20)
            }
            device.stop()
        }

        @Test func `without one nothing is limited, and the same is shown`() async throws {
            let site = try await Site()
            let device = try await site.connectDevice("--json", "--in-process")
            #expect(try await site.send(try await site.place.push()).isDone)
            let shown = try await device.event("shown")
            #expect(try shown.text("body") == "Hello" && shown.text("memory-limit") == "not limited")
            device.stop()
        }

        @Test(.disabled(if: isSanitized, "a sanitizer's memory is not the extension's"))
        func `an extension that may take next to nothing is ended, and the placeholder shown`() async throws {
            let site = try await Site()
            let device = try await site.connectDevice("--json", "--memory-limit", "1")
            #expect(try await site.send(try await site.place.push()).isDone)
            let shown = try await device.event("shown")
            #expect(try shown.text("why").hasPrefix("the extension was ended for its memory, "))
            #expect(try shown.text("why").hasSuffix(" MB: the original is shown") && shown.text("body") != "Hello")
            device.stop()
        }

        @Test func `nobody but a device can use the host`() async throws {
            let run = try await Run.sealedpush("extension-host", in: try Folder())
            #expect(run.end == .exit(2) && run.output.isEmpty && run.error.contains("a Device of ExtensionHarness"))
        }
    }
}

/// True if this run, and with it the program, was built with a sanitizer.
private let isSanitized = unsafe dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil
