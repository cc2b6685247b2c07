/// Setting for a behaviour that Apple does not document.
///
/// Each folder lists its own; the command line and the documentation read `all`.
package struct SimulatorSetting: Sendable {
    /// Part that a change affects.
    package enum Scope: String, Sendable {
        case connections = "connections that come from now on"
        case everything = "all that comes from now on"
        /// None: a change is refused.
        case restart
    }

    /// On the command line: lower case, words joined by hyphens.
    package let name: String
    /// Sentence without its full stop.
    package let text: String
    /// Of the default: "observed", "Apple", or the reason for our choice.
    package let source: String
    /// "yes|no", "a number", "seconds", or the words themselves.
    package let values: String
    package let value: @Sendable (SimulatorConfiguration) -> String
    /// Returns false for text outside `values`.
    package let set: @Sendable (inout SimulatorConfiguration, String) -> Bool
    package var appliesTo = Scope.everything

    package static let all: [SimulatorSetting] =
        (validation + connections).map { $0.applying(to: .connections) } + devices + delivery + channels + legacy
        + control

    func applying(to scope: Scope) -> SimulatorSetting {
        var setting = self
        setting.appliesTo = scope
        return setting
    }

    @discardableResult
    package static func apply(
        _ name: String,
        _ text: String,
        to configuration: inout SimulatorConfiguration
    ) throws(SimulatorSettingError) -> SimulatorSetting {
        guard let setting = all.first(where: { $0.name == name }) else { throw .unknown(name) }
        guard setting.set(&configuration, text) else { throw .badValue(name, values: setting.values) }
        return setting
    }
}

package enum SimulatorSettingError: Error, Equatable, Sendable {
    case unknown(String)
    case badValue(String, values: String)
    case needsRestart(String)
    /// Rejected by the TLS library.
    case notApplied(String)
}

extension SimulatorSetting {
    typealias Path<Value> = any (WritableKeyPath<SimulatorConfiguration, Value> & Sendable)

    static func flag(_ name: String, _ path: Path<Bool>, _ text: String, source: String) -> SimulatorSetting {
        SimulatorSetting(
            name: name,
            text: text,
            source: source,
            values: "yes|no",
            value: { $0[keyPath: path] ? "yes" : "no" },
            set: { configuration, text in
                guard text == "yes" || text == "no" else { return false }
                configuration[keyPath: path] = text == "yes"
                return true
            }
        )
    }

    static func number<Number: FixedWidthInteger & Sendable>(
        _ name: String,
        _ path: Path<Number>,
        in range: ClosedRange<Number>,
        _ text: String,
        source: String
    ) -> SimulatorSetting {
        SimulatorSetting(
            name: name,
            text: text,
            source: source,
            values: "a number from \(range.lowerBound) to \(range.upperBound)",
            value: { "\($0[keyPath: path])" },
            set: { configuration, text in
                guard let number = Number(text), range.contains(number) else { return false }
                configuration[keyPath: path] = number
                return true
            }
        )
    }

    /// Whole seconds, or "never" for nil.
    static func seconds(_ name: String, _ path: Path<Duration?>, _ text: String, source: String) -> SimulatorSetting {
        SimulatorSetting(
            name: name,
            text: text,
            source: source,
            values: "seconds, or never",
            value: { $0[keyPath: path].map { "\($0.components.seconds)" } ?? "never" },
            set: { configuration, text in
                if text == "never" {
                    configuration[keyPath: path] = nil
                    return true
                }
                guard let seconds = Int64(text), seconds >= 0, seconds <= 1 << 32 else { return false }
                configuration[keyPath: path] = .seconds(seconds)
                return true
            }
        )
    }

    static func choice<Value: RawRepresentable<String> & CaseIterable & Sendable>(
        _ name: String,
        _ path: Path<Value>,
        _ text: String,
        source: String
    ) -> SimulatorSetting {
        SimulatorSetting(
            name: name,
            text: text,
            source: source,
            values: Value.allCases.map(\.rawValue).joined(separator: "|"),
            value: { $0[keyPath: path].rawValue },
            set: { configuration, text in
                guard let value = Value(rawValue: text) else { return false }
                configuration[keyPath: path] = value
                return true
            }
        )
    }
}
