package import Envelope
import ServiceParts

package enum RequestBody {
    static let depthMax = 8

    /// Checks type and length, and parses the body.
    ///
    /// - Parameter allowsFractions: for properties that are fractions by nature.
    /// - Throws: `.unsupportedMediaType`, also for compression (the unpacked length has no bound), `.bodyTooLarge`,
    ///   `.notJSON` with line and column.
    package static func json(
        _ request: APIRequest,
        byteCountMax: Int,
        allowsFractions: Bool = false
    ) throws(Problem) -> JSONValue {
        try checkType(request)
        guard request.body.count <= byteCountMax else {
            var problem = Problem(.bodyTooLarge, "Send less in one request: the body may have \(byteCountMax) bytes.")
            problem.byteCount = request.body.count
            problem.byteCountMax = byteCountMax
            throw problem
        }
        let limits = JSONParser.Limits(
            byteCountMax: byteCountMax,
            depthMax: depthMax,
            allowsFractions: allowsFractions
        )
        do throws(JSONError) {
            return try JSONParser.parse(request.body, limits: limits)
        } catch {
            let position = JSONError.position(of: error.offset, in: request.body)
            throw Problem(.notJSON, "Line \(position.line), column \(position.column): \(error.reason.description).")
        }
    }

    /// Checks fields only: a wrong type costs no memory.
    static func checkType(_ request: APIRequest) throws(Problem) {
        if request.has("content-encoding"), request.value(of: "content-encoding") != "identity" {
            throw Problem(.unsupportedMediaType, "Send the body without compression.")
        }
        let field = request.value(of: "content-type")
        if field == "application/json" { return }
        let type = field.map { $0.lowercased().filter { $0 != " " } }
        guard type == "application/json" || type == "application/json;charset=utf-8" else {
            throw Problem(.unsupportedMediaType, "Send JSON, with 'Content-Type: application/json'.")
        }
    }
}

/// Names of members that would hold clear text.
enum PlainTextNames {
    /// Lower-case names, compared at any depth.
    static let all: Set<String> = ["title", "body", "alert", "subtitle", "message", "text"]
    /// UTF-8 lengths, also of other scripts' letters that equal these in lower case.
    private static let byteCounts = 4...16

    private static func isPlainText(_ name: String) -> Bool {
        guard byteCounts.contains(name.utf8.count), let first = name.utf8.first else { return false }
        // Rules out nearly all valid names.
        guard first >= 0x80 || firstLetters >> UInt32(first & 31) & 1 == 1 else { return false }
        return !known.contains { name.isNamed($0) } && all.contains(name.lowercased())
    }

    private static let firstLetters = all.reduce(UInt32(0)) { $0 | 1 << UInt32(($1.utf8.first ?? 0) & 31) }

    /// Few valid names with such a first letter: a search beats a hash.
    private static let known = ["trace", "topic", "sealed"]

    static func find(in value: JSONValue, at path: FieldPath, _ faults: FieldErrors) {
        if isThere(in: value) { name(in: value, at: path, faults) }
    }

    private static func isThere(in value: JSONValue) -> Bool {
        switch value.content {
        case .object(let members):
            for index in members.indices {
                if isPlainText(members[index].name) { return true }
                if members[index].value.isContainer, isThere(in: members[index].value) { return true }
            }
        case .array(let elements):
            for index in elements.indices where elements[index].isContainer {
                if isThere(in: elements[index]) { return true }
            }
        default: break
        }
        return false
    }

    private static func name(in value: JSONValue, at path: FieldPath, _ faults: FieldErrors) {
        for member in value.members ?? [] {
            let place = NearestName.presentable(member.name).map { FieldPath.member(path, $0) } ?? path
            // Advice to seal its alert, the placeholder, would mislead.
            if member.name == "sealed", SealedField.isWholePayload(member.value) {
                faults.add(.wrong, place, at: member.value.offset, SealedField.wholePayloadAdvice)
                continue
            }
            if isPlainText(member.name) {
                faults.add(.plainText, place, at: member.offset, "clear text is not accepted; seal it")
            }
            name(in: member.value, at: place, faults)
        }
        for (index, element) in (value.elements ?? []).enumerated() {
            name(in: element, at: .element(path, index), faults)
        }
    }
}

extension JSONValue {
    fileprivate var isContainer: Bool {
        switch content {
        case .array, .object: true
        default: false
        }
    }
}
