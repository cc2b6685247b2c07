import Envelope
import Glibc
import Platform
import ServiceParts
import TestSupport
import Testing

@testable import sealedpushd

struct LogTests {
    private static let dropped =
        #"{"time":"1970-01-01T00:00:00.007Z","level":"warning","event":"log-dropped","count":"#

    @Test func `lines that a stalled reader has no room for are counted, and nobody waits`() throws {
        let (reader, writer) = try Spawn.pipe()
        defer { close(reader) }
        let made = StandardLog(descriptor: writer, byteCountMax: 4_096, milliseconds: { 7 })
        let log = try #require(made)
        // A pipe of Linux holds 64 KiB, and the log 4: these writes return although no reader runs.
        let line = Array(String(repeating: "x", count: 1_023).utf8) + [UInt8(ascii: "\n")]
        let count = 500
        for _ in 0..<count { log.write(line) }
        let lines = Lines(reader)
        var seen = 0
        var dropped = 0
        var laterCount = 0
        // Each line read makes room, in the end for one that was logged after all dropped ones.
        while case let next = lines.next(), next != "later", !next.isEmpty {
            if next.hasPrefix(Self.dropped) {
                dropped += Int(next.split(separator: ":").last?.dropLast() ?? "") ?? 0
            } else {
                #expect(next.utf8.count == 1_023)
                seen += 1
            }
            log.write(Array("later\n".utf8))
            laterCount += 1
        }
        #expect((count...count + laterCount).contains(seen + dropped))
        #expect(seen < count)
        log.close()
        close(writer)
    }

    @Test func `a reader that is gone ends nothing`() throws {
        _ = signal(SIGPIPE, SIG_IGN)
        let (reader, writer) = try Spawn.pipe()
        let made = StandardLog(descriptor: writer, milliseconds: { 7 })
        let log = try #require(made)
        close(reader)
        for _ in 0..<100 { log.write(Array("x\n".utf8)) }
        log.close()
        close(writer)
    }

    @Test func `everything that was logged is written at the end`() throws {
        let (reader, writer) = try Spawn.pipe()
        defer { close(reader) }
        let made = StandardLog(descriptor: writer, milliseconds: { 7 })
        let log = try #require(made)
        for number in 0..<100 { log.write(Array("\(number)\n".utf8)) }
        log.close()
        close(writer)
        let lines = Lines(reader)
        for number in 0..<100 { #expect(lines.next() == "\(number)") }
        #expect(lines.next() == "")
    }

    @Test func `a line says its level, and its numbers are JSON's`() {
        let seen = Guarded<[UInt8]>([])
        let log = ServiceLog { lines in seen.withLock { $0 += lines } }
        let time = Timestamp(milliseconds: 7)
        log.event("listening", at: time, [("address", "127.0.0.1"), ("port", 8_443)])
        log.event("suspended", .error, at: time, [("apps", "a\n\"b\"")])
        #expect(
            String(decoding: seen.withLock { $0 }, as: UTF8.self)
                == #"{"time":"1970-01-01T00:00:00.007Z","level":"info","event":"listening","address":"127.0.0.1","port":8443}"#
                + "\n" + #"{"time":"1970-01-01T00:00:00.007Z","level":"error","event":"suspended","apps":"a\n\"b\""}"#
                + "\n"
        )
    }

    @Test func `each line of a real run has time, level and event, and a port is a number`() throws {
        let folder = try DaemonFolder()
        let process = try DaemonProcess(["--config", folder.configuration])
        var lines = process.lines(to: "ready")
        process.signal(SIGHUP)
        lines += process.lines(to: "audit")
        process.signal(SIGTERM)
        lines += process.lines(to: "stopped")
        let limits = JSONParser.Limits(byteCountMax: 10_000, depthMax: 2, allowsFractions: false)
        var portCount = 0
        for line in lines {
            let value = try JSONParser.parse(Array(line.utf8), limits: limits)
            let hasHead = value["time"]?.string != nil && value["event"]?.string != nil
            #expect(hasHead && ["info", "warning", "error"].contains(value["level"]?.string), "\(line)")
            if let port = value["port"] {
                guard case .integer = port.content else { throw NoNumber(line: line) }
                portCount += 1
            }
        }
        #expect(portCount > 0)
    }

    private struct NoNumber: Error { let line: String }

    private final class Lines {
        private let descriptor: Int32
        private var unread: [UInt8] = []

        init(_ descriptor: Int32) { self.descriptor = descriptor }

        func next() -> String {
            while true {
                if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                    defer { unread.removeFirst(end + 1) }
                    return String(decoding: unread[..<end], as: UTF8.self)
                }
                var chunk = [UInt8](repeating: 0, count: 4_096)
                let count = unsafe read(descriptor, &chunk, chunk.count)
                guard count > 0 else { return "" }
                unread += chunk[..<count]
            }
        }
    }
}
