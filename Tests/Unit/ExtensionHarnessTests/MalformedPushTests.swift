import ExtensionHarness
import TestSupport
import Testing
import UserNotifications

struct MalformedPushTests {
    @Test(arguments: [
        "", " ", "{", "}", #"{"aps":}"#, #"{"aps":{"alert":"x"}"#, "nul", "{\"aps\":{}}x", #"{"a":"\ud800"}"#,
        #"{"aps":{"badge":1e400}}"#, "\u{0}",
    ])
    func `bytes that are not JSON`(_ text: String) {
        expect(.notJSON, of: Array(text.utf8))
    }

    @Test func `invalid UTF-8 is not JSON`() {
        expect(.notJSON, of: Array(#"{"aps":{},"x":""#.utf8) + [0xFF, 0xC0] + Array(#""}"#.utf8))
    }

    @Test(arguments: ["[]", "7", "true", "null", #""aps""#, #"[{"aps":{}}]"#])
    func `JSON that is not an object`(_ text: String) {
        expect(.notAnObject, of: Array(text.utf8))
    }

    @Test(arguments: ["{}", #"{"aps":null}"#, #"{"aps":[]}"#, #"{"aps":"x"}"#, #"{"APS":{}}"#])
    func `an object without aps`(_ text: String) {
        expect(.missingAps, of: Array(text.utf8))
    }

    @Test func `a payload of 4096 bytes is taken, one more byte is not`() throws {
        let frame = #"{"aps":{},"x":""}"#.utf8.count
        let longest = #"{"aps":{},"x":"\#(String(repeating: "a", count: 4_096 - frame))"}"#
        _ = try SimulatedPush(payload: longest.utf8)
        expect(.tooLong(byteCount: 4_097, byteCountMax: 4_096), of: Array((longest + " ").utf8))
    }

    @Test(arguments: [("[", "]"), (#"{"a":"#, "}")])
    func `nesting as deep as a payload can hold ends in a result`(_ open: String, _ close: String) throws {
        for depth in [1, 100, 510, 511, 512, 513, 600] {
            let nested = String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
            let payload = Array(#"{"aps":{},"x":\#(nested)}"#.utf8)
            guard payload.count <= SimulatedPush.payloadByteCountMax else { continue }
            do {
                let push = try SimulatedPush(payload: payload)
                #expect(push.userInfo["x"] != nil)
            } catch {
                #expect(error == .notJSON && depth > 500)
            }
        }
    }

    @Test func `every truncation of a payload is a typed error`() {
        for count in 0..<mutablePush.count { expect(.notJSON, of: Array(mutablePush.prefix(count))) }
    }

    @Test func `a payload with any of its bytes changed ends in a result`() async {
        let seed = RunSeed.here()
        var random = SplitMix64(seed: seed)
        var refusedCount = 0
        for index in mutablePush.indices {
            for _ in 0..<8 {
                var payload = mutablePush
                payload[index] = UInt8.random(in: 0...255, using: &random)
                do {
                    _ = try await Device { ScriptedExtension { $1($0.content) } }.deliver(payload)
                } catch {
                    refusedCount += 1
                }
            }
        }
        #expect(refusedCount > 0, "seed \(seed)")
    }

    private func expect(_ expected: SimulatedPushError, of payload: [UInt8]) {
        #expect(throws: expected) { try SimulatedPush(payload: payload) }
    }
}

/// Steele, Lea and Flood, "Fast splittable pseudorandom number generators": a failing run repeats from its seed.
private struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
        return bits ^ bits >> 31
    }
}
