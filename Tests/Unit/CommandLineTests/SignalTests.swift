import Foundation
import TestSupport
import Testing

extension CommandLineTests {
    /// Ctrl-C, a stopped service, a closed terminal: nothing stays behind.
    struct SignalTests {
        @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
        func `a signal stops the simulator in order`(_ number: Int32) async throws {
            let site = try await Site()
            site.simulator.signal(number)
            let run = try await site.simulator.end()
            #expect(run.end == .exit(0) && run.error.isEmpty, "\(run)")
        }

        @Test func `a simulator under nohup outlives its terminal`() async throws {
            let place = try await Workplace()
            let words = (["simulate"] + Site.simulator + Workplace.allow).joined(separator: " ")
            let line = "trap '' HUP; exec \(Program.path) \(words)"
            let simulator = try Invocation.shell(line, in: place.folder).start()
            let port = try await simulator.event("ready").integer("device-port")
            simulator.signal(SIGHUP)
            let device = try place.invocation(["device", "--json"] + Site.device(port: port) + Workplace.allow).start()
            _ = try await device.event("ready")
            simulator.stop()
            #expect(try await simulator.end().end == .exit(0))
        }

        @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
        func `a signal stops the device in order`(_ number: Int32) async throws {
            let site = try await Site()
            let temporary = try site.place.folder.makeFolder("tmp")
            let device = try await site.connectDevice(environment: ["TMPDIR": temporary])
            #expect(try Folder.names(temporary).count == 1)
            device.signal(number)
            let run = try await device.end()
            #expect(run.end == .exit(0) && run.error.isEmpty, "\(run)")
            #expect(try Folder.names(temporary) == [])
        }

        @Test(arguments: [SIGTERM, SIGHUP])
        func `a signal that the system repeats does not cut the tidying short`(_ number: Int32) async throws {
            let site = try await Site()
            let temporary = try site.place.folder.makeFolder("tmp")
            let device = try await site.connectDevice(environment: ["TMPDIR": temporary])
            device.signal(number)
            // As often as it can take them, until it is gone.
            try await Until.holds("it is gone") {
                device.signal(number)
                return !Self.isAlive(device.id)
            }
            let run = try await device.end()
            #expect(run.end == .exit(0) && run.error.isEmpty, "\(run)")
            #expect(try Folder.names(temporary) == [])
        }

        /// A listener that never answers keeps it there.
        @Test func `a signal stops a device that is still connecting`() async throws {
            let place = try await Workplace()
            let temporary = try place.folder.makeFolder("tmp")
            let listener = try Listener()
            var invocation = place.invocation(
                ["device", "--bundle-out", "fresh.bundle"] + Site.device(port: listener.port) + Workplace.allow
            )
            invocation.environment = ["TMPDIR": temporary]
            let device = try invocation.start()
            try await Until.holds("a bundle is written") { try place.folder.names.contains("fresh.bundle") }
            device.signal(SIGTERM)
            let run = try await device.end()
            #expect(run.end == .exit(0) && run.error.isEmpty, "\(run)")
            #expect(try Folder.names(temporary) == [])
            _ = consume listener
        }

        @Test func `a device goes when its simulator goes, and leaves nothing`() async throws {
            let site = try await Site()
            let temporary = try site.place.folder.makeFolder("tmp")
            let device = try await site.connectDevice(environment: ["TMPDIR": temporary])
            site.simulator.signal(SIGKILL)
            _ = try await device.end()
            #expect(try Folder.names(temporary) == [])
        }

        @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
        func `a signal to the demo alone leaves no process and no file`(_ number: Int32) async throws {
            let demo = try await WaitingDemo()
            demo.process.signal(number)
            demo.process.signal(SIGCONT)
            let run = try await demo.process.end()
            #expect(run.end == .exit(1) && run.error.contains("stopped"), "\(run)")
            #expect(demo.children.allSatisfy { !Self.isAlive($0) })
            #expect(try Folder.names(demo.temporary) == [])
        }

        @Test func `Ctrl-C, which reaches the demo and its children, leaves no process and no file`() async throws {
            let demo = try await WaitingDemo()
            demo.process.signalGroup(SIGINT)
            demo.process.signal(SIGCONT)
            let run = try await demo.process.end()
            #expect(run.end == .exit(1) && !run.error.isEmpty, "\(run)")
            #expect(demo.children.allSatisfy { !Self.isAlive($0) })
            #expect(try Folder.names(demo.temporary) == [])
        }

        @Test func `the children of a demo that is killed end by themselves`() async throws {
            let demo = try await WaitingDemo()
            demo.process.signal(SIGKILL)
            try await Until.holds("the children are gone") { demo.children.allSatisfy { !Self.isAlive($0) } }
            // The device removes its keys; no process is left to remove the demo's own files.
            #expect(try !Folder.names(demo.temporary).contains { $0.hasPrefix("sealedpush-device-") })
            #expect(try await demo.process.end().end == .signal(SIGKILL))
        }

        /// True while it is neither gone nor a zombie.
        fileprivate static func isAlive(_ id: pid_t) -> Bool {
            guard let status = try? Folder.contents("/proc/\(id)/stat") else { return false }
            let state = status[(status.lastIndex(of: ")") ?? status.startIndex)...].dropFirst(2).first
            return state != "Z" && state != "X"
        }
    }
}

/// A demo whose sender waits for the message: its file is a pipe without a writer. The demo itself is stopped until
/// SIGCONT: it waits a minute for a silent sender, and this test may be later.
private struct WaitingDemo {
    let process: LiveProcess
    /// Simulator, relay, host of files, phone and sender.
    let children: [pid_t]
    let temporary: String

    init() async throws {
        let folder = try Folder()
        temporary = try folder.makeFolder("tmp")
        guard unsafe mkfifo(folder.file("message.json"), 0o600) == 0 else {
            throw SystemFailure(call: "mkfifo", code: errno)
        }
        var invocation = Invocation(["demo", "--keys", Program.keys, "--message", "message.json"], in: folder)
        invocation.environment = ["TMPDIR": temporary]
        invocation.isGroup = true
        let process = try invocation.start()
        self.process = process
        // A thread of its own, which tasks of other tests cannot hold up.
        children = try await LiveProcess.onThread {
            while true {
                let children = try Self.children(of: process.id)
                if children.contains(where: Self.isSender) {
                    process.signal(SIGSTOP)
                    return children
                }
                guard CommandLineTests.SignalTests.isAlive(process.id) else {
                    throw Unexpected("it ended: \(process.complaints)")
                }
                usleep(2_000)
            }
        }
        #expect(children.count == 5)
    }

    /// Looks at its arguments: one that has just begun still has the demo's.
    private static func isSender(_ id: pid_t) -> Bool {
        guard let words = try? Folder.contents("/proc/\(id)/cmdline").split(separator: "\0") else { return false }
        return words.map(String.init).starts(with: ["sealedpush", "seal", "message.json"])
    }

    private static func children(of id: pid_t) throws -> [pid_t] {
        let tasks = try Folder.names("/proc/\(id)/task")
        return tasks.flatMap { task in
            // A thread that has ended meanwhile has none.
            let children = try? Folder.contents("/proc/\(id)/task/\(task)/children")
            return (children ?? "").split(separator: " ").compactMap { pid_t($0) }
        }
    }
}
