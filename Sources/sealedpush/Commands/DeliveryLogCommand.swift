import CommandLineTool
import Envelope
import Foundation

struct DeliveryLogCommand: Command {
    static let name = "delivery log"
    static let summary = "shows a push in a simulator's delivery log, by its apns-unique-id or its apns-id"
    static let operands = "[ID]"
    static let options =
        ControlClient.options + [
            Option("--newest", "N", "without ID: the number of pushes to list, the newest first; 20 without it"),
            .json,
        ]
    static let example = """
        Example:
          sealedpush delivery log --control http://127.0.0.1:8190 \\
              --bearer-file sealedpush-simulator/control.bearer

        ID is in the headers of the answer to a push. Times are the
        simulator's. Exit code 1 for an ID that the log does not have.
        """

    private let arguments: Arguments
    private let client: ControlClient
    /// nil: the newest.
    private let id: String?
    private let countMax: Int

    init(_ arguments: Arguments) throws(CommandError) {
        self.arguments = arguments
        id = arguments.operands.isEmpty ? nil : try arguments.operand("ID")
        // It becomes part of a path.
        if let id {
            guard id.wholeMatch(of: /[0-9A-Fa-f-]{36}/) != nil else {
                throw arguments.wrong("ID must be a UUID: 36 characters")
            }
            guard arguments.value("--newest") == nil else {
                throw arguments.wrong("--newest replaces ID; give one of them")
            }
        }
        countMax = try arguments.number("--newest", 1...1_000) ?? 20
        client = try ControlClient(arguments)
    }

    func run() throws(CommandError) {
        let deliveries = try deliveries()
        if id != nil, deliveries.isEmpty {
            throw .failed(
                "the log has no push of this id: it was refused, it is too old, or another simulator took it"
            )
        }
        for delivery in deliveries {
            let line = arguments.flag(.json) ? String(decoding: JSONWriter.bytes(of: delivery), as: UTF8.self) : nil
            try Output.print(line ?? words(delivery))
        }
    }

    private func deliveries() throws(CommandError) -> [JSONValue] {
        guard let id else { return try deliveries("limit=\(countMax)") }
        let byUniqueID = try deliveries("apns-unique-id=\(id)")
        return byUniqueID.isEmpty ? try deliveries("apns-id=\(id)") : byUniqueID
    }

    private func deliveries(_ query: String) throws(CommandError) -> [JSONValue] {
        try client.call("GET", "/v1/deliveries?\(query)")["deliveries"]?.elements ?? []
    }

    private func words(_ delivery: JSONValue) -> String {
        let head = """
            \(text("apns-unique-id", delivery)) (apns-id \(text("apns-id", delivery))): \
            \(text("push-type", delivery)) for device \(number("device", delivery)), \
            accepted at \(Self.time(number("accepted-at", delivery)))
            """
        let steps = (delivery["steps"]?.elements ?? []).map { step in
            let because = step["reason"]?.string ?? step["by"]?.string.map { "by \($0)" }
            let detail = because.map { ", \($0)" } ?? ""
            return "  \(Self.time(number("at", step))) \(text("state", step))\(detail)"
        }
        return ([head] + (steps.isEmpty ? ["  on its way to the device"] : steps)).map(TerminalText.safe)
            .joined(separator: "\n")
    }

    private func text(_ name: String, _ value: JSONValue) -> String { value[name]?.string ?? "?" }

    private func number(_ name: String, _ value: JSONValue) -> Int64 {
        if case .integer(let number)? = value[name]?.content { number } else { 0 }
    }

    /// The simulator's clock has no fractions.
    private static func time(_ milliseconds: Int64) -> String {
        Date(timeIntervalSince1970: Double(milliseconds) / 1_000).formatted(.iso8601)
    }
}
