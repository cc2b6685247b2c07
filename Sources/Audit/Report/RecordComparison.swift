import Envelope
import Platform

/// Records of two messages of different length, which must differ in nothing but ids and times.
struct RecordComparison {
    /// Members that belong to the moment or name one notification; the text of one has a constant length.
    private static let momentary: Set<String> = [
        "time", "milliseconds", "accepted-at", "changed-at", "received-at", "first-at", "last-at", "timestamp",
    ]
    private static let recordByteCountMax = 1 << 20

    private let pairs: [CanarySet.Pair]
    private var short: [[JSONValue]]
    private var long: [[JSONValue]]
    private var place = ""

    init(_ pairs: [CanarySet.Pair]) {
        self.pairs = pairs
        short = pairs.map { _ in [] }
        long = pairs.map { _ in [] }
    }

    var hasPairs: Bool { zip(short, long).contains { !$0.isEmpty && !$1.isEmpty } }

    /// Keeps the lines that name one of the messages.
    mutating func read(_ path: String) throws(AuditError) {
        guard let file = unsafe fopen(path, "re") else { throw .system(call: "fopen", path: path, code: errno) }
        defer { unsafe fclose(file) }
        place = path
        var line: UnsafeMutablePointer<CChar>?
        var capacity = 0
        defer { unsafe free(line) }
        while true {
            let count = unsafe getline(&line, &capacity, file)
            guard count >= 0, let text = unsafe line else { return }
            for (index, pair) in pairs.enumerated() {
                let isShort = unsafe strstr(text, pair.short) != nil
                guard unsafe isShort || strstr(text, pair.long) != nil else { continue }
                let bytes = unsafe UnsafeRawBufferPointer(start: text, count: count)
                let record = unsafe Self.record(Array(bytes))
                if isShort { short[index].append(record) } else { long[index].append(record) }
            }
        }
    }

    /// A line that is no JSON has one member, itself.
    private static func record(_ line: [UInt8]) -> JSONValue {
        let limits = JSONParser.Limits(byteCountMax: recordByteCountMax, depthMax: 16, allowsFractions: true)
        do { return try JSONParser.parse(line, limits: limits) } catch {
            return JSONValue(content: .string(String(decoding: line, as: UTF8.self)), offset: 0)
        }
    }

    var differences: [AuditReport.Evidence] {
        zip(short, long).flatMap { short, long in
            guard !short.isEmpty, !long.isEmpty else { return [AuditReport.Evidence]() }
            let names = Self.difference(short.map(Self.shape), long.map(Self.shape))
            return names.map { AuditReport.Evidence(what: $0, place: place, offset: nil) }
        }
    }

    /// Shapes of one message's records that the other's lack, in words.
    private static func difference(_ short: [[String: String]], _ long: [[String: String]]) -> [String] {
        guard short.count == long.count else {
            return ["\(short.count) records of the short message, \(long.count) of the long one"]
        }
        let own = short.filter { !long.contains($0) }
        let other = long.filter { !short.contains($0) }
        return zip(own, other).prefix(4).map { own, other in
            let names = Set(own.keys).union(other.keys).filter { own[$0] != other[$0] }.sorted()
            return names.prefix(3).map { "'\($0)' is \(own[$0] ?? "absent") and \(other[$0] ?? "absent")" }
                .joined(separator: ", ")
        }
    }

    /// Lengths of texts and values of numbers, by path.
    private static func shape(_ record: JSONValue) -> [String: String] {
        var shape: [String: String] = [:]
        add(record, at: "", to: &shape)
        return shape
    }

    private static func add(_ value: JSONValue, at path: String, to shape: inout [String: String]) {
        switch value.content {
        case .null: shape[path] = "null"
        case .bool(let flag): shape[path] = "\(flag)"
        case .integer(let number): shape[path] = "\(number)"
        case .fraction(let text): shape[path] = text
        case .string(let text): shape[path] = "\(text.utf8.count) bytes"
        case .array(let elements):
            for (index, element) in elements.enumerated() { add(element, at: "\(path)[\(index)]", to: &shape) }
        case .object(let members):
            for member in members where !momentary.contains(member.name) {
                add(member.value, at: path.isEmpty ? member.name : "\(path).\(member.name)", to: &shape)
            }
        }
    }
}
