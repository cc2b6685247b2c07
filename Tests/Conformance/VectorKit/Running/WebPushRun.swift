import Envelope
import Opening
import Primitives
import WebPush

enum WebPushRun {
    /// With the keys of a field: `PRIVATE AUTH`.
    static func opener(_ vector: Vector, _ words: String) throws -> WebPushOpener {
        let words = words.split(separator: " ")
        guard words.count == 2 else { throw VectorError.malformed(vector: vector.name, field: "key") }
        let key = try P256PrivateKey(rawRepresentation: try vector.secret("key", words[0]))
        return WebPushOpener(
            keys: WebPushKeys(privateKey: key, authenticationSecret: try vector.secret("key", words[1]))
        )
    }

    static func run(_ vector: Vector) throws -> VectorRun.Result {
        let opener = try opener(vector, try vector.required("key"))
        var expected: [String] = []
        var actual: [String] = []
        for (index, line) in vector.lines.enumerated() {
            expected.append("\(vector.values("expect")[index]) \(vector.values("shows")[index])")
            do throws(WebPushError) {
                let message = try opener.open(field: String(decoding: line, as: UTF8.self))
                let outcome = Outcome.unauthenticated(message)
                actual.append("\(outcome.name) \(outcome.shows)")
            } catch {
                actual.append("malformed -")
            }
        }
        return VectorRun.Result(expected: expected, actual: actual)
    }
}
