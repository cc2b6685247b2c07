/// Stations of one notification.
struct DemoTrace {
    private let start = ContinuousClock.now
    private let trace: String
    let device: String
    /// Relay's id, once it has accepted.
    var id = ""
    private var stations: [(milliseconds: Int64, text: String)] = []

    init(_ trace: String, for device: String) {
        self.trace = trace
        self.device = device
    }

    mutating func note(_ text: String) {
        stations.append((Int64(start.duration(to: .now) / .milliseconds(1)), text))
    }

    var text: String {
        let lines = stations.map { station in
            let time = String(station.milliseconds)
            return "  " + String(repeating: " ", count: max(0, 6 - time.count)) + "\(time) ms  \(station.text)"
        }
        return (["\(trace) to the \(device)"] + lines).joined(separator: "\n")
    }
}
