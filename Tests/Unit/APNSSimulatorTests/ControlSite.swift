import Envelope
import Platform
import TestSupport

@testable import APNSSimulator

final class ControlSite: Sendable {
    let site: Site
    let server: ControlServer
    let stops = Recorder<Void>()

    init(_ configure: (inout SimulatorConfiguration) -> Void = { _ in }) async throws {
        let site = try await Site { configuration in
            configuration.control.isOn = true
            configure(&configuration)
        }
        self.site = site
        let stops = stops
        server = try await .start(site.simulator, port: 0) { stops.record(()) }
    }

    struct Answer: CustomStringConvertible {
        let status: Int
        let head: String
        let json: JSONValue?
        let body: String

        var description: String { "\(status) \(body)" }

        func integer(_ name: String) -> Int64? {
            if case .integer(let number) = json?[name]?.content { number } else { nil }
        }

        func text(_ name: String) -> String? { json?[name]?.string }
    }

    /// Calls with the required fields, or with `fields` instead.
    func call(_ line: String, _ body: String = "", fields: [String]? = nil) async throws -> Answer {
        try await server.call(line, body, fields: fields)
    }
}

extension ControlServer {
    /// Calls with the required fields, or with `fields` instead.
    func call(_ line: String, _ body: String = "", fields: [String]? = nil) async throws -> ControlSite.Answer {
        let (port, bearer) = (self.port, self.bearer)
        let standard = ["Host: 127.0.0.1:\(port)", "Authorization: Bearer \(bearer)"]
        // The caller blocks its thread; a thread of the simulator answers.
        let (status, head, text) = try await Task.detached {
            try PlainCaller.call(port, line, fields ?? standard, body: body)
        }.value
        let limits = JSONParser.Limits(byteCountMax: 1 << 20, depthMax: 8, allowsFractions: false)
        let json = try? JSONParser.parse(Array(text.utf8), limits: limits)
        return ControlSite.Answer(status: status, head: head, json: json, body: text)
    }
}
