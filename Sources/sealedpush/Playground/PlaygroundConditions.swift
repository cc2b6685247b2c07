import APNSSimulator
import DeviceLink
import Envelope
import ExtensionHarness

/// Conditions of the page's phone: names and values for people, in the order of the page; the first value is a phone's
/// usual one.
struct PlaygroundConditions: Sendable {
    typealias Change = @Sendable (inout Device.Conditions, inout DeviceState) -> Void

    struct Choice: Sendable {
        let name: String
        let values: [(name: String, change: Change)]
    }

    static let choices: [Choice] = [
        Choice(
            name: "lock",
            values: [
                ("unlocked", { conditions, _ in conditions.lock = .unlocked }),
                ("locked", { conditions, _ in conditions.lock = .locked }),
                ("before-first-unlock", { conditions, _ in conditions.lock = .beforeFirstUnlock }),
            ]
        ),
        Choice(
            name: "focus",
            values: [
                ("off", { conditions, _ in conditions.focus = .off }),
                (
                    "on",
                    { conditions, state in
                        conditions.focus = .on()
                        state.insert(.focus)
                    }
                ),
            ]
        ),
        Choice(
            name: "alerts",
            values: [
                ("on", { conditions, _ in conditions.alerts = .on }),
                ("provisional", { conditions, _ in conditions.alerts = .provisional }),
                (
                    "off",
                    { conditions, state in
                        conditions.alerts = .off
                        state.insert(.notificationsOff)
                    }
                ),
            ]
        ),
        Choice(
            name: "expiry",
            values: [
                ("on-time", { conditions, _ in conditions.expiry = .onTime }),
                ("early", { conditions, _ in conditions.expiry = .early(by: .seconds(29)) }),
                ("never", { conditions, _ in conditions.expiry = .never }),
            ]
        ),
        Choice(
            name: "memory",
            values: [
                ("24", { conditions, _ in conditions.memoryLimit = .current }),
                ("16", { conditions, _ in conditions.memoryLimit = .medium }),
                ("12", { conditions, _ in conditions.memoryLimit = .small }),
                ("4", { conditions, _ in conditions.memoryLimit = Device.MemoryLimit(byteCount: 4 << 20) }),
            ]
        ),
        Choice(
            name: "network",
            values: [
                ("prompt", { conditions, _ in conditions.attachmentServer = .prompt }),
                ("slow", { conditions, _ in conditions.attachmentServer = .slow(.seconds(20)) }),
                ("stalled", { conditions, _ in conditions.attachmentServer = .stalled }),
            ]
        ),
        Choice(
            name: "storage",
            values: [
                ("writable", { conditions, _ in conditions.storage = .writable }),
                ("full", { conditions, _ in conditions.storage = .full }),
            ]
        ),
        Choice(
            name: "deliveries",
            values: [
                ("once", { conditions, _ in conditions.repetition = .once }),
                ("twice", { conditions, _ in conditions.repetition = .twice }),
                ("twice-at-once", { conditions, _ in conditions.repetition = .twiceAtOnce }),
            ]
        ),
        Choice(
            name: "power",
            values: [("normal", { _, _ in }), ("low", { _, state in state.insert(.lowPower) })]
        ),
        Choice(
            name: "time",
            values: [
                ("real", { conditions, _ in conditions.timekeeping = .real }),
                ("thirty-fold", { conditions, _ in conditions.timekeeping = .scaled(by: 30) }),
            ]
        ),
    ]

    /// Value of each choice, in order.
    private(set) var chosen = PlaygroundConditions.choices.map { $0.values[0].name }

    /// Takes the named values; the others stay.
    mutating func change(_ request: ControlRequest) throws(ControlProblem) {
        try request.allow(members: Self.choices.map(\.name))
        var changed = chosen
        for (index, choice) in Self.choices.enumerated() {
            guard let value = try request.optionalText(choice.name, example: choice.values[0].name) else { continue }
            guard choice.values.contains(where: { $0.name == value }) else {
                throw ControlProblem(
                    "'\(choice.name)' is \(choice.values.map(\.name).joined(separator: ", ")); choose one of them"
                )
            }
            changed[index] = value
        }
        chosen = changed
    }

    var applied: (conditions: Device.Conditions, state: DeviceState) {
        var conditions = Device.Conditions()
        conditions.process = .reused
        var state: DeviceState = []
        for (choice, value) in zip(Self.choices, chosen) {
            choice.values.first { $0.name == value }?.change(&conditions, &state)
        }
        return (conditions, state)
    }

    func write(to writer: inout JSONWriter) {
        writer.array { writer in
            for (choice, value) in zip(Self.choices, chosen) {
                writer.object { writer in
                    writer.member("name", choice.name)
                    writer.member("value", value)
                    writer.name("values")
                    writer.array { writer in for value in choice.values { writer.string(value.name) } }
                }
            }
        }
    }

    /// Lines of a test that makes the same conditions.
    var swiftLines: [String] {
        zip(Self.choices, chosen).compactMap { choice, value in
            guard value != choice.values[0].name else { return nil }
            return Self.swift["\(choice.name)=\(value)"].map { "device.conditions.\($0)" }
        }
    }

    private static let swift = [
        "lock=locked": "lock = .locked", "lock=before-first-unlock": "lock = .beforeFirstUnlock",
        "focus=on": "focus = .on()", "alerts=provisional": "alerts = .provisional", "alerts=off": "alerts = .off",
        "expiry=early": "expiry = .early(by: .seconds(29))", "expiry=never": "expiry = .never",
        "memory=16": "memoryLimit = .medium", "memory=12": "memoryLimit = .small",
        "memory=4": "memoryLimit = Device.MemoryLimit(byteCount: 4 << 20)",
        "network=slow": "attachmentServer = .slow(.seconds(20))", "network=stalled": "attachmentServer = .stalled",
        "storage=full": "storage = .full", "deliveries=twice": "repetition = .twice",
        "deliveries=twice-at-once": "repetition = .twiceAtOnce", "time=thirty-fold": "timekeeping = .scaled(by: 30)",
    ]
}
