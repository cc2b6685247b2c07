import Envelope
import Foundation
import Platform

/// A running process. It gets SIGKILL when a test drops it.
final class LiveProcess: Sendable {
    let id: pid_t
    private let invocation: Invocation
    private let outputDescriptor: Int32
    private let errorDescriptor: Int32
    private let state = Guarded(State())

    /// Nothing here takes a second; only a hang takes this long.
    private static let hangGuard: Duration = .seconds(600)

    private struct State {
        var output: [UInt8] = []
        var error: [UInt8] = []
        /// Bytes of `output` already returned as lines.
        var readCount = 0
        var openDescriptors: [Int32] = []
        var end: Run.End?
    }

    init(_ invocation: Invocation, id: pid_t, output: Int32, error: Int32) {
        self.id = id
        self.invocation = invocation
        outputDescriptor = output
        errorDescriptor = error
        state.withLock { $0.openDescriptors = [output, error] }
    }

    deinit {
        state.withLock { state in
            if state.end == nil {
                _ = kill(id, SIGKILL)
                _ = waitpid(id, nil, 0)
            }
        }
        close(outputDescriptor)
        close(errorDescriptor)
    }

    var complaints: String { state.withLock { String(decoding: $0.error, as: UTF8.self) } }

    /// Does nothing once it was reaped: its number may be another process's by now.
    func signal(_ number: Int32) {
        state.withLock { if $0.end == nil { _ = kill(id, number) } }
    }

    /// Sends SIGTERM. The process object lives until here at least.
    func stop() { signal(SIGTERM) }

    /// Signals the process and all its children, as a terminal does.
    func signalGroup(_ number: Int32) {
        precondition(invocation.isGroup)
        _ = kill(-id, number)
    }

    func line() async throws -> String {
        try await Self.onThread {
            let deadline = ContinuousClock.now + Self.hangGuard
            while true {
                if let line = self.takeLine() { return line }
                guard try self.readMore(deadline), !self.isOutputClosed else {
                    throw Unexpected("it ended; standard error: \(self.complaints)")
                }
            }
        }
    }

    /// The next event called `name` of a command with --json; others are skipped.
    func event(_ name: String) async throws -> JSONValue {
        while true {
            let event = try JSONValue(line: try await line())
            if event["event"]?.string == name { return event }
        }
    }

    /// Waits until its output is closed and it has ended.
    func end() async throws -> Run {
        try await Self.onThread {
            let deadline = ContinuousClock.now + Self.hangGuard
            while try self.readMore(deadline) {}
            return try self.reap(deadline)
        }
    }

    private var isOutputClosed: Bool { state.withLock { !$0.openDescriptors.contains(outputDescriptor) } }

    private func takeLine() -> String? {
        state.withLock { state in
            let rest = state.output[state.readCount...]
            guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
            state.readCount = end + 1
            return String(decoding: rest[..<end], as: UTF8.self)
        }
    }

    /// - Returns: false when both outputs are closed.
    private func readMore(_ deadline: ContinuousClock.Instant) throws -> Bool {
        var polls = state.withLock { $0.openDescriptors }.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        guard !polls.isEmpty else { return false }
        let milliseconds = (deadline - .now) / .milliseconds(1)
        guard milliseconds > 0, unsafe poll(&polls, nfds_t(polls.count), Int32(milliseconds)) != 0 else {
            throw Unexpected("it hangs; standard error: \(complaints)")
        }
        for ready in polls where ready.revents != 0 {
            var chunk = [UInt8](repeating: 0, count: 65_536)
            let count = unsafe read(ready.fd, &chunk, chunk.count)
            state.withLock { state in
                if count <= 0 {
                    state.openDescriptors.removeAll { $0 == ready.fd }
                } else if ready.fd == outputDescriptor {
                    state.output += chunk[..<count]
                } else {
                    state.error += chunk[..<count]
                }
            }
        }
        return true
    }

    /// Waits for the end, which is near once it has closed its outputs.
    private func reap(_ deadline: ContinuousClock.Instant) throws -> Run {
        while true {
            // The lock is free while it waits: a signal may bring the end.
            let run: Run? = state.withLock { state in
                if state.end == nil {
                    var status: Int32 = 0
                    guard unsafe waitpid(id, &status, WNOHANG) != 0 else { return nil }
                    let signal = status & 0x7F
                    state.end = signal == 0 ? .exit(status >> 8 & 0xFF) : .signal(signal)
                }
                return state.end.map { Run(end: $0, outputBytes: state.output, error: state.error) }
            }
            if let run { return run }
            guard .now < deadline else { throw Unexpected("it closed its outputs and hangs") }
            usleep(1_000)
        }
    }

    /// Runs a wait on a thread of its own, so that it does not hold up the threads of other tests.
    static func onThread<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
        }
    }
}

/// A state in which a test cannot continue.
struct Unexpected: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

extension JSONValue {
    init(line: String) throws {
        let limits = JSONParser.Limits(byteCountMax: 1 << 20, depthMax: 8, allowsFractions: false)
        self = try JSONParser.parse(Array(line.utf8), limits: limits)
    }

    func integer(_ name: String) throws -> Int64 {
        guard case .integer(let number) = self[name]?.content else { throw Unexpected("no integer \(name)") }
        return number
    }

    func text(_ name: String) throws -> String {
        guard let text = self[name]?.string else { throw Unexpected("no string \(name)") }
        return text
    }
}
